// A flow whose result has no form in JSON.
// error: Perdure does not know how to store this type: describe it with Boost.Describe
#include "perdure/flow.h"

namespace {

struct Receipt {
  std::string id;
};
perdure::Task<Receipt> fulfil(perdure::Flow&) { co_return Receipt{}; }
[[maybe_unused]] void define(perdure::Engine& engine) { engine.define<fulfil>("order"); }

} // namespace
