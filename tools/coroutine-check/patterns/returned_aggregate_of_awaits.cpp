// An aggregate of awaited members that is returned at once.
#include "pattern.h"

namespace returned_aggregate_of_awaits {

using namespace coroutine_check;

struct Receipt {
  Counted order;
  Counted payment;
};
inline Task<Receipt> receipt(Flow&) {
  co_return Receipt{co_await later(Counted(kText)), co_await later(Counted("paid"))};
}

inline void check() {
  const auto made = finish(receipt);
  expect(made.order.text == kText && made.payment.text == "paid", "the result is wrong");
}

} // namespace returned_aggregate_of_awaits
