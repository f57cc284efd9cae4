// A callback that takes a flow and is no coroutine.
// error: A callback that takes a perdure::Flow& returns a perdure::Task.
#include "perdure/flow.h"

namespace {

[[maybe_unused]] perdure::Task<int> fulfil(perdure::Flow& flow) {
  co_return co_await flow.run("twice", [](perdure::Flow&) { return 2; });
}

} // namespace
