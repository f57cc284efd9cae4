// The conditional operator between two awaits.
#include "pattern.h"

namespace conditional_of_awaits {

using namespace coroutine_check;

inline Task<std::string> choose(Flow& flow, bool fast) {
  const Counted order;
  const auto chosen = fast ? co_await flow.run("fast", [order] { return order.text + "fast"; })
                           : co_await flow.run("slow", [order] { return order.text + "slow"; });
  co_return chosen;
}

inline void check() {
  expect(finish(choose, true) == kText + "fast", "the first result is wrong");
  expect(finish(choose, false) == kText + "slow", "the second result is wrong");
}

} // namespace conditional_of_awaits
