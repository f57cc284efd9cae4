// A coroutine that gives a value of one owner only.
#include "pattern.h"

namespace move_only_result {

using namespace coroutine_check;

inline Task<std::unique_ptr<Counted>> make(Flow&) {
  auto made = std::make_unique<Counted>();
  co_await later(1);
  co_return made;
}
inline Task<std::string> use(Flow& flow) {
  const auto made = co_await make(flow);
  co_return made->text + (co_await make(flow))->text;
}

inline void check() { expect(finish(use) == kText + kText, "the result is wrong"); }

} // namespace move_only_result
