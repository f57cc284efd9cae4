// Every code a diagnostic can carry. The codes are stable: programs and documentation name them, so
// one is never renamed. docs/diagnostics.md explains each; a test keeps the two in step.
#pragma once

#include <array>
#include <string_view>

namespace perdure::definition {

enum class Code {
  // The file as XML.
  empty_file,
  file_too_large,
  bad_xml,
  bad_encoding,
  doctype_refused,
  xml_too_deep,
  too_many_elements,
  too_many_attributes,
  // The document as BPMN.
  not_bpmn,
  no_executable_process,
  duplicate_process_id,
  missing_id,
  id_too_long,
  // Elements and extensions.
  unsupported_element,
  unsupported_attribute,
  unsupported_extension,
  ignored_extension,
  unknown_attachment,
  // What a node says about its work.
  missing_worker_type,
  ambiguous_worker_type,
  missing_script,
  missing_timer,
  bad_timer,
  bad_date,
  bad_retries,
  bad_priority,
  bad_expression,
  unsupported_language,
  // The graph.
  process_too_large,
  duplicate_id,
  missing_flow_end,
  unknown_flow_end,
  flow_crosses_scope,
  flow_into_start_event,
  flow_out_of_end_event,
  default_not_allowed,
  unknown_default_flow,
  condition_on_default_flow,
  condition_not_allowed,
  missing_condition,
  no_start,
  several_start_events,
  unreachable_node,
  // About the list itself.
  more_diagnostics,
};

constexpr auto enum_names(Code) {
  return std::to_array<std::string_view>({
      "empty_file",
      "file_too_large",
      "bad_xml",
      "bad_encoding",
      "doctype_refused",
      "xml_too_deep",
      "too_many_elements",
      "too_many_attributes",
      "not_bpmn",
      "no_executable_process",
      "duplicate_process_id",
      "missing_id",
      "id_too_long",
      "unsupported_element",
      "unsupported_attribute",
      "unsupported_extension",
      "ignored_extension",
      "unknown_attachment",
      "missing_worker_type",
      "ambiguous_worker_type",
      "missing_script",
      "missing_timer",
      "bad_timer",
      "bad_date",
      "bad_retries",
      "bad_priority",
      "bad_expression",
      "unsupported_language",
      "process_too_large",
      "duplicate_id",
      "missing_flow_end",
      "unknown_flow_end",
      "flow_crosses_scope",
      "flow_into_start_event",
      "flow_out_of_end_event",
      "default_not_allowed",
      "unknown_default_flow",
      "condition_on_default_flow",
      "condition_not_allowed",
      "missing_condition",
      "no_start",
      "several_start_events",
      "unreachable_node",
      "more_diagnostics",
  });
}

} // namespace perdure::definition
