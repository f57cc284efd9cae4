// An await behind && and || in a condition; it is passed over when the left side decides.
#include "pattern.h"

namespace if_and {

using namespace coroutine_check;

inline std::string
    seen; // the coroutine has no variable of its own: only then is it laid out wrongly

inline Task<void> branch(Flow&) {
  if (seen.empty() && co_await later(true)) seen += "yes ";
  if (seen.empty() && co_await own([] { return fail("it is awaited all the same"), true; })) {
    seen += "no ";
  }
  if (!seen.empty() || co_await own([] { return fail("it is awaited all the same"), true; })) {
    seen += "end";
  }
}

inline void check() {
  finish(branch);
  expect(seen == "yes end", "the body did not run");
}

} // namespace if_and
