// What a task or timer event says about its work, in whichever vocabulary it says it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "definition/definition.h"
#include "definition/report.h"
#include "xml/xml.h"

namespace perdure::bpmn {

/// The worker of a service task: zeebe:taskDefinition, camunda:topic or perdure:type.
/// `default_priority` is the process's camunda:taskPriority. Nothing, and reported, when it names
/// none or two that differ.
[[nodiscard]] std::optional<definition::WorkerSpec> read_worker(
    const xml::Element& task, std::string_view id, const definition::Template& default_priority,
    definition::Report& report);

/// A number of attempts, as a number or an expression; what is neither is reported.
[[nodiscard]] definition::Template read_retries(std::string_view text,
                                                definition::SourcePlace place, std::string_view id,
                                                definition::Report& report);
/// What zeebe:taskHeaders says goes to the worker.
void add_headers(const xml::Element& headers, definition::WorkerSpec& spec);

/// Whether the element says which worker does it.
[[nodiscard]] bool names_worker(const xml::Element& task);

/// People, dates and form of a user task.
[[nodiscard]] definition::UserTaskSpec read_user_task(const xml::Element& task, std::string_view id,
                                                      definition::Report& report);

/// The expression of a script task: zeebe:script, or a FEEL or JUEL script with
/// camunda:resultVariable.
[[nodiscard]] std::optional<definition::ScriptSpec> read_script(const xml::Element& task,
                                                                std::string_view id,
                                                                definition::Report& report);

/// The time of a timer event definition: timeDuration, timeDate or, where the event can come again,
/// timeCycle.
[[nodiscard]] std::optional<definition::TimerSpec> read_timer(const xml::Element& timer,
                                                              std::string_view id, bool may_recur,
                                                              definition::Report& report);

/// A whole number or an expression; else `bad_priority` is reported.
[[nodiscard]] definition::Template read_priority(std::string_view text, const char* what,
                                                 definition::SourcePlace place, std::string_view id,
                                                 definition::Report& report);

} // namespace perdure::bpmn
