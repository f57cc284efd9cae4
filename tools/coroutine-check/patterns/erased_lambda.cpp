// A temporary lambda that becomes a std::function as an argument.
#include "pattern.h"

namespace erased_lambda {

using namespace coroutine_check;

inline Task<std::string> charge(Flow& flow, Counted order) {
  co_return co_await flow.run_erased("charge", [order] { return order.text; });
}

inline void check() { expect(finish(charge, Counted()) == kText, "the result is wrong"); }

} // namespace erased_lambda
