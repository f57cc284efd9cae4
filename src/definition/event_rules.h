// Which events BPMN allows where (BPMN 10.5.6, table 10.93), and what they need.
#pragma once

#include <string_view>

#include "definition/report.h"
#include "definition/validate.h"

namespace perdure::definition {

/// Where an event stands, as far as the rules tell places apart.
enum class EventPlace {
  process_start,
  event_sub_process_start,
  non_interrupting_start,
  catching,
  boundary,
  non_interrupting_boundary,
  throwing,
  end,
};

/// Whether an event of that kind may stand there.
[[nodiscard]] bool is_allowed(EventPlace place, EventKind kind);
/// Whether BPMN gives `cancelActivity` and `isInterrupting` a meaning for the event: an error
/// always interrupts, and what is undone has ended (10.5.4, 10.5.2).
[[nodiscard]] bool may_interrupt_or_not(EventKind kind);
/// "boundary event", for messages.
[[nodiscard]] std::string_view name_of_place(EventPlace place);

/// Reports what is wrong with the event definitions of a node, with an event-based gateway and with
/// the flows at an event sub-process.
void check_events(const Graph& graph, const Node& node, Report& report);

} // namespace perdure::definition
