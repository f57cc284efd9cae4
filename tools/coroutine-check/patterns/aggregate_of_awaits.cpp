// An aggregate in braces whose members are awaited.
#include "pattern.h"

namespace aggregate_of_awaits {

using namespace coroutine_check;

struct Receipt {
  Counted order;
  Counted payment;
};
inline Task<std::string> receipt(Flow&) {
  const Receipt made{co_await later(Counted(kText)), co_await later(Counted("paid"))};
  co_return made.order.text + made.payment.text;
}

inline void check() { expect(finish(receipt) == kText + "paid", "the result is wrong"); }

} // namespace aggregate_of_awaits
