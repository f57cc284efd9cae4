// A callback that is a coroutine and takes no flow.
// error: A callback that returns a perdure::Task takes a perdure::Flow&
#include "perdure/flow.h"

namespace {

[[maybe_unused]] perdure::Task<int> fulfil(perdure::Flow& flow) {
  co_return co_await flow.run("twice", []() -> perdure::Task<int> { co_return 2; });
}

} // namespace
