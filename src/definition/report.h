// Report: gathers diagnostics while a model is read and checked, and hands them over in document
// order.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "definition/definition.h"
#include "definition/diagnostic.h"
#include "definition/diagnostic_code.h"

namespace perdure::definition {

/// `text` for a message: in back quotes, shortened between characters when long.
[[nodiscard]] std::string in_quotes(std::string_view text);

class Report {
public:
  /// Longer lists help nobody: the rest is counted in one last `more_diagnostics`.
  static constexpr std::size_t kMaxDiagnostics = 100;

  void error(Code code, SourcePlace place, std::string_view element_id, std::string message);
  void warning(Code code, SourcePlace place, std::string_view element_id, std::string message);
  /// Takes over what another report or a builder has found.
  void add(std::vector<Diagnostic> diagnostics);

  [[nodiscard]] bool has_errors() const { return has_errors_; }
  /// In document order, at most kMaxDiagnostics, each naming `file`. The report is used up.
  [[nodiscard]] std::vector<Diagnostic> take(std::string_view file) &&;

private:
  void push(Diagnostic diagnostic);

  std::vector<Diagnostic> diagnostics_;
  std::size_t left_out_ = 0;
  bool has_errors_ = false;
};

} // namespace perdure::definition
