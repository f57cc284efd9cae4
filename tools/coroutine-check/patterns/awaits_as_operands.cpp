// Awaits as operands, with temporaries on the left that live across the rest.
#include "pattern.h"

namespace awaits_as_operands {

using namespace coroutine_check;

inline Task<std::string> both(Flow& flow) {
  co_return Counted("begin ").text + co_await later(std::string("middle ")) +
      co_await flow.run("end", [end = Counted("end")] { return end.text; });
}

inline void check() { expect(finish(both) == "begin middle end", "the result is wrong"); }

} // namespace awaits_as_operands
