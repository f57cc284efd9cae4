// The callback of a run takes what nobody gives it.
// error: The callback of a run takes nothing, a std::stop_token, or a perdure::Flow&.
#include "perdure/flow.h"

namespace {

[[maybe_unused]] perdure::Task<int> fulfil(perdure::Flow& flow) {
  co_return co_await flow.run("twice", [](int number) { return 2 * number; });
}

} // namespace
