// Flows: three steps that return small JSON, on engines whose program defines them; how long one
// step takes, what a suspended run holds in memory, and how fast a history is replayed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/backend.h"
#include "bench/figures.h"

namespace perdure::bench {

/// Flows on one file, all figures of one engine.
void flows_load(Figures& figures, const std::string& folder, double seconds);

/// Flows a second on so many engines of one database.
[[nodiscard]] double flows_per_s(std::vector<Backend> backends, std::int64_t in_flight,
                                 double seconds);

} // namespace perdure::bench
