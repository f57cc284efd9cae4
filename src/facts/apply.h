// apply: the only code that changes an InstanceState, live and at replay (design property 3).
#pragma once

#include "facts/fact.h"
#include "facts/instance_state.h"

namespace perdure::facts {

/// Changes the state as the fact says. The fact's sequence must be the state's last_sequence + 1.
/// A fact that does not fit the state is a bug and throws BugFound.
void apply(InstanceState& state, const Fact& fact);

} // namespace perdure::facts
