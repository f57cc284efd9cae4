// decide: a decision of a DMN file, without a database.
#pragma once

#include "app/surroundings.h"
#include "cli/arguments.h"

namespace perdure::app {

/// Prints the result as JSON with the rules that matched, every decision that was evaluated and the
/// warnings. What is wrong with the file goes to standard error; what does not need the wrong parts
/// is decided all the same.
[[nodiscard]] cli::ExitCode run_decide(const cli::DecideCommand& command,
                                       Surroundings& surroundings);

} // namespace perdure::app
