// Expressions and decisions: how fast FEEL is compiled and evaluated, and a large decision table.
#pragma once

#include <filesystem>

#include "bench/figures.h"

namespace perdure::bench {

/// `conditions`: a JSON file of typical conditions, their variables and their values. `peer`: the
/// folder with feelin.mjs and the installed npm package, measured beside when it is there. Rates
/// are per second of CPU time, which the machine's other work hardly touches.
void decisions_load(Figures& figures, const std::filesystem::path& conditions,
                    const std::filesystem::path& peer);

} // namespace perdure::bench
