// A structured binding of an awaited pair, used across another step.
#include "pattern.h"

namespace structured_binding {

using namespace coroutine_check;

inline Task<std::string> join(Flow& flow) {
  const auto [order, payment] = co_await later(std::pair(Counted("order"), Counted("payment")));
  const auto text = co_await flow.run("join", [&order = order] { return order.text; });
  co_return text + payment.text;
}

inline void check() { expect(finish(join) == "orderpayment", "the result is wrong"); }

} // namespace structured_binding
