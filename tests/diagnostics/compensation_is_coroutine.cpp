// What undoes something is a coroutine, which nobody would wait for.
// error: What undoes something takes nothing, and is no coroutine.
#include "perdure/flow.h"

namespace {

[[maybe_unused]] perdure::Task<void> fulfil(perdure::Flow& flow) {
  flow.compensate("refund", []() -> perdure::Task<void> { co_return; });
  co_return;
}

} // namespace
