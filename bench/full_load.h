// The engine at work: as many instances as it takes, and one alone.
#pragma once

#include <string>

#include "bench/figures.h"
#include "bench/workload.h"
#include "store/store.h"

namespace perdure::bench {

/// A finished instance and its definition, for the bare loops to copy.
struct Sample {
  store::InstanceRecord record;
  facts::ProcessDefinition definition;
};

/// Runs one instance to its end and reads everything it left.
[[nodiscard]] Sample finished_instance(Backend backend);

/// What a fleet did while it was watched.
struct Measured {
  double seconds = 0;
  double instances = 0;
  Usage usage;

  [[nodiscard]] double instances_per_s() const { return instances / seconds; }
  [[nodiscard]] double rows_per_s() const { return static_cast<double>(usage.rows) / seconds; }
  /// Of one instance.
  [[nodiscard]] double each(std::int64_t count) const {
    return static_cast<double>(count) / instances;
  }
};

/// Keeps the fleet as busy as it can be, at first to warm up.
[[nodiscard]] Measured keep_busy(Fleet& fleet, double seconds);

/// Figures of full load on SQLite: instances/s, rows/s, statements, commits and bytes per instance.
/// Returns rows/s.
double full_load(Figures& figures, const std::string& folder, double seconds);

/// Latency of one instance at a time on SQLite, start to committed end.
void low_load(Figures& figures, const std::string& folder, int instances);

} // namespace perdure::bench
