// A loop of steps whose names carry the count.
#include "pattern.h"

namespace loop_of_steps {

using namespace coroutine_check;

inline Task<int> sum(Flow& flow, std::vector<int> numbers) {
  int total = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Counted each;
    total += co_await flow.run("add-" + std::to_string(i), [each, n = numbers[i]] { return n; });
  }
  co_return total;
}

inline void check() {
  expect(finish(sum, std::vector<int>{1, 2, 3, 4}) == 10, "the result is wrong");
}

} // namespace loop_of_steps
