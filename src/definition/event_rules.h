// Which events BPMN allows where (BPMN 10.5.6, table 10.93), and what they need.
#pragma once

#include "definition/report.h"
#include "definition/validate.h"

namespace perdure::definition {

/// Reports what is wrong with the event definitions of a node, with an event-based gateway and with
/// the flows at an event sub-process.
void check_events(const Graph& graph, const Node& node, Report& report);

} // namespace perdure::definition
