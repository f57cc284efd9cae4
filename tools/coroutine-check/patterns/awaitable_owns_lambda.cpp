// A temporary awaitable that holds the lambda itself.
#include "pattern.h"

namespace awaitable_owns_lambda {

using namespace coroutine_check;

inline Task<std::string> charge(Flow&, Counted order) {
  co_return co_await own([order] { return order.text; });
}

inline void check() { expect(finish(charge, Counted()) == kText, "the result is wrong"); }

} // namespace awaitable_owns_lambda
