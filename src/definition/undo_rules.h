// The rules about undoing: compensation handlers, thrown compensation, transactions and cancel
// events (BPMN 10.5.5, 10.7, 10.3.5).
#pragma once

#include "definition/validate.h"

namespace perdure::definition {

/// Reports what is wrong with the node as a handler, as a boundary event for compensation or
/// cancellation, or as an event that throws one of them.
void check_undoing(const Graph& graph, const Node& node, Report& report);

} // namespace perdure::definition
