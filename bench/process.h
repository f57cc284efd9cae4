// The binary from outside: how fast it is up, how little memory it holds when idle.
#pragma once

#include <string>

#include "bench/figures.h"

namespace perdure::bench {

/// Runs `perdure serve` on an empty folder: time until /readyz answers, resident memory when idle.
void cold_start(Figures& figures, const std::string& binary, const std::string& folder);

} // namespace perdure::bench
