// Everything that a flow may do, in the way users write it.
// silent
#include <boost/describe.hpp>

#include "perdure/flow.h"

namespace shop {

using namespace std::chrono_literals;

struct Order {
  std::string id;
  int amount = 0;
};
BOOST_DESCRIBE_STRUCT(Order, (), (id, amount))
struct Payment {
  std::int64_t cents = 0;
  std::optional<std::string> card;
};
BOOST_DESCRIBE_STRUCT(Payment, (), (cents, card))
struct Everything {
  bool flag = false;
  double ratio = 0;
  std::map<std::string, Order> orders;
  std::map<int, std::string> names;
  std::variant<int, std::string, Order> either;
  std::vector<std::byte> bytes;
  std::chrono::sys_time<std::chrono::milliseconds> when;
  std::chrono::seconds span{};
  std::pair<int, std::string> pair;
  std::tuple<int, bool> tuple;
  std::array<int, 3> three{};
  perdure::Value free;
};
BOOST_DESCRIBE_STRUCT(Everything, (),
                      (flag, ratio, orders, names, either, bytes, when, span, pair, tuple, three,
                       free))

class Money {
public:
  explicit Money(std::int64_t cents = 0) : cents_(cents) {}
  friend perdure::Value to_value(const Money& money) { return perdure::Value(money.cents_); }
  friend void from_value(const perdure::Value& value, Money& money) {
    money.cents_ = perdure::decode<std::int64_t>(value);
  }

private:
  std::int64_t cents_;
};

int reserve(const Order& order) { return order.amount; }

perdure::Task<Money> pay(perdure::Flow& flow, Order order) {
  const auto paid =
      co_await flow.wait<Payment>("capture-" + order.id, "payment.received", {.timeout = 24h});
  co_return co_await flow.run("book", [paid] { return Money(paid.cents); }, {.max_attempts = 5});
}

class Clerk {
public:
  perdure::Task<int> pack(perdure::Flow& flow, Order order) const {
    co_return co_await flow.run("pack", [order, this] { return order.amount + boxes_; });
  }

private:
  int boxes_ = 1;
};

perdure::Task<Everything> fulfil(perdure::Flow& flow, Order order) {
  const auto hold = co_await flow.run("reserve", [&] { return reserve(order); });
  flow.compensate("release", [hold] { (void)hold; });
  co_await flow.sleep("payment-window", 1min);
  co_await flow.sleep("until", flow.now() + 1h);
  const auto money = co_await pay(flow, order);
  const auto nested =
      co_await flow.run("nested", [order](perdure::Flow& inner) -> perdure::Task<int> {
        co_return co_await inner.run("inside", [order](std::stop_token stop) {
          return stop.stop_requested() ? 0 : order.amount;
        });
      });
  auto late = co_await flow.wait<int>("late", "e", {.timeout = 1s}).outcome();
  if (late.timed_out()) flow.log("late");
  try {
    co_await flow.run("refuse", [] { throw perdure::NonRetryable("no funds", "Declined"); });
  } catch (const perdure::StepFailed& failed) {
    flow.set_attribute("reason", failed.name());
  }
  const auto [first, second, third] =
      co_await flow.all(flow.run("a", [] { return 1; }), pay(flow, order),
                        [&flow] { return flow.run("c", [] { return std::string("c"); }); });
  const auto any = co_await flow.any(flow.wait("cancelled", "order.cancelled"), pay(flow, order));
  std::vector<perdure::Task<Money>> tasks;
  tasks.push_back(pay(flow, order));
  const auto list = co_await flow.all(std::move(tasks));
  const auto child = co_await flow.call<Payment>("child", "process", order);
  const Clerk clerk;
  auto packing = clerk.pack(flow, order);
  co_await std::move(packing);
  if (flow.patched("next") && nested > 0) co_await flow.continue_as_new(order);
  Everything result;
  result.flag = any.index() == 0 && child.card.has_value() && list.size() == 1;
  result.names.emplace(first, third + flow.uuid());
  result.ratio = static_cast<double>(flow.random());
  (void)second;
  (void)money;
  co_return result;
}
perdure::Task<void> nothing(perdure::Flow&) { co_return; }

perdure::Result<void> use(perdure::Engine& engine) {
  engine.define<fulfil>("order");
  engine.define<nothing>("nothing", 2);
  const auto run = engine.start("order", Order{"o-17", 120}, {.id = "order-o-17"});
  if (!run) return perdure::Failure(run.error());
  if (auto sent = engine.send(*run, "payment.received", Payment{.cents = 3, .card = {}}, "m-1");
      !sent) {
    return sent;
  }
  const auto result = engine.result<Everything>(*run);
  if (!result) return perdure::fail(perdure::ErrorCode::not_found, result.error().message);
  if (result->flag && result.value().names.empty()) return {};
  return engine.cancel(*run, "enough");
}

} // namespace shop

int main() {
  perdure::Engine engine{perdure::sqlite("orders.db")};
  return shop::use(engine) ? 0 : 1;
}
