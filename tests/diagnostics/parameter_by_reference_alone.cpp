// The same without a flow.
// error: A coroutine that returns perdure::Task takes a parameter by reference.
#include "perdure/flow.h"

namespace {

[[maybe_unused]] perdure::Task<int> twice(int& number) { co_return 2 * number; }

} // namespace
