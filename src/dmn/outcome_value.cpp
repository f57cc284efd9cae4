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

} // namespace

Array matched_rules(const Outcome& outcome) {
  return outcome.trace.empty() ? Array() : rules_value(outcome.trace.back().rules);
}

Array evaluated(const Outcome& outcome, bool with_inputs) {
  Array steps;
  for (const auto& step : outcome.trace) {
    Object value{{"id", step.id}, {"name", step.name}};
    if (with_inputs) value.append("inputs", step.inputs);
    value.append("output", step.output);
    value.append("matched_rules", rules_value(step.rules));
    steps.emplace_back(std::move(value));
  }
  return steps;
}

Value to_value(const Warning& warning) {
  return Object{{"message", warning.warning.reason},
                {"kind", std::string(name_of(warning.warning.kind))},
                {"element", warning.element},
                {"element_id", warning.element_id},
                {"file", warning.file},
                {"line", warning.place.line},
                {"column", warning.warning.column}};
}

Array warnings(const Outcome& outcome) {
  Array values;
  for (const auto& warning : outcome.warnings)
    values.push_back(to_value(warning));
  return values;
}

Value to_value(std::string_view decision, const Outcome& outcome) {
  return Object{{"decision", std::string(decision)},
                {"value", outcome.value},
                {"matched_rules", matched_rules(outcome)},
                {"evaluated", evaluated(outcome, true)},
                {"warnings", warnings(outcome)},
                {"error", outcome.failure ? to_value(*outcome.failure) : Value()}};
}

} // namespace perdure::dmn
