// The conditional operator inside an argument of the awaited call.
#include "pattern.h"

namespace conditional_argument {

using namespace coroutine_check;

inline Task<std::string> choose(Flow&, bool fast) {
  const auto chosen = co_await later(fast ? Counted(kText + "fast") : Counted(kText + "slow"));
  co_return chosen.text;
}

inline void check() {
  expect(finish(choose, true) == kText + "fast", "the first result is wrong");
  expect(finish(choose, false) == kText + "slow", "the second result is wrong");
}

} // namespace conditional_argument
