// A range-based for over an awaited container, with steps in its body.
#include "pattern.h"

namespace range_of_await {

using namespace coroutine_check;

inline Task<std::string> join(Flow& flow) {
  std::string joined;
  for (const auto& item : co_await later(std::vector<Counted>{"a", "b", "c"})) {
    joined += co_await flow.run("item-" + item.text, [item] { return item.text; });
  }
  co_return joined;
}

inline void check() { expect(finish(join) == "abc", "the result is wrong"); }

} // namespace range_of_await
