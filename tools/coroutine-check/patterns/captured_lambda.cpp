// A temporary lambda that owns what it captured: the call that flows are made of.
#include "pattern.h"

namespace captured_lambda {

using namespace coroutine_check;

inline Task<std::string> charge(Flow& flow, Counted order) {
  co_return co_await flow.run("charge", [order] { return order.text; });
}

inline void check() { expect(finish(charge, Counted()) == kText, "the result is wrong"); }

} // namespace captured_lambda
