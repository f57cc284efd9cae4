// Random models in the notation of tests/cases/model_text.h, so that one that fails can become a
// case.
#pragma once

#include <string>

#include "random/chance.h"

namespace perdure::random {

struct RandomModel {
  std::string text;
  std::string variables; ///< JSON to start with
};

/// Built from blocks that a token enters once and leaves once: every order of completions comes to
/// the same end. Tasks of all kinds, timers, choices, forks with joins, counted loops,
/// sub-processes.
[[nodiscard]] RandomModel sound_model(Chance& chance);

/// Any graph that can be deployed: joins that starve, loops that multiply tokens, conditions that
/// give null.
[[nodiscard]] RandomModel any_model(Chance& chance);

} // namespace perdure::random
