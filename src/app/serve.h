// serve: the engine and its HTTP server until a signal ends them.
#pragma once

#include "app/config.h"
#include "app/surroundings.h"
#include "cli/arguments.h"

namespace perdure::app {

[[nodiscard]] cli::ExitCode run_serve(const cli::ServeCommand& command, Config config,
                                      Surroundings& surroundings);

} // namespace perdure::app
