// The closed set of things a token can meet. Adding one here makes the compiler name every place
// that must learn it (CONTRIBUTING.md, "how to add an element").
#pragma once

#include <array>
#include <string_view>

namespace perdure::definition {

/// What an event throws or catches stands in Node::events; none there is a none event.
enum class NodeKind {
  start_event,         ///< begins a process or sub-process (BPMN 10.5.2)
  end_event,           ///< ends its token (10.5.3)
  catch_event,         ///< intermediate catch event (10.5.4)
  throw_event,         ///< intermediate throw event (10.5.4)
  boundary_event,      ///< attached to an activity (10.5.4)
  service_task,        ///< work of a worker (10.3.3)
  send_task,           ///< sends a message, or lets a worker do it
  receive_task,        ///< waits for a message
  user_task,           ///< work of a person
  manual_task,         ///< done outside any engine: passes at once
  script_task,         ///< an expression whose result becomes a variable
  business_rule_task,  ///< a decision
  undefined_task,      ///< abstract task: passes at once
  exclusive_gateway,   ///< 10.6.2
  inclusive_gateway,   ///< 10.6.3
  parallel_gateway,    ///< 10.6.4
  complex_gateway,     ///< starts by a condition of its own (10.6.5)
  event_based_gateway, ///< the first event that comes decides (10.6.6)
  call_activity,       ///< calls another process and waits for its end (10.3.6)
  sub_process,         ///< embedded sub-process (10.3.5)
  transaction,         ///< that can be cancelled as a whole (10.3.5)
  ad_hoc_sub_process,  ///< whose activities begin when they are chosen (10.3.5)
  event_sub_process,   ///< begun by an event of the scope around it
  process,             ///< before its first and after its last element, when it has listeners
};

constexpr auto enum_names(NodeKind) {
  return std::array<std::string_view, 24>{"startEvent",
                                          "endEvent",
                                          "intermediateCatchEvent",
                                          "intermediateThrowEvent",
                                          "boundaryEvent",
                                          "serviceTask",
                                          "sendTask",
                                          "receiveTask",
                                          "userTask",
                                          "manualTask",
                                          "scriptTask",
                                          "businessRuleTask",
                                          "task",
                                          "exclusiveGateway",
                                          "inclusiveGateway",
                                          "parallelGateway",
                                          "complexGateway",
                                          "eventBasedGateway",
                                          "callActivity",
                                          "subProcess",
                                          "transaction",
                                          "adHocSubProcess",
                                          "eventSubProcess",
                                          "process"};
}

/// Work, as opposed to events and gateways: it can be interrupted and carry boundary events.
constexpr bool is_activity(NodeKind kind) {
  switch (kind) {
    case NodeKind::service_task:
    case NodeKind::send_task:
    case NodeKind::receive_task:
    case NodeKind::user_task:
    case NodeKind::manual_task:
    case NodeKind::script_task:
    case NodeKind::business_rule_task:
    case NodeKind::undefined_task:
    case NodeKind::call_activity:
    case NodeKind::sub_process:
    case NodeKind::transaction:
    case NodeKind::ad_hoc_sub_process:
    case NodeKind::event_sub_process: return true;
    case NodeKind::start_event:
    case NodeKind::end_event:
    case NodeKind::catch_event:
    case NodeKind::throw_event:
    case NodeKind::boundary_event:
    case NodeKind::exclusive_gateway:
    case NodeKind::inclusive_gateway:
    case NodeKind::parallel_gateway:
    case NodeKind::complex_gateway:
    case NodeKind::event_based_gateway:
    case NodeKind::process: return false;
  }
  return false;
}

/// Chooses or gathers ways.
constexpr bool is_gateway(NodeKind kind) {
  return kind == NodeKind::exclusive_gateway || kind == NodeKind::inclusive_gateway ||
         kind == NodeKind::parallel_gateway || kind == NodeKind::complex_gateway ||
         kind == NodeKind::event_based_gateway;
}

/// Opens a scope of its own.
constexpr bool opens_scope(NodeKind kind) {
  return kind == NodeKind::sub_process || kind == NodeKind::transaction ||
         kind == NodeKind::ad_hoc_sub_process || kind == NodeKind::event_sub_process;
}

} // namespace perdure::definition
