// Awaits in each part of a for.
#include "pattern.h"

namespace for_condition {

using namespace coroutine_check;

inline std::string
    seen; // the coroutine has no variable of its own: only then is it laid out wrongly

inline Task<void> branch(Flow&) {
  for (int i = co_await later(1); co_await later(i < 4); i += co_await later(1))
    seen += std::to_string(i);
}

inline void check() {
  finish(branch);
  expect(seen == "123", "the body did not run");
}

} // namespace for_condition
