// A callback that is itself a coroutine with captures and steps of its own.
#include "pattern.h"

namespace nested_coroutine {

using namespace coroutine_check;

inline Task<std::string> ship(Flow& flow, Counted order) {
  co_return co_await flow.run("ship", [order](Flow& inner) -> Task<std::string> {
    const auto label = co_await inner.run("label", [order] { return order.text; });
    co_return co_await inner.run("send", [label, order] { return label + order.text; });
  });
}

inline void check() { expect(finish(ship, Counted()) == kText + kText, "the result is wrong"); }

} // namespace nested_coroutine
