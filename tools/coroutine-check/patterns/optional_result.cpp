// A step that gives an optional.
#include "pattern.h"

namespace optional_result {

using namespace coroutine_check;

inline Task<std::string> find(Flow& flow, bool there) {
  const auto found = co_await flow.run(
      "find", [there, order = Counted()] { return there ? std::optional(order) : std::nullopt; });
  co_return found ? found->text : "none";
}

inline void check() {
  expect(finish(find, true) == kText, "the value is wrong");
  expect(finish(find, false) == "none", "the missing value is wrong");
}

} // namespace optional_result
