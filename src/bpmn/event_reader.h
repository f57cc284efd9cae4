// What events throw and catch, and the messages, signals, errors and escalations of a file that
// they refer to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "definition/definition.h"
#include "definition/report.h"
#include "xml/xml.h"

namespace perdure::bpmn {

/// Root elements of a file by their ids.
class References {
public:
  References() = default;
  explicit References(const xml::Element& root);

  /// The element of that id and name ("message"); nullptr when the file has none.
  [[nodiscard]] const xml::Element* find(std::string_view id, std::string_view name) const;
  /// The event definition of that id, which may be qualified; nullptr when the file has none.
  [[nodiscard]] const xml::Element* find_definition(std::string_view id) const;

private:
  std::unordered_map<std::string_view, const xml::Element*> by_id_;
};

/// Whether the element is an event definition, by value or by reference.
[[nodiscard]] bool is_event_definition(const xml::Element& element);

/// Reads what an event of that kind throws or catches into `node`. False, and reported, when
/// something is missing or wrong.
bool read_events(const xml::Element& event, const References& references, definition::Node& node,
                 definition::Report& report);

/// The same for the message of a send or receive task. Without messageRef there is none.
bool read_message_of_task(const xml::Element& task, const References& references,
                          definition::Node& node, definition::Report& report);

/// What a multi-instance throws by that event definition. Nothing, and reported, when it is wrong
/// or none that an activity can throw.
[[nodiscard]] std::optional<definition::EventSpec> read_thrown(const xml::Element& definition,
                                                               const References& references,
                                                               std::string_view id,
                                                               definition::Report& report);

} // namespace perdure::bpmn
