// The entry: a BPMN 2.0 file, as modelling tools save it, becomes executable definitions or a list
// of what is wrong with it. Nothing that could be executed is skipped in silence.
#pragma once

#include <expected>
#include <string_view>
#include <vector>

#include "definition/definition.h"
#include "definition/diagnostic.h"

namespace perdure::bpmn {

struct Process {
  definition::DefinitionPtr definition;
};

struct Deployment {
  std::vector<Process> processes;                  ///< the executable ones, in document order
  std::vector<definition::Diagnostic> diagnostics; ///< warnings only
};

/// Reads a whole file. All or nothing: one bad executable process refuses the file. Diagnostics
/// come in document order, each with `file_name` (any text), capped at 100. Pure; safe on any
/// bytes.
[[nodiscard]] std::expected<Deployment, std::vector<definition::Diagnostic>> read(
    std::string_view document, std::string_view file_name);

} // namespace perdure::bpmn
