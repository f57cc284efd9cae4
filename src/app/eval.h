// eval: FEEL on the command line and for programs, without a database.
#pragma once

#include "app/surroundings.h"
#include "cli/arguments.h"

namespace perdure::app {

/// Prints the value, its type and the warnings of one expression; with `lines` answers every line
/// of standard input with one line of JSON. `failed` when the one expression is wrong.
[[nodiscard]] cli::ExitCode run_eval(const cli::EvalCommand& command, Surroundings& surroundings);

} // namespace perdure::app
