// An aggregate by designated initialisers as an argument of the awaited call.
#include "pattern.h"

namespace designated_argument {

using namespace coroutine_check;

inline Task<std::string> charge(Flow& flow) {
  co_return co_await flow.run_options({.max_attempts = 5, .note = Counted(kText)});
}

inline void check() { expect(finish(charge) == kText + "5", "the result is wrong"); }

} // namespace designated_argument
