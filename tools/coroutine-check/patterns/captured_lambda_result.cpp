// The same, whose result goes into a variable that is there already.
#include "pattern.h"

namespace captured_lambda_result {

using namespace coroutine_check;

inline Task<std::string> charge(Flow& flow) {
  const Counted order;
  std::string result = "none";
  result = co_await flow.run("charge", [order] { return order.text; });
  co_return result;
}

inline void check() { expect(finish(charge) == kText, "the result is wrong"); }

} // namespace captured_lambda_result
