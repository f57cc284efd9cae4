// A chain of 20,000 coroutines that await one another keeps the stack as it is.
#include "pattern.h"

namespace deep_chain {

using namespace coroutine_check;

inline Task<int> link(int depth, Counted value) {
  if (depth == 0) co_return co_await later(0);
  const int below = co_await link(depth - 1, value);
  co_return below + 1;
}
inline Task<int> chain(Flow&) { co_return co_await link(20'000, Counted("x")); }

inline void check() { expect(finish(chain) == 20'000, "the result is wrong"); }

} // namespace deep_chain
