// A container in braces whose items are awaited.
#include "pattern.h"

namespace list_of_awaits {

using namespace coroutine_check;

inline Task<std::string> names(Flow&) {
  const std::vector<Counted> both{co_await later(Counted("first")),
                                  co_await later(Counted("second"))};
  co_return both[0].text + both[1].text;
}

inline void check() { expect(finish(names) == "firstsecond", "the result is wrong"); }

} // namespace list_of_awaits
