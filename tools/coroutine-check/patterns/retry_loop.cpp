// A loop of try and catch around a step until it succeeds.
#include "pattern.h"

namespace retry_loop {

using namespace coroutine_check;

inline Task<int> insist(Flow& flow) {
  int failures = 0;
  for (;;) {
    const Counted each;
    try {
      co_return co_await flow.run("try", [each, failures] {
        if (failures < 3) throw std::runtime_error(each.text);
        return failures;
      });
    } catch (const std::exception&) {
      ++failures;
    }
  }
}

inline void check() { expect(finish(insist) == 3, "the result is wrong"); }

} // namespace retry_loop
