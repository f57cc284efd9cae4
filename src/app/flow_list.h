// flow list: what flows a database knows, with their runs, limits and schedules.
#pragma once

#include "app/config.h"
#include "app/surroundings.h"
#include "cli/exit_code.h"

namespace perdure::app {

/// Reads the database itself, beside whoever works on it.
[[nodiscard]] cli::ExitCode run_flow_list(const Config& config, Surroundings& surroundings);

} // namespace perdure::app
