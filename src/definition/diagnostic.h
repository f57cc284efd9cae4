// What is wrong with a model: place, element, stable code, and a sentence that says what to do.
#pragma once

#include <string>
#include <vector>

namespace perdure::definition {

enum class Severity { error, warning };

struct Diagnostic {
  std::string code;       ///< stable, e.g. "unsupported_element"; listed in docs/diagnostics.md
  std::string message;    ///< one sentence: what is wrong and what to do
  std::string element_id; ///< empty when the element has none
  int line = 0;           ///< 1-based; 0 when unknown
  int column = 0;         ///< 1-based; 0 when unknown
  std::string file;       ///< as the caller named the source
  Severity severity = Severity::error;
};

/// "order.bpmn:12:5: error unsupported_element [Task_1]: ..."
[[nodiscard]] std::string to_text(const Diagnostic& diagnostic);

} // namespace perdure::definition
