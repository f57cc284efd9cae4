// What Perdure makes of each element of BPMN itself, in one table.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "definition/node_kind.h"
#include "definition/report.h"
#include "xml/xml.h"

namespace perdure::bpmn {

enum class ElementRole {
  node,          ///< a node whose kind the element's name tells
  flow,          ///< a sequence flow
  association,   ///< joins an event for compensation with what undoes; else says nothing
  documentation, ///< says nothing that is executed
  data,          ///< names variables, and gives what they begin with
  checked,       ///< taken at activities and events, else harmless only when it says nothing
  detail,        ///< read together with the node that it belongs to
  refused,       ///< executable, but not supported
};

struct ElementRule {
  std::string_view name;
  ElementRole role = ElementRole::refused;
  std::optional<definition::NodeKind> kind; ///< for role node
  std::string_view advice;                  ///< for role refused: what to do
};

/// The rule of a BPMN element by its local name; one that nobody knows is refused.
[[nodiscard]] const ElementRule& rule_of(std::string_view name);

/// Every rule, in the order of the table.
[[nodiscard]] std::span<const ElementRule> element_rules();

/// The event definitions inside an event, by reference or by value, as text for a message: "" or
/// " with messageEventDefinition".
[[nodiscard]] std::string describe_definitions(const xml::Element& event);

/// Whether a `checked` element says something that would have to be executed.
[[nodiscard]] bool carries_semantics(const xml::Element& element);

/// Reports `unsupported_element` at the element's own place.
void refuse_element(const xml::Element& element, std::string_view id, definition::Report& report);

} // namespace perdure::bpmn
