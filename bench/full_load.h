// The engine at work: as many instances as it takes, and one alone.
#pragma once

#include <string>

#include "bench/figures.h"
#include "store/store.h"

namespace perdure::bench {

/// A finished instance and its definition, for the bare loop to copy.
struct Sample {
  store::InstanceRecord record;
  facts::ProcessDefinition definition;
};

/// Runs one instance to its end and reads everything it left.
[[nodiscard]] Sample finished_instance(const std::string& folder);

/// Figures of full load: instances/s, rows/s, statements, commits and bytes per instance. Returns
/// rows/s.
double full_load(Figures& figures, const std::string& folder, double seconds);

/// Latency of one instance at a time, start to committed end.
void low_load(Figures& figures, const std::string& folder, int instances);

} // namespace perdure::bench
