#include "definition/diagnostic.h"

namespace perdure::definition {

std::string to_text(const Diagnostic& diagnostic) {
  std::string text = diagnostic.file.empty() ? "model" : diagnostic.file;
  if (diagnostic.line > 0) {
    text += ':' + std::to_string(diagnostic.line);
    if (diagnostic.column > 0) text += ':' + std::to_string(diagnostic.column);
  }
  text += diagnostic.severity == Severity::error ? ": error " : ": warning ";
  text += diagnostic.code;
  if (!diagnostic.element_id.empty()) text += " [" + diagnostic.element_id + ']';
  return text + ": " + diagnostic.message;
}

} // namespace perdure::definition
