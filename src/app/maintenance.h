// migrate and check: the database itself.
#pragma once

#include <cstdint>
#include <optional>

#include "app/config.h"
#include "app/surroundings.h"
#include "cli/arguments.h"

namespace perdure::app {

/// Tells the error. That a database is not there means that it is out of reach.
cli::ExitCode report_unreachable(cli::Output& output, Error error);

/// Applies pending schema files, or lists them; `difference` when any is pending in the list.
[[nodiscard]] cli::ExitCode run_migrate(const cli::MigrateCommand& command, const Config& config,
                                        Surroundings& surroundings);

/// Verifies the file and its schema, folds the history of every instance and compares it with the
/// rows. Reads only, and works beside a running server. `copied`: how many rows a copy has just
/// put there, told with the outcome.
[[nodiscard]] cli::ExitCode run_check(const Config& config, Surroundings& surroundings,
                                      std::optional<std::int64_t> copied = std::nullopt);

} // namespace perdure::app
