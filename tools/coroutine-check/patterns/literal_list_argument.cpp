// A list of literals in braces as an argument of the awaited call.
#include "pattern.h"

namespace literal_list_argument {

using namespace coroutine_check;

inline Task<std::size_t> count(Flow& flow) { co_return co_await flow.run_list({"a", "b", "c"}); }

inline void check() { expect(finish(count) == 3, "the result is wrong"); }

} // namespace literal_list_argument
