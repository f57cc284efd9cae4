// A step that gives a variant, visited with a coroutine that awaits.
#include "pattern.h"

namespace variant_result {

using namespace coroutine_check;

using Either = std::variant<int, Counted>;
inline Task<std::string> tell(Flow& flow, Either either) {
  const auto given = co_await flow.run("give", [either] { return either; });
  if (const auto* number = std::get_if<int>(&given)) co_return std::to_string(*number);
  co_return co_await flow.run("text", [text = std::get<Counted>(given)] { return text.text; });
}

inline void check() {
  expect(finish(tell, Either(7)) == "7", "the number is wrong");
  expect(finish(tell, Either(Counted())) == kText, "the text is wrong");
}

} // namespace variant_result
