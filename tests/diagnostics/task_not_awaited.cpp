// A coroutine that is called and not awaited.
// warns: a task does nothing until it is awaited: co_await it
#include "perdure/flow.h"

namespace {

perdure::Task<void> pack(perdure::Flow& flow) {
  co_await flow.run("pack", [] {});
}
[[maybe_unused]] perdure::Task<void> fulfil(perdure::Flow& flow) {
  pack(flow);
  co_return;
}

} // namespace
