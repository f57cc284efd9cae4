// A lambda with captures that is called and awaited in one expression.
#include "pattern.h"

namespace lambda_called_at_once {

using namespace coroutine_check;

inline Task<std::string> once(Flow& flow, Counted order) {
  co_return co_await [&flow, order]() -> Task<std::string> {
    const auto text = co_await flow.run("once", [order] { return order.text; });
    co_return text + order.text;
  }();
}

inline void check() { expect(finish(once, Counted("!")) == "!!", "the result is wrong"); }

} // namespace lambda_called_at_once
