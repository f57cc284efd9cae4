// A callback whose result has no form in JSON.
// error: Perdure does not know how to read this type: describe it with Boost.Describe
#include "perdure/flow.h"

namespace {

struct Hold {
  int place;
};
[[maybe_unused]] perdure::Task<void> fulfil(perdure::Flow& flow) {
  co_await flow.run("reserve", [] { return Hold{7}; });
}

} // namespace
