// The conditional operator between aggregates inside an argument.
#include "pattern.h"

namespace conditional_options {

using namespace coroutine_check;

inline Task<std::string> choose(Flow& flow, bool careful) {
  co_return co_await flow.run_options(careful ? RunOptions{.max_attempts = 1}
                                              : RunOptions{.max_attempts = 9});
}

inline void check() {
  expect(finish(choose, true) == kText + "1", "the first result is wrong");
  expect(finish(choose, false) == kText + "9", "the second result is wrong");
}

} // namespace conditional_options
