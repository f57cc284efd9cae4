// Business rule tasks: a worker decides, or a decision model does. What was evaluated is recorded,
// whatever comes of it.
#include <algorithm>
#include <string>
#include <utility>

#include "base/check.h"
#include "decide/data.h"
#include "decide/elements.h"
#include "decide/evaluate.h"
#include "decide/incidents.h"
#include "decide/rule_results.h"
#include "decide/scopes.h"
#include "decide/steps.h"
#include "dmn/evaluate.h"
#include "dmn/outcome_value.h"

namespace perdure::decide {

namespace {

using definition::BindingKind;

/// Rules of one decision that are recorded: a table in a loop may match any number of times.
constexpr std::size_t kMaxRules = 1'000;

constexpr std::string_view kNoValue =
    "Its value is a function or a range, or has more than 60 levels or 16 MiB.";

Outcome<Reference> reference_of(const Draft& draft, const Visit& visit) {
  const auto& spec = *visit.node.decision;
  const auto& instance = draft.state().instance;
  Reference reference{.tenant_id = instance.tenant_id,
                      .caller_definition_id = instance.definition_id,
                      .binding = spec.binding.kind};
  auto id = evaluate_needed_text(draft, visit, spec.decision_id, "decision id");
  if (!id) return std::unexpected(std::move(id.error()));
  reference.id = *std::move(id);
  if (spec.binding.kind == BindingKind::version) {
    auto version = evaluate_count(draft, visit, spec.binding.version, "decision version");
    if (!version) return std::unexpected(std::move(version.error()));
    reference.version = version->value_or(0);
  } else if (spec.binding.kind == BindingKind::version_tag) {
    auto tag = evaluate_needed_text(draft, visit, spec.binding.version, "decision version tag");
    if (!tag) return std::unexpected(std::move(tag.error()));
    reference.version_tag = *std::move(tag);
  }
  return reference;
}

std::string described(const Reference& reference) {
  const auto decision = "decision `" + reference.id + "`";
  switch (reference.binding) {
    case BindingKind::latest: return decision;
    case BindingKind::deployment: return decision + " of the deployment of the process";
    case BindingKind::version:
      return "version " + std::to_string(reference.version) + " of the " + decision;
    case BindingKind::version_tag:
      return decision + " with the version tag `" + reference.version_tag + "`";
  }
  return decision;
}

Trouble decision_trouble(const Reference& reference, std::string message) {
  Trouble trouble{
      .kind = facts::IncidentKind::decision_failed, .message = std::move(message), .details = {}};
  trouble.details.append("decision_id", reference.id);
  return trouble;
}

Outcome<FoundDecision> find(const Draft& draft, const Visit& visit, const Reference& reference) {
  if (const auto* catalog = draft.catalog()) {
    if (auto found = catalog->decision(reference)) {
      if (found->model) return *std::move(found);
      return std::unexpected(
          decision_trouble(reference, "The " + described(reference) + ", which `" + visit.node.id +
                                          "` calls, cannot be used (" + found->problem +
                                          "): deploy a model of it that can, then retry."));
    }
  }
  return std::unexpected(decision_trouble(reference, "There is no " + described(reference) +
                                                         ", which `" + visit.node.id +
                                                         "` calls: deploy its model, then retry."));
}

/// Why the value cannot be used; empty: it can. A null is a value, but not one that comes of a
/// model whose own rules were broken.
std::string problem_of(const dmn::Outcome& outcome) {
  if (outcome.failure) return outcome.failure->warning.reason;
  if (!fits(outcome.value)) return std::string(kNoValue);
  if (!outcome.value.is_null()) return "";
  if (!outcome.datum.is_null()) return std::string(kNoValue);
  const auto broken = std::ranges::find_if(outcome.warnings, [](const dmn::Warning& warning) {
    return warning.warning.kind == expr::WarningKind::rule_violated;
  });
  return broken == outcome.warnings.end() ? "" : broken->warning.reason;
}

/// Warnings as incidents show them.
Array shown_warnings(const dmn::Outcome& outcome) {
  Array list;
  auto all = outcome.warnings;
  if (outcome.failure) all.insert(all.begin(), *outcome.failure);
  for (const auto& warning : all) {
    list.emplace_back(Object{{"reason", warning.warning.reason},
                             {"column", warning.warning.column},
                             {"element", warning.element},
                             {"element_id", warning.element_id},
                             {"line", warning.place.line},
                             {"file", warning.file}});
  }
  return list;
}

/// What goes into the fact, within the limits of a value.
facts::DecisionEvaluated record_of(const Reference& reference, const FoundDecision& found,
                                   const dmn::Outcome& outcome, const Object& variables) {
  facts::DecisionEvaluated fact;
  fact.definition_id = found.definition_id;
  fact.decision_id = reference.id;
  fact.version = found.version;
  Object inputs;
  for (const auto& name : outcome.taken) {
    if (const auto* value = variables.find(name)) inputs.append(name, *value);
  }
  fact.inputs = std::move(inputs);
  fact.output = fits(outcome.value) ? outcome.value : Value();
  auto rules = dmn::matched_rules(outcome);
  if (rules.size() > kMaxRules) rules.resize(kMaxRules);
  fact.matched_rules = std::move(rules);
  Value evaluated = dmn::evaluated(outcome, false);
  fact.evaluated = fits(evaluated) ? std::move(evaluated) : Value(Array{});
  fact.warnings = dmn::warnings(outcome);
  return fact;
}

struct Evaluated {
  facts::DecisionEvaluated fact;
  Value result; ///< mapped, when the fact has no error
  Array warnings;
};

Evaluated evaluate(const Draft& draft, const Visit& visit, const Reference& reference,
                   const FoundDecision& found) {
  const auto variables = visible_variables(draft.state(), visit.scope_id);
  const auto& object = *variables.as<Object>();
  const auto inputs = dmn::inputs_of(object);
  const auto outcome = dmn::evaluate(*found.model, reference.id, inputs,
                                     {.limits = {}, .now = draft.at(), .by_id = true});
  const auto entry = found.model->find(reference.id);
  PERDURE_CHECK(outcome.has_value() && entry.has_value());
  Evaluated evaluated{.fact = record_of(reference, found, *outcome, object),
                      .result = {},
                      .warnings = shown_warnings(*outcome)};
  auto problem = problem_of(*outcome);
  if (problem.empty()) {
    const bool has_matches = !outcome->trace.empty() && !outcome->trace.back().rules.empty();
    auto mapped = map_result({*entry, outcome->value, has_matches}, visit.node.decision->mapping);
    if (mapped) {
      evaluated.result = *std::move(mapped);
    } else {
      problem = "It " + mapped.error() + ".";
    }
  }
  if (!problem.empty()) evaluated.fact.error = std::move(problem);
  return evaluated;
}

Trouble evaluation_trouble(const Visit& visit, const Reference& reference,
                           const Evaluated& evaluated) {
  const auto& fact = evaluated.fact;
  std::string_view reason = *fact.error;
  if (reason.ends_with('.')) reason.remove_suffix(1);
  auto trouble = decision_trouble(
      reference, "The " + described(reference) + ", which `" + visit.node.id +
                     "` calls, gave no result that it can take (" + std::string(reason) +
                     "): correct the variables or deploy a corrected model, then retry.");
  trouble.details.append("version", fact.version);
  trouble.details.append("definition_id", key_text(fact.definition_id));
  trouble.details.append("evaluation_id", key_text(fact.evaluation_id));
  trouble.details.append("reason", *fact.error);
  trouble.details.append("warnings", evaluated.warnings);
  return trouble;
}

/// After an incident the token comes in again: one visit has one step.
Key step_of(Draft& draft, const Visit& visit) {
  auto step_id = open_step_of(draft.state(), visit.token_id);
  if (step_id != kNoKey) return step_id;
  auto step = new_step(draft, visit, facts::StepType::business_rule_task);
  step_id = step.step_id;
  draft.emit(std::move(step));
  return step_id;
}

void call_decision(Draft& draft, const Visit& visit) {
  const auto step_id = step_of(draft, visit);
  const auto reference = reference_of(draft, visit);
  if (!reference) return open_incident(draft, visit, reference.error());
  const auto found = find(draft, visit, *reference);
  if (!found) return open_incident(draft, visit, found.error());
  auto evaluated = evaluate(draft, visit, *reference, *found);
  evaluated.fact.evaluation_id = draft.take_key();
  evaluated.fact.token_id = visit.token_id;
  evaluated.fact.step_id = step_id;
  evaluated.fact.node_id = visit.node.id;
  draft.emit(evaluated.fact);
  if (evaluated.fact.error) {
    return open_incident(draft, visit, evaluation_trouble(visit, *reference, evaluated));
  }
  draft.emit(facts::StepCompleted{.step_id = step_id, .output = evaluated.result});
  const auto& variable = visit.node.decision->result_variable;
  if (!variable.empty()) {
    take_result(draft, visit, Object{{variable, std::move(evaluated.result)}});
  }
  leave(draft, visit);
}

} // namespace

void enter_business_rule_task(Draft& draft, const Visit& visit) {
  if (visit.node.decision) return call_decision(draft, visit);
  open_worker_step(draft, visit, facts::StepType::business_rule_task);
}

} // namespace perdure::decide
