// An exception that passes several coroutines ends the objects of each once.
#include "pattern.h"

namespace exception_through_levels {

using namespace coroutine_check;

inline Task<std::string> inner(Flow& flow, Counted order) {
  const Counted local = order;
  co_return co_await flow.run("fail",
                              [order]() -> std::string { throw std::runtime_error(order.text); });
}
inline Task<std::string> middle(Flow& flow, Counted order) {
  const Counted local("middle");
  co_return local.text + co_await inner(flow, order);
}
inline Task<std::string> outer(Flow& flow, Counted order) {
  const Counted local("outer");
  co_return local.text + co_await middle(flow, std::move(order));
}

inline void check() {
  std::string seen;
  try {
    finish(outer, Counted());
  } catch (const std::runtime_error& error) {
    seen = error.what();
  }
  expect(seen == kText, "the exception is lost");
}

} // namespace exception_through_levels
