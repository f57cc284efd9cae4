// A coroutine of a flow that takes a parameter by reference.
// error: A coroutine that returns perdure::Task takes a parameter by reference.
#include "perdure/flow.h"

namespace {

[[maybe_unused]] perdure::Task<std::size_t> pack(perdure::Flow&, const std::string& order) {
  co_return order.size();
}

} // namespace
