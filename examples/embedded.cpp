// Perdure inside a program: one database for the state, two functions as workers. Kill it at any
// time and start it again: what was begun goes on.
//
//   embedded orders.db order-fulfilment.bpmn
//   embedded postgres://USER@HOST/NAME order-fulfilment.bpmn
#include <cstdio>

#include "perdure/engine.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: embedded DATABASE MODEL\n");
    return 2;
  }
  perdure::Engine engine{perdure::database(argv[1])};
  engine.handle("charge-payment", [](const perdure::Job& job) -> perdure::Value {
    if (job.attempt == 1) throw perdure::TaskFailed("Busy", "the provider is busy");
    return perdure::Object{{"receipt", "receipt-1"}};
  });
  for (const char* type : {"reserve-inventory", "pack-order", "send-confirmation", "ship-order"}) {
    engine.handle(type, [](const perdure::Job&) -> perdure::Value { return nullptr; });
  }

  if (const auto deployed = engine.deploy_file(argv[2]); !deployed) {
    std::fprintf(stderr, "%s\n", deployed.error().message.c_str());
    return 1;
  }
  const auto id = engine.start("order-fulfilment", perdure::Object{{"amount", 120}},
                               {.business_key = {}, .idempotency_key = "order-1"});
  if (!id) {
    std::fprintf(stderr, "%s\n", id.error().message.c_str());
    return 1;
  }
  const auto order = engine.wait(*id);
  if (!order || order->status != perdure::InstanceStatus::completed) return 1;
  const auto* receipt = order->variables.find("receipt")->as<std::string>();
  std::printf("order done: %s\n", receipt->c_str());
  return 0;
}
