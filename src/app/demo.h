// demo: what `make run` shows a newcomer.
#pragma once

#include "app/config.h"
#include "app/surroundings.h"
#include "cli/arguments.h"

namespace perdure::app {

/// Returns when the user stops it, or with `exit` when all orders are done.
[[nodiscard]] cli::ExitCode run_demo(const cli::DemoCommand& command, Config config,
                                     Surroundings& surroundings);

} // namespace perdure::app
