// A lambda whose capture has one owner only.
#include "pattern.h"

namespace move_only_capture {

using namespace coroutine_check;

inline Task<std::string> charge(Flow& flow) {
  auto order = std::make_unique<Counted>();
  co_return co_await flow.run("charge", [order = std::move(order)] { return order->text; });
}

inline void check() { expect(finish(charge) == kText, "the result is wrong"); }

} // namespace move_only_capture
