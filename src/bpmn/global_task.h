// Global tasks (BPMN 8.4.2, 10.3.6): tasks beside the processes of a file, which call activities
// name. Such a call activity is compiled as the task that it names, in its own place.
#pragma once

#include <string_view>

#include "bpmn/event_reader.h"
#include "definition/node_kind.h"
#include "definition/report.h"
#include "xml/xml.h"

namespace perdure::bpmn {

struct GlobalTask {
  const xml::Element* element = nullptr; ///< nullptr: the call activity names none
  definition::NodeKind kind = definition::NodeKind::undefined_task;
};

/// The global task that the call activity names by calledElement. What names a process in another
/// way calls a process.
[[nodiscard]] GlobalTask find_global_task(const xml::Element& call, const References& references);

/// Whether the call activity says nothing that only a called process could honour. Reported
/// otherwise.
bool check_call_of_task(const xml::Element& call, std::string_view id, definition::Report& report);

} // namespace perdure::bpmn
