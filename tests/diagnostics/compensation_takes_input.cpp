// What undoes something takes what nobody gives it.
// error: What undoes something takes nothing, and is no coroutine.
#include "perdure/flow.h"

namespace {

[[maybe_unused]] perdure::Task<void> fulfil(perdure::Flow& flow) {
  flow.compensate("refund", [](int amount) { (void)amount; });
  co_return;
}

} // namespace
