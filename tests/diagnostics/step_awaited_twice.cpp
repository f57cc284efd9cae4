// A step that is kept in a variable and awaited as if it could be awaited again.
// error: is awaited once
#include "perdure/flow.h"

namespace {

[[maybe_unused]] perdure::Task<void> fulfil(perdure::Flow& flow) {
  auto nap = flow.sleep("nap", std::chrono::seconds(1));
  co_await nap;
}

} // namespace
