// An await in the condition of a switch.
#include "pattern.h"

namespace switch_condition {

using namespace coroutine_check;

inline std::string
    seen; // the coroutine has no variable of its own: only then is it laid out wrongly

inline Task<void> branch(Flow&) {
  switch (co_await later(2)) {
    case 1: seen += "one"; break;
    case 2: seen += co_await later(std::string("two")); break;
    default: seen += "other";
  }
}

inline void check() {
  finish(branch);
  expect(seen == "two", "the body did not run");
}

} // namespace switch_condition
