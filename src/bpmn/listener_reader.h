// Listeners of Camunda 8: zeebe:executionListeners and zeebe:taskListeners. Each names the type of
// the workers that do it; what Perdure has no moment for is refused.
#pragma once

#include <string_view>
#include <vector>

#include "definition/definition.h"
#include "definition/report.h"
#include "xml/xml.h"

namespace perdure::bpmn {

/// Whether it is one of the two lists of listeners.
[[nodiscard]] bool is_listener_list(const xml::Element& element);

/// Those of the element, by phase. Faults are reported.
[[nodiscard]] std::vector<definition::ListenerSpec> read_listeners(const xml::Element& element,
                                                                   std::string_view id,
                                                                   definition::Report& report);

} // namespace perdure::bpmn
