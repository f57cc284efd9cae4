// The callback of a run takes the flow by value.
// error: The callback of a run takes nothing, a std::stop_token, or a perdure::Flow&.
#include "perdure/flow.h"

namespace {

[[maybe_unused]] perdure::Task<void> fulfil(perdure::Flow& flow) {
  co_await flow.run("twice", [](perdure::Flow) {});
}

} // namespace
