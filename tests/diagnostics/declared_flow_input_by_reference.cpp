// A flow whose input is a reference, and whose body is elsewhere.
// error: A flow takes its input by value: it goes on long after its caller is gone.
#include "perdure/flow.h"

namespace {

struct Shop {
  static perdure::Task<int> fulfil(perdure::Flow& flow, const std::string& order);
};
[[maybe_unused]] void define(perdure::Engine& engine) { engine.define<Shop::fulfil>("order"); }

} // namespace
