// A flow whose input is a reference.
// error: A coroutine that returns perdure::Task takes a parameter by reference.
#include "perdure/flow.h"

namespace {

perdure::Task<std::size_t> fulfil(perdure::Flow&, const std::string& order) {
  co_return order.size();
}
[[maybe_unused]] void define(perdure::Engine& engine) { engine.define<fulfil>("order"); }

} // namespace
