// Temporaries end at the end of their expression, the last first; variables after.
#include "pattern.h"

namespace order_of_destruction {

using namespace coroutine_check;

inline Task<void> order(Flow&) {
  const Counted one("variable 1");
  const Counted two("variable 2");
  Counted::ended.clear();
  (void)(Counted("temporary 1").text.size() + co_await later(std::size_t{1}) +
         Counted("temporary 2").text.size());
  Counted::ended.emplace_back("end of expression");
}

inline void check() {
  finish(order);
  const std::vector<std::string> right{"temporary 2", "temporary 1", "end of expression",
                                       "variable 2", "variable 1"};
  expect(Counted::ended == right, "the order is wrong");
}

} // namespace order_of_destruction
