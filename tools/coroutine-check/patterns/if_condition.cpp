// An await in the condition of an if.
#include "pattern.h"

namespace if_condition {

using namespace coroutine_check;

inline std::string
    seen; // the coroutine has no variable of its own: only then is it laid out wrongly

inline Task<void> branch(Flow&) {
  if (co_await later(true)) seen += "yes ";
  if (!co_await later(true)) seen += "no ";
  seen += "end";
}

inline void check() {
  finish(branch);
  expect(seen == "yes end", "the body did not run");
}

} // namespace if_condition
