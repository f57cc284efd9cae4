// A list in braces as an argument of the awaited call.
#include "pattern.h"

namespace list_argument {

using namespace coroutine_check;

inline Task<std::size_t> count(Flow& flow) {
  co_return co_await flow.run_list({kText, kText, kText});
}

inline void check() { expect(finish(count) == 3, "the result is wrong"); }

} // namespace list_argument
