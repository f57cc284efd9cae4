// A program outside of the source tree that uses the engine alone: a model of one task, which fails
// once. Shows that exceptions and values cross the border of the library.
//   process DATABASE
// A file, or the URL of a PostgreSQL database, where the program has a schema of its own.
#include <perdure/engine.h>

#include <cstdio>
#include <exception>

namespace {

using namespace std::chrono_literals;

constexpr const char* kModel = R"(<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" id="shop"
             xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="shop">
  <process id="order" isExecutable="true" camunda:historyTimeToLive="P1D">
    <startEvent id="begin"/>
    <sequenceFlow id="f1" sourceRef="begin" targetRef="charge"/>
    <serviceTask id="charge" camunda:type="external" camunda:topic="charge"/>
    <sequenceFlow id="f2" sourceRef="charge" targetRef="end"/>
    <endEvent id="end"/>
  </process>
</definitions>
)";

int fail(const char* what, const perdure::Error& error) {
  std::fprintf(stderr, "%s: %s\n", what, error.message.c_str());
  return 1;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string place = argv[1];
  perdure::Engine engine{place.starts_with("postgres://")
                             ? perdure::postgres(place, {.schema = "consumer", .lease = 30s})
                             : perdure::sqlite(place)};
  engine.handle("charge", [](const perdure::Job& job) -> perdure::Value {
    if (job.attempt == 1) throw perdure::TaskFailed("Busy", "the provider is busy");
    return perdure::Object{{"receipt", "receipt-" + std::to_string(job.attempt)}};
  });
  if (const auto refused = engine.deploy("<definitions/>", "empty.bpmn")) {
    std::fprintf(stderr, "a model without a process was deployed\n");
    return 1;
  }
  const auto deployed = engine.deploy(kModel, "order.bpmn");
  if (!deployed) return fail("deploy", deployed.error());
  const auto id = engine.start("order", perdure::Object{{"amount", 120}});
  if (!id) return fail("start", id.error());
  const auto order = engine.wait(*id);
  if (!order) return fail("wait", order.error());
  const auto* receipt = order->variables.find("receipt");
  if (order->status != perdure::InstanceStatus::completed || receipt == nullptr) {
    std::fprintf(stderr, "the order did not complete\n");
    return 1;
  }
  std::printf("order done: %s\n", receipt->as<std::string>()->c_str());
  return 0;
}
