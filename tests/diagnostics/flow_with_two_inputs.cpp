// A flow that takes more than one input.
// error: A flow is a function perdure::Task<Result> f(perdure::Flow& flow, Input input)
#include "perdure/flow.h"

namespace {

perdure::Task<int> fulfil(perdure::Flow&, int order, int amount) { co_return order + amount; }
[[maybe_unused]] void define(perdure::Engine& engine) { engine.define<fulfil>("order"); }

} // namespace
