// An awaitable that is an aggregate, made in the expression that awaits it.
#include "pattern.h"

namespace aggregate_awaitable {

using namespace coroutine_check;

inline Task<std::string> pay(Flow&) {
  const auto paid = co_await Later<Counted>{Counted()};
  co_return paid.text;
}

inline void check() { expect(finish(pay) == kText, "the result is wrong"); }

} // namespace aggregate_awaitable
