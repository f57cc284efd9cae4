#include "bpmn/expressions.h"

#include <algorithm>
#include <string>

namespace perdure::bpmn {

namespace {

using definition::Code;

/// The reason as the end of a sentence of ours.
std::string_view without_full_stop(std::string_view sentence) {
  return sentence.ends_with('.') ? sentence.substr(0, sentence.size() - 1) : sentence;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return result;
}

enum class Language { unsaid, feel, juel, other };

Language language_named(std::string_view name) {
  const auto spelled = lower(xml::trim(name));
  if (spelled.empty()) return Language::unsaid;
  // "feel", and the URIs that the versions of DMN gave it.
  if (spelled == "feel" || (spelled.contains("omg.org/spec/") && spelled.contains("feel"))) {
    return Language::feel;
  }
  if (spelled == "juel" || spelled == "http://java.sun.com/products/jsp/") return Language::juel;
  return Language::other;
}

void report_bad(const expr::Diagnostic& problem, std::string_view text, const Origin& origin,
                definition::Report& report) {
  report.error(Code::bad_expression, origin.place, origin.element_id,
               "The expression of " + std::string(origin.what) + " " + definition::in_quotes(text) +
                   " is wrong at its column " + std::to_string(problem.column) + ": " +
                   std::string(without_full_stop(problem.message)) + ".");
}

} // namespace

definition::Template read_template(std::string_view text, const Origin& origin,
                                   definition::Report& report) {
  const auto trimmed = xml::trim(text);
  definition::Template result{.text = std::string(trimmed), .expression = {}};
  if (!expr::is_expression(trimmed)) return result;
  auto compiled = expr::compile_attribute(trimmed);
  if (compiled) {
    result.expression = std::move(*compiled);
  } else {
    report_bad(compiled.error(), trimmed, origin, report);
  }
  return result;
}

std::optional<expr::Expression> read_expression(std::string_view text, std::string_view language,
                                                const Origin& origin, definition::Report& report) {
  const auto trimmed = xml::trim(text);
  const auto spoken = language_named(language);
  if (spoken == Language::other) {
    report.error(Code::unsupported_language, origin.place, origin.element_id,
                 "The language " + definition::in_quotes(xml::trim(language)) + " of " +
                     std::string(origin.what) +
                     " is not supported: write it in FEEL (`= amount > 1000`) or as `${...}`.");
    return std::nullopt;
  }
  if (trimmed.empty()) {
    report.error(Code::bad_expression, origin.place, origin.element_id,
                 "The expression of " + std::string(origin.what) +
                     " is empty: write one, such as `= amount > 1000`, or remove the element.");
    return std::nullopt;
  }
  const bool bare_juel = spoken == Language::juel && !expr::is_expression(trimmed);
  auto compiled =
      bare_juel ? expr::compile(trimmed, expr::Dialect::juel) : expr::compile_condition(trimmed);
  if (compiled) return std::move(*compiled);
  report_bad(compiled.error(), trimmed, origin, report);
  return std::nullopt;
}

} // namespace perdure::bpmn
