// A lambda that is a coroutine with captures, kept and called twice.
#include "pattern.h"

namespace lambda_twice {

using namespace coroutine_check;

inline Task<std::string> twice(Flow& flow, Counted order) {
  const auto step = [&flow, order](std::string name) -> Task<std::string> {
    co_return co_await flow.run(name, [name, order] { return name + order.text; });
  };
  const auto first = co_await step("first ");
  co_return first + co_await step("second ");
}

inline void check() {
  expect(finish(twice, Counted("!")) == "first !second !", "the result is wrong");
}

} // namespace lambda_twice
