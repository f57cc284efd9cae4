// Parameters by value are moved into the coroutine and destroyed once.
#include "pattern.h"

namespace parameters_by_value {

using namespace coroutine_check;

inline Task<std::string> join(Flow& flow, Counted order, std::unique_ptr<Counted> note,
                              std::vector<Counted> list) {
  const auto text = co_await flow.run("join", [order] { return order.text; });
  co_return text + note->text + list.at(1).text;
}

inline void check() {
  auto joined = finish(join, Counted("order "), std::make_unique<Counted>("note "),
                       std::vector<Counted>{"a", "b"});
  expect(joined == "order note b", "the result is wrong");
}

} // namespace parameters_by_value
