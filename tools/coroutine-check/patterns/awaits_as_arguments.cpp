// Two awaits as arguments of an ordinary function; both values live until it returns.
#include "pattern.h"

namespace awaits_as_arguments {

using namespace coroutine_check;

inline std::string join(const Counted& first, const Counted& second) {
  return first.text + second.text;
}
inline Task<std::string> both(Flow&) {
  co_return join(co_await later(Counted("first")), co_await later(Counted("second")));
}

inline void check() { expect(finish(both) == "firstsecond", "the result is wrong"); }

} // namespace awaits_as_arguments
