// The same of a lambda.
// error: A coroutine that returns perdure::Task takes a parameter by reference.
#include "perdure/flow.h"

namespace {

[[maybe_unused]] auto pack() {
  return [](perdure::Flow&, const std::string& order) -> perdure::Task<std::size_t> {
    co_return order.size();
  };
}

} // namespace
