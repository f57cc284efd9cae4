// An await in the condition of a while.
#include "pattern.h"

namespace while_condition {

using namespace coroutine_check;

inline std::string
    seen; // the coroutine has no variable of its own: only then is it laid out wrongly

inline Task<void> branch(Flow&) {
  while (co_await own([] { return seen.size() < 3; }))
    seen += "x";
}

inline void check() {
  finish(branch);
  expect(seen == "xxx", "the body did not run");
}

} // namespace while_condition
