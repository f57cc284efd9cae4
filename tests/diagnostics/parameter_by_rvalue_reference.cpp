// The same with a reference to what is moved in.
// error: A coroutine that returns perdure::Task takes a parameter by reference.
#include "perdure/flow.h"

namespace {

[[maybe_unused]] perdure::Task<std::size_t> pack(perdure::Flow&, std::string&& order) {
  co_return order.size();
}

} // namespace
