// Branches side by side, of lambdas that are coroutines with captures.
#include "pattern.h"

namespace branches {

using namespace coroutine_check;

inline Task<std::string> both(Flow& flow, Counted order) {
  const auto [first, second] = co_await flow.all(
      [&flow, order]() -> Task<std::string> {
        co_return co_await flow.run("first", [order] { return order.text; });
      },
      [order]() -> Task<std::string> {
        co_await later(1);
        co_await later(2);
        co_return "second " + order.text;
      });
  co_return first + second;
}

inline void check() {
  expect(finish(both, Counted()) == kText + "second " + kText, "the result is wrong");
}

} // namespace branches
