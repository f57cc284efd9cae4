// A step that is asked for and not awaited.
// warns: a step is taken when it is awaited: co_await it
#include "perdure/flow.h"

namespace {

[[maybe_unused]] perdure::Task<void> fulfil(perdure::Flow& flow) {
  flow.sleep("nap", std::chrono::seconds(1));
  co_return;
}

} // namespace
