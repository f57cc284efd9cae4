// A run is started with an input that has no form in JSON.
// error: Perdure does not know how to store this type: describe it with Boost.Describe
#include "perdure/flow.h"

namespace {

struct Order {
  std::string id;
};
[[maybe_unused]] void start(perdure::Engine& engine) { (void)engine.start("order", Order{"o-17"}); }

} // namespace
