// A step that fails is caught, and another one is taken instead.
#include "pattern.h"

namespace try_catch {

using namespace coroutine_check;

inline Task<std::string> charge(Flow& flow, Counted order) {
  std::string reason;
  try {
    co_await flow.run("charge", [order]() -> std::string { throw std::runtime_error(order.text); });
  } catch (const std::runtime_error& error) {
    reason = error.what();
  }
  co_return co_await flow.run("refuse", [reason] { return "refused: " + reason; });
}

inline void check() {
  expect(finish(charge, Counted()) == "refused: " + kText, "the result is wrong");
}

} // namespace try_catch
