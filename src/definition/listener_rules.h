// Which listeners an element can have: those whose moment comes in a visit of a token.
#pragma once

#include <vector>

#include "definition/definition.h"
#include "definition/report.h"

namespace perdure::definition {

/// Adds a listener behind those of its phase.
void add_listener(std::vector<ListenerSpec>& listeners, ListenerSpec listener);

/// Reports the listeners that would never have their turn, or that nobody can wait for.
void check_listeners(const Node& node, Report& report);

} // namespace perdure::definition
