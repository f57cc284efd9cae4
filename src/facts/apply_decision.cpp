// What facts about decisions do: one row each, which is never changed.
#include "base/check.h"
#include "facts/appliers.h"

namespace perdure::facts {

void apply_fact(InstanceState& state, Instant at, const DecisionEvaluated& fact) {
  const auto* step = state.steps.find(fact.step_id);
  PERDURE_CHECK(step != nullptr && step->token_id == fact.token_id && !is_terminal(step->status));
  PERDURE_CHECK(fact.inputs.is_object() && fact.matched_rules.is_array());
  PERDURE_CHECK(fact.evaluated.is_array() && fact.warnings.is_array());
  state.evaluations.insert({.id = fact.evaluation_id,
                            .instance_id = state.instance.id,
                            .token_id = fact.token_id,
                            .step_id = fact.step_id,
                            .node_id = fact.node_id,
                            .definition_id = fact.definition_id,
                            .decision_id = fact.decision_id,
                            .version = fact.version,
                            .inputs = fact.inputs,
                            .output = fact.output,
                            .matched_rules = fact.matched_rules,
                            .evaluated = fact.evaluated,
                            .warnings = fact.warnings,
                            .error = fact.error,
                            .evaluated_at = at});
}

} // namespace perdure::facts
