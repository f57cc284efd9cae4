// Binds each stimulus of the corpus to what the core takes: one small function for each kind.
#pragma once

#include "conformance/token_simulation/corpus_case.h"
#include "conformance/token_simulation/world.h"

namespace perdure::conformance {

/// Gives the stimulus and lets the world come to rest. `check` changes nothing.
[[nodiscard]] Problem give(World& world, const Stimulus& stimulus);

} // namespace perdure::conformance
