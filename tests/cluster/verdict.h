// Verdict: what the rows say in the end, of the engine and of the world outside it.
#pragma once

#include "cluster/effects.h"
#include "cluster/load.h"

namespace perdure::cluster_test {

/// Every instance of the load exists once, as it was acknowledged, and is completed; every task of
/// it has had its effect once, by the very attempt that the engine took; attempts are numbered
/// without gaps; nothing is open.
void expect_everything_once(Effects& watcher, const Load& load, int instances);

} // namespace perdure::cluster_test
