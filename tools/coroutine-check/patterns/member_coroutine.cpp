// A member function that is a coroutine.
#include "pattern.h"

namespace member_coroutine {

using namespace coroutine_check;

class Shop {
public:
  explicit Shop(Counted name) : name_(std::move(name)) {}
  Task<std::string> sell(Flow& flow, Counted order) {
    const auto sold = co_await flow.run("sell", [order] { return order.text; });
    co_return name_.text + sold;
  }

private:
  Counted name_;
};
inline Task<std::string> sell(Flow& flow, Counted order) {
  Shop shop(Counted("shop "));
  co_return co_await shop.sell(flow, std::move(order));
}

inline void check() {
  expect(finish(sell, Counted("order")) == "shop order", "the result is wrong");
}

} // namespace member_coroutine
