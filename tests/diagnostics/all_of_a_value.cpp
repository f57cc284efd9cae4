// What is waited for side by side cannot be awaited.
// error: A branch is a step, a task, or a callable that returns a task.
#include "perdure/flow.h"

namespace {

[[maybe_unused]] perdure::Task<void> fulfil(perdure::Flow& flow) {
  co_await flow.all(flow.sleep("nap", std::chrono::seconds(1)), 7);
}

} // namespace
