// A coroutine that is destroyed while it rests ends its variables and temporaries.
#include "pattern.h"

namespace destroyed_while_resting {

using namespace coroutine_check;

inline Task<std::string> charge(Flow& flow, Counted order) {
  const Counted local;
  co_return Counted("temporary").text +
      co_await flow.run("charge", [order] { return order.text; }, {.note = local});
}

inline void check() {
  Flow flow;
  {
    const auto task = charge(flow, Counted());
    task.begin();
    expect(resting.size() == 1 && Counted::live > 3, "it does not rest");
  }
  resting.clear();
  expect(Counted::live == 0, "an object outlives its coroutine");
}

} // namespace destroyed_while_resting
