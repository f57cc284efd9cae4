// A callback whose result is a pointer to a text, which would not outlive it.
// error: Perdure does not know how to read this type
#include "perdure/flow.h"

namespace {

[[maybe_unused]] perdure::Task<void> fulfil(perdure::Flow& flow) {
  co_await flow.run("name", [] { return "a name"; });
}

} // namespace
