// What Perdure makes of the extensions of Camunda 8 (zeebe:), Camunda 7 (camunda:) and its own
// (perdure:). Anything that could change execution is either read or refused; nothing of it is
// skipped.
#pragma once

#include <string>
#include <string_view>

#include "definition/report.h"
#include "xml/xml.h"

namespace perdure::bpmn {

/// Where an extension stands; a rule names one or several.
enum Host : unsigned {
  kOnProcess = 1U << 0U,
  kOnStartEvent = 1U << 1U,
  kOnServiceTask = 1U << 2U,
  kOnUserTask = 1U << 3U,
  kOnScriptTask = 1U << 4U,
  kOnOtherNode = 1U << 5U,
  kOnFlow = 1U << 6U,
  kOnExpression = 1U << 7U, ///< a condition, a script, a time
  kOnThrowEvent = 1U << 8U, ///< intermediate throw events and end events
  kOnEventDefinition = 1U << 9U,
  kOnlyRuleTask = 1U << 10U,
  kOnLoop = 1U << 11U,    ///< a loop marker
  kOnGateway = 1U << 12U, ///< and event sub-processes: what has no data of its own
  kOnCallActivity = 1U << 13U,
  kOnAdHoc = 1U << 14U,
  kOnRuleTask = kOnServiceTask | kOnlyRuleTask, ///< may be a service task too
  kWithData = kOnStartEvent | kOnServiceTask | kOnUserTask | kOnScriptTask | kOnThrowEvent |
              kOnOtherNode | kOnCallActivity | kOnAdHoc,
  kOnNodes = kWithData | kOnGateway,
  kAnywhere = kOnProcess | kOnNodes | kOnFlow | kOnExpression | kOnEventDefinition | kOnLoop,
};

/// Reports every extension attribute and element of `element` that has no rule, is refused or is
/// left out. False when one of them is an error.
bool check_extensions(const xml::Element& element, Host host, std::string_view element_id,
                      definition::Report& report);

/// The extension element of that name; nullptr when there is none.
[[nodiscard]] const xml::Element* find_extension(const xml::Element& element,
                                                 xml::Vocabulary vocabulary, std::string_view name);

/// All rules as rows of a Markdown table, for docs/dialects.md.
[[nodiscard]] std::string extension_table();

} // namespace perdure::bpmn
