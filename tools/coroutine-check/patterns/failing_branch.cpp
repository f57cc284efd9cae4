// A branch that fails beside one that does not.
#include "pattern.h"

namespace failing_branch {

using namespace coroutine_check;

inline Task<std::string> both(Flow& flow, Counted order) {
  std::string seen;
  try {
    co_await flow.all(
        [order]() -> Task<std::string> {
          co_await later(1);
          throw std::runtime_error(order.text);
        },
        [order]() -> Task<std::string> { co_return (co_await later(order)).text; });
  } catch (const std::runtime_error& error) {
    seen = error.what();
  }
  co_return seen;
}

inline void check() { expect(finish(both, Counted()) == kText, "the result is wrong"); }

} // namespace failing_branch
