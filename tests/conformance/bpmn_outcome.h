// A clear outcome of reading a model: it deploys, or every reason why not is located and has a
// known code.
#pragma once

#include <string>

#include "base/enum_text.h"
#include "bpmn/read.h"
#include "definition/diagnostic_code.h"

namespace perdure::conformance {

/// Empty when each diagnostic is complete; otherwise what is missing.
inline std::string unclear_part(const std::vector<definition::Diagnostic>& diagnostics,
                                std::string_view file) {
  for (const auto& diagnostic : diagnostics) {
    const auto text = definition::to_text(diagnostic);
    if (!enum_from<definition::Code>(diagnostic.code)) return "unknown code: " + text;
    if (diagnostic.line <= 0 || diagnostic.column <= 0) return "not located: " + text;
    if (diagnostic.file != file) return "names no file: " + text;
    if (!diagnostic.message.ends_with('.')) return "no sentence: " + text;
  }
  return {};
}

/// Codes that say that the file is no XML at all.
inline bool is_xml_problem(const definition::Diagnostic& diagnostic) {
  const auto code = enum_from<definition::Code>(diagnostic.code);
  return !code || *code <= definition::Code::not_bpmn;
}

} // namespace perdure::conformance
