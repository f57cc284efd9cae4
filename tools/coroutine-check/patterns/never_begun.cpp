// A coroutine that is made and never awaited ends its parameters once.
#include "pattern.h"

namespace never_begun {

using namespace coroutine_check;

inline Task<std::string> charge(Flow& flow, Counted order, std::unique_ptr<Counted> note) {
  co_return note->text + co_await flow.run("charge", [order] { return order.text; });
}

inline void check() {
  Flow flow;
  {
    const auto task = charge(flow, Counted(), std::make_unique<Counted>());
    expect(Counted::live == 2, "a parameter is lost");
  }
  expect(Counted::live == 0, "a parameter outlives its coroutine");
}

} // namespace never_begun
