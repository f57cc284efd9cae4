// What is run is no function, but what it gave.
// error: The callback of a run takes nothing, a std::stop_token, or a perdure::Flow&.
#include "perdure/flow.h"

namespace {

int twice(int number) { return 2 * number; }
[[maybe_unused]] perdure::Task<int> fulfil(perdure::Flow& flow) {
  co_return co_await flow.run("twice", twice(2));
}

} // namespace
