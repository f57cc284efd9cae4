// An await in the initializer of an if.
#include "pattern.h"

namespace if_with_initializer {

using namespace coroutine_check;

inline Task<std::string> paid(Flow&) {
  if (const auto payment = co_await later(Counted()); !payment.text.empty()) {
    co_return payment.text;
  }
  co_return "none";
}

inline void check() { expect(finish(paid) == kText, "the result is wrong"); }

} // namespace if_with_initializer
