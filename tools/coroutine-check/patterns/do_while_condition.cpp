// An await in the condition of a do.
#include "pattern.h"

namespace do_while_condition {

using namespace coroutine_check;

inline std::string
    seen; // the coroutine has no variable of its own: only then is it laid out wrongly

inline Task<void> branch(Flow&) {
  do {
    seen += "x";
  } while (co_await own([] { return seen.size() < 3; }));
}

inline void check() {
  finish(branch);
  expect(seen == "xxx", "the body did not run");
}

} // namespace do_while_condition
