#include "app/demo_workers.h"

#include <chrono>
#include <string>
#include <thread>

namespace perdure::app {

namespace {

constexpr int kLuckyAttempt = 3;

std::int64_t order_number(const engine::Job& job) {
  const auto* value = job.variables.find("number");
  const auto* number = value != nullptr ? value->as<std::int64_t>() : nullptr;
  return number != nullptr ? *number : 0;
}

/// Outside systems take their time; the same order always takes the same.
void work(const engine::Job& job, int base_ms) {
  std::this_thread::sleep_for(std::chrono::milliseconds(base_ms + 13 * order_number(job)));
}

engine::JobResult charge_payment(const engine::Job& job) {
  work(job, 60);
  if (order_number(job) == kUnluckyOrder && job.attempt < kLuckyAttempt) {
    return std::unexpected(engine::JobFailure{
        .error_name = "ProviderUnavailable",
        .message =
            "the payment provider did not answer (attempt " + std::to_string(job.attempt) + ")"});
  }
  return Value(Object{{"receipt", "receipt-" + std::to_string(order_number(job))}});
}

} // namespace

Value demo_order(int number) {
  static constexpr const char* kCustomers[] = {"Ada",  "Blaise", "Charles", "Dorothy", "Edsger",
                                               "Fran", "Grace",  "Hedy",    "Ivan",    "Joan"};
  return Object{{"number", number},
                {"order_id", "order-" + std::to_string(number)},
                {"customer", kCustomers[(number - 1) % 10]},
                {"amount", number * 240}};
}

void add_demo_workers(engine::Engine& engine) {
  engine.handle("reserve-inventory", [](const engine::Job& job) -> engine::JobResult {
    work(job, 40);
    return Value(Object{{"reserved", true}});
  });
  engine.handle("charge-payment", charge_payment);
  engine.handle("approve-order", [](const engine::Job& job) -> engine::JobResult {
    work(job, 120);
    return Value(Object{{"approved_by", "the demo"}});
  });
  engine.handle("pack-order", [](const engine::Job& job) -> engine::JobResult {
    work(job, 90);
    return Value(nullptr);
  });
  engine.handle("send-confirmation", [](const engine::Job& job) -> engine::JobResult {
    work(job, 30);
    return Value(nullptr);
  });
  engine.handle("ship-order", [](const engine::Job& job) -> engine::JobResult {
    work(job, 80);
    return Value(Object{{"tracking", "parcel-" + std::to_string(order_number(job))}});
  });
}

} // namespace perdure::app
