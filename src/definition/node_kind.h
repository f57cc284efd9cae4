// The closed set of things a token can meet. Adding one here makes the compiler name every place
// that must learn it (CONTRIBUTING.md, "how to add an element").
#pragma once

#include <array>
#include <string_view>

namespace perdure::definition {

enum class NodeKind {
  start_event,       ///< none start event (BPMN 10.5.2)
  end_event,         ///< none end event (10.5.3)
  terminate_end,     ///< terminate end event (10.5.3)
  service_task,      ///< work of a worker (10.3.3)
  user_task,         ///< work of a person
  manual_task,       ///< done outside any engine: passes at once
  script_task,       ///< an expression whose result becomes a variable
  undefined_task,    ///< abstract task: passes at once
  exclusive_gateway, ///< 10.6.2
  parallel_gateway,  ///< 10.6.4
  sub_process,       ///< embedded sub-process (10.3.5)
  timer_catch,       ///< intermediate timer catch event (10.5.4)
};

constexpr auto enum_names(NodeKind) {
  return std::array<std::string_view, 12>{
      "startEvent",       "endEvent",        "terminateEndEvent", "serviceTask",
      "userTask",         "manualTask",      "scriptTask",        "task",
      "exclusiveGateway", "parallelGateway", "subProcess",        "intermediateTimerCatchEvent"};
}

} // namespace perdure::definition
