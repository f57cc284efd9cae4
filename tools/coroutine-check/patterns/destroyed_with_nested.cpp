// The same with coroutines inside coroutines, and branches.
#include "pattern.h"

namespace destroyed_with_nested {

using namespace coroutine_check;

inline Task<std::string> inner(Flow& flow, Counted order) {
  co_return co_await flow.run("inner", [order](Flow& nested) -> Task<std::string> {
    const Counted local = order;
    co_return co_await nested.run("rest", [order] { return order.text; });
  });
}
inline Task<std::string> outer(Flow& flow, Counted order) {
  const auto both = co_await flow.all([&flow, order] { return inner(flow, order); },
                                      [&flow, order] { return inner(flow, order); });
  co_return both.first;
}

inline void check() {
  Flow flow;
  {
    const auto task = outer(flow, Counted());
    task.begin();
    expect(resting.size() == 2 && Counted::live > 6, "it does not rest");
  }
  resting.clear();
  expect(Counted::live == 0, "an object outlives its coroutine");
}

} // namespace destroyed_with_nested
