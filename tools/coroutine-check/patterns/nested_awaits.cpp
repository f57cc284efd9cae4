// Awaits inside the arguments of awaits.
#include "pattern.h"

namespace nested_awaits {

using namespace coroutine_check;

inline Task<Counted> twice(Flow&, Counted value) {
  const auto same = co_await later(value);
  co_return Counted(same.text + value.text);
}
inline Task<std::string> nest(Flow& flow) {
  const auto all = co_await twice(flow, co_await twice(flow, co_await later(Counted("ab"))));
  co_return all.text;
}

inline void check() { expect(finish(nest) == "abababab", "the result is wrong"); }

} // namespace nested_awaits
