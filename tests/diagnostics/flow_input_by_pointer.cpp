// A flow whose input is a pointer.
// error: A flow takes its input by value: it goes on long after its caller is gone.
#include "perdure/flow.h"

namespace {

perdure::Task<int> fulfil(perdure::Flow&, const int* order) { co_return *order; }
[[maybe_unused]] void define(perdure::Engine& engine) { engine.define<fulfil>("order"); }

} // namespace
