// A flow that does not take a perdure::Flow&.
// error: A flow is a function perdure::Task<Result> f(perdure::Flow& flow, Input input)
#include "perdure/flow.h"

namespace {

int fulfil(int order) { return order; }
[[maybe_unused]] void define(perdure::Engine& engine) { engine.define<fulfil>("order"); }

} // namespace
