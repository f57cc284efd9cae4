// A template that is a coroutine, with a pack of parameters.
#include "pattern.h"

namespace template_coroutine {

using namespace coroutine_check;

template <class... Values>
Task<std::string> join(Flow& flow, Values... values) {
  std::string joined;
  ((joined += co_await flow.run("one", [values] { return values.text; })), ...);
  co_return joined;
}
inline Task<std::string> three(Flow& flow) {
  co_return co_await join(flow, Counted("a"), Counted("b"), Counted("c"));
}

inline void check() { expect(finish(three) == "abc", "the result is wrong"); }

} // namespace template_coroutine
