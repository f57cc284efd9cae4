// A lambda with captures and designated options in one awaited call.
#include "pattern.h"

namespace lambda_and_options {

using namespace coroutine_check;

inline Task<std::string> charge(Flow& flow, Counted order) {
  co_return co_await flow.run("charge", [order] { return order.text; },
                              {.max_attempts = 5, .note = order});
}

inline void check() { expect(finish(charge, Counted()) == kText, "the result is wrong"); }

} // namespace lambda_and_options
