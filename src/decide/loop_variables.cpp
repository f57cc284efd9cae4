#include "decide/loop_variables.h"

namespace perdure::decide {

Object loop_counts(const facts::InstanceState& state, const facts::Scope& scope, bool ending) {
  const auto progress = state.loops.find(scope.id);
  if (progress == state.loops.end()) return {};
  const auto& [opened, completed, terminated, outputs] = progress->second;
  const auto done = completed + (ending ? 1 : 0);
  const auto total = scope.loop_total.value_or(opened);
  // Those that are not opened yet because of a decision's bound count: they begin together.
  const bool waits =
      scope.loop_total && state.tokens.find(*scope.token_id)->state == facts::TokenState::ready;
  const auto active = (waits ? total : opened) - done - terminated;
  return {{"nrOfInstances", total},
          {"nrOfActiveInstances", active},
          {"nrOfCompletedInstances", done},
          {"nrOfTerminatedInstances", terminated},
          {"numberOfInstances", total},
          {"numberOfActiveInstances", active},
          {"numberOfCompletedInstances", done},
          {"numberOfTerminatedInstances", terminated}};
}

} // namespace perdure::decide
