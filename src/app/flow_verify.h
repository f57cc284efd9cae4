// flow verify: runs a user's program so that its engine reports on the runs that are stored.
#pragma once

#include "app/surroundings.h"
#include "cli/arguments.h"
#include "cli/exit_code.h"

namespace perdure::app {

/// Failed when a run does not fit, or when the program ended without a report.
[[nodiscard]] cli::ExitCode run_flow_verify(const cli::FlowVerifyCommand& command,
                                            Surroundings& surroundings);

} // namespace perdure::app
