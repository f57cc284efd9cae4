// What a business rule task says about the decision that it calls: zeebe:calledDecision of Camunda
// 8 or the attribute camunda:decisionRef of Camunda 7.
#pragma once

#include <optional>
#include <string_view>

#include "definition/definition.h"
#include "definition/report.h"
#include "xml/xml.h"

namespace perdure::bpmn {

/// Whether the task says that it calls a decision.
[[nodiscard]] bool names_decision(const xml::Element& task);

/// The decision of a task that names one. Nothing, and reported, when it is not said in full.
[[nodiscard]] std::optional<definition::DecisionSpec> read_decision(const xml::Element& task,
                                                                    std::string_view id,
                                                                    definition::Report& report);

} // namespace perdure::bpmn
