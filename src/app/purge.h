// purge: removes ended instances whose time is over, all of them now.
#pragma once

#include "app/config.h"
#include "app/surroundings.h"
#include "cli/arguments.h"

namespace perdure::app {

/// Removes what the configuration, or the command, says has been kept long enough, and tells how
/// much of each process went. A dry run reads only, and works beside a running server.
[[nodiscard]] cli::ExitCode run_purge(const cli::PurgeCommand& command, const Config& config,
                                      Surroundings& surroundings);

} // namespace perdure::app
