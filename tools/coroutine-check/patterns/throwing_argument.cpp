// An argument that throws while the call that would be awaited is put together.
#include "pattern.h"

namespace throwing_argument {

using namespace coroutine_check;

inline std::string broken() { throw std::runtime_error("broken"); }
inline Task<std::string> charge(Flow& flow, Counted order) {
  std::string seen;
  try {
    co_await flow.run(broken(), [order] { return order.text; }, {.note = order});
  } catch (const std::runtime_error& error) {
    seen = error.what();
  }
  co_return seen + co_await later(std::string("!"));
}

inline void check() { expect(finish(charge, Counted()) == "broken!", "the result is wrong"); }

} // namespace throwing_argument
