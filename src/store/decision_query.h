// Which query finds the version of a decision that is asked for, for every dialect and both ports.
#pragma once

#include "facts/view.h"
#include "store/deployment.h"
#include "store/sql.h"

namespace perdure::store {

/// `ask(query, parameters...)` gives the first row, as a Result of an optional DecisionDefinition.
template <class Ask>
[[nodiscard]] auto find_decision(const DecisionChoice& choice, const Ask& ask) {
  if (choice.deployment_id) {
    return ask(sql::shared::decision_of_deployment, *choice.deployment_id, choice.decision_id);
  }
  if (choice.version) {
    return ask(sql::shared::decision_version, choice.tenant_id, choice.decision_id,
               *choice.version);
  }
  if (choice.version_tag) {
    return ask(sql::shared::decision_tagged, choice.tenant_id, choice.decision_id,
               *choice.version_tag);
  }
  return ask(sql::shared::decision_latest, choice.tenant_id, choice.decision_id);
}

} // namespace perdure::store
