// All figures on PostgreSQL: a server of the benchmark's own, on a Unix socket, with its durable
// defaults.
#pragma once

#include "bench/figures.h"

namespace perdure::bench {

struct PostgresPlan {
  double seconds = 8; ///< of each measurement
  std::int64_t waiting_instances = 1'000'000;
  bool only_waiting = false; ///< of all figures only how they slow the others
  bool only_flows = false;   ///< of all figures only those of flows
};

void postgres_load(Figures& figures, const PostgresPlan& plan);

} // namespace perdure::bench
