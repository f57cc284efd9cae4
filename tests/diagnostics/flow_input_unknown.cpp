// A flow whose input has no form in JSON.
// error: Perdure does not know how to read this type: describe it with Boost.Describe
#include "perdure/flow.h"

namespace {

struct Order {
  std::string id;
};
perdure::Task<void> fulfil(perdure::Flow&, Order) { co_return; }
[[maybe_unused]] void define(perdure::Engine& engine) { engine.define<fulfil>("order"); }

} // namespace
