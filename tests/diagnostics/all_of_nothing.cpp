// Branches are waited for of which there are none.
// error: There is nothing to wait for.
#include "perdure/flow.h"

namespace {

[[maybe_unused]] perdure::Task<void> fulfil(perdure::Flow& flow) { co_await flow.all(); }

} // namespace
