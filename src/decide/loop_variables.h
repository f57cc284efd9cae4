// What expressions inside a multi-instance see beside variables: how many iterations there are and
// how far they are. Computed when it is asked for: nobody writes counts with each iteration.
#pragma once

#include "facts/instance_state.h"
#include "perdure/value.h"

namespace perdure::decide {

/// The counts of the multi-instance with that scope, by the names of Camunda and of BPMN (table
/// 10.31). `ending`: one of the iterations is completed but for its facts.
[[nodiscard]] Object loop_counts(const facts::InstanceState& state, const facts::Scope& scope,
                                 bool ending);

} // namespace perdure::decide
