// Play: starts an instance and answers whatever it waits for, as a worker would who knows nothing
// of the model, until it has ended.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "conformance/real_models_run/invention.h"
#include "conformance/real_models_run/world.h"
#include "definition/definition.h"

namespace perdure::conformance {

struct PlayResult {
  std::string problem;         ///< why it did not end, or what is wrong at its end; empty: it ended
  std::set<std::string> nodes; ///< where tokens have been
};

/// Begins the process by its start event and brings it to its end: that of all its tokens, or an
/// error that one of the `uncaught` end events throws. The seed chooses among what can
/// happen next; 0 is the patient one, who does all work first and lets time pass last.
[[nodiscard]] PlayResult play(EngineWorld& world, const definition::Definition& definition,
                              definition::NodeIndex start, const Invention& invention,
                              const std::set<std::string>& uncaught, std::uint64_t seed);

} // namespace perdure::conformance
