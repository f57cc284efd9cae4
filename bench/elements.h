// What each kind of element costs on SQLite: statements, rows and time, over those of a process
// without it.
#pragma once

#include <string>

#include "bench/figures.h"

namespace perdure::bench {

/// For each kind `element_KIND_statements`, `_rows` and `_us`, of one element of one instance among
/// so many that run at the same time; and a table of the same. The time is that of the processor,
/// the best of five rounds: how long the disk takes is the matter of other figures.
void element_costs(Figures& figures, const std::string& folder, int instances);

} // namespace perdure::bench
