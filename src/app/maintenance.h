// migrate and check: the database itself.
#pragma once

#include "app/config.h"
#include "app/surroundings.h"
#include "cli/arguments.h"

namespace perdure::app {

/// Applies pending schema files, or lists them; `difference` when any is pending in the list.
[[nodiscard]] cli::ExitCode run_migrate(const cli::MigrateCommand& command, const Config& config,
                                        Surroundings& surroundings);

/// Verifies the file and its schema, folds the history of every instance and compares it with the
/// rows. Reads only, and works beside a running server.
[[nodiscard]] cli::ExitCode run_check(const Config& config, Surroundings& surroundings);

} // namespace perdure::app
