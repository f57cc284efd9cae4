// A default argument that is a list.
#include "pattern.h"

namespace default_argument {

using namespace coroutine_check;

inline Task<std::size_t> count(Flow& flow) { co_return co_await flow.run_list(); }

inline void check() { expect(finish(count) == 2, "the result is wrong"); }

} // namespace default_argument
