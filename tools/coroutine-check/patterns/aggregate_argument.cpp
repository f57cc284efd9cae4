// An aggregate by its name as an argument of the awaited call.
#include "pattern.h"

namespace aggregate_argument {

using namespace coroutine_check;

inline Task<std::string> charge(Flow& flow) {
  co_return co_await flow.run_options(RunOptions{5, Counted(), {"Declined"}});
}

inline void check() { expect(finish(charge) == kText + "5", "the result is wrong"); }

} // namespace aggregate_argument
