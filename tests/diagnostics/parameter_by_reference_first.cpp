// The same before the flow, where the object of a member function would be.
// error: A coroutine that returns perdure::Task takes a parameter by reference.
#include "perdure/flow.h"

namespace {

[[maybe_unused]] perdure::Task<std::size_t> pack(const std::string& order, perdure::Flow&) {
  co_return order.size();
}

} // namespace
