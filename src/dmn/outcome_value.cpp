#include "dmn/outcome_value.h"

#include <utility>

#include "base/enum_text.h"

namespace perdure::dmn {

namespace {

Array rules_value(const std::vector<MatchedRule>& rules) {
  Array values;
  for (const auto& rule : rules)
    values.emplace_back(Object{{"number", rule.number}, {"id", rule.id}});
  return values;
}

Value step_value(const Step& step) {
  return Object{{"id", step.id},
                {"name", step.name},
                {"inputs", step.inputs},
                {"output", step.output},
                {"matched_rules", rules_value(step.rules)}};
}

Value warning_value(const Warning& warning) {
  return Object{{"message", warning.warning.reason},
                {"kind", std::string(name_of(warning.warning.kind))},
                {"element", warning.element},
                {"element_id", warning.element_id},
                {"file", warning.file},
                {"line", warning.place.line},
                {"column", warning.warning.column}};
}

} // namespace

Value to_value(std::string_view decision, const Outcome& outcome) {
  Array evaluated;
  for (const auto& step : outcome.trace)
    evaluated.push_back(step_value(step));
  Array warnings;
  for (const auto& warning : outcome.warnings)
    warnings.push_back(warning_value(warning));
  auto rules = outcome.trace.empty() ? Array() : rules_value(outcome.trace.back().rules);
  return Object{{"decision", std::string(decision)},
                {"value", outcome.value},
                {"matched_rules", std::move(rules)},
                {"evaluated", std::move(evaluated)},
                {"warnings", std::move(warnings)},
                {"error", outcome.failure ? warning_value(*outcome.failure) : Value()}};
}

} // namespace perdure::dmn
