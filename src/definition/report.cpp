// Keeps far more than it hands over, so that sorting sees the whole of any sensible file, yet a
// hostile one cannot make it grow without end.
#include "definition/report.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/enum_text.h"

namespace perdure::definition {

namespace {

constexpr std::size_t kMaxKept = 10'000;
constexpr std::size_t kMaxQuoted = 200;

Diagnostic make(Code code, SourcePlace place, std::string_view element_id, std::string message,
                Severity severity) {
  return Diagnostic{.code = std::string(name_of(code)),
                    .message = std::move(message),
                    .element_id = std::string(element_id),
                    .line = place.line,
                    .column = place.column,
                    .file = {},
                    .severity = severity};
}

/// Those of one place keep the order in which they were found.
std::vector<Diagnostic> in_document_order(std::vector<Diagnostic> found) {
  std::vector<std::size_t> order(found.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t index) {
    return std::tuple(found[index].line, found[index].column, index);
  });
  std::vector<Diagnostic> sorted;
  sorted.reserve(found.size());
  for (const auto index : order)
    sorted.push_back(std::move(found[index]));
  return sorted;
}

} // namespace

std::string in_quotes(std::string_view text) {
  if (text.size() <= kMaxQuoted) return '`' + std::string(text) + '`';
  auto end = kMaxQuoted;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
    --end;
  return '`' + std::string(text.substr(0, end)) + "...`";
}

void Report::error(Code code, SourcePlace place, std::string_view element_id, std::string message) {
  push(make(code, place, element_id, std::move(message), Severity::error));
}

void Report::warning(Code code, SourcePlace place, std::string_view element_id,
                     std::string message) {
  push(make(code, place, element_id, std::move(message), Severity::warning));
}

void Report::add(std::vector<Diagnostic> diagnostics) {
  for (auto& diagnostic : diagnostics)
    push(std::move(diagnostic));
}

void Report::push(Diagnostic diagnostic) {
  has_errors_ = has_errors_ || diagnostic.severity == Severity::error;
  if (diagnostics_.size() < kMaxKept) {
    diagnostics_.push_back(std::move(diagnostic));
  } else {
    ++left_out_;
  }
}

std::vector<Diagnostic> Report::take(std::string_view file) && {
  auto sorted = in_document_order(std::move(diagnostics_));
  const auto all = sorted.size() + left_out_;
  if (all > kMaxDiagnostics) {
    const bool had_errors = has_errors_;
    sorted.resize(kMaxDiagnostics - 1);
    // An error must stay visible even when a hundred warnings stand before it.
    const bool error_kept =
        std::ranges::find(sorted, Severity::error, &Diagnostic::severity) != sorted.end();
    sorted.push_back(make(Code::more_diagnostics, {sorted.back().line, sorted.back().column}, {},
                          std::to_string(all - sorted.size()) +
                              " more diagnostics were left out: mend these first and deploy again.",
                          had_errors && !error_kept ? Severity::error : Severity::warning));
  }
  for (auto& diagnostic : sorted)
    diagnostic.file = file;
  return sorted;
}

} // namespace perdure::definition
