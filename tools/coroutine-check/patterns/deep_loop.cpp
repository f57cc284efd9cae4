// A loop over 100,000 coroutines that end at once keeps the stack as it is.
#include "pattern.h"

namespace deep_loop {

using namespace coroutine_check;

inline Task<int> one(Counted value) { co_return value.text.empty() ? 0 : 1; }
inline Task<int> loop(Flow&) {
  int total = 0;
  for (int i = 0; i < 100'000; ++i)
    total += co_await one(Counted("x"));
  co_return total;
}

inline void check() { expect(finish(loop) == 100'000, "the result is wrong"); }

} // namespace deep_loop
