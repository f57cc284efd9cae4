// backup, restore and transfer: a whole database in another place.
#pragma once

#include "app/config.h"
#include "app/surroundings.h"
#include "cli/arguments.h"

namespace perdure::app {

/// Copies the database, as it is at one moment, into one file; a server may go on to work.
[[nodiscard]] cli::ExitCode run_backup(const cli::BackupCommand& command, const Config& config,
                                       Surroundings& surroundings);

/// Makes a database of a backup, and checks it.
[[nodiscard]] cli::ExitCode run_restore(const cli::RestoreCommand& command, const Config& config,
                                        Surroundings& surroundings);

/// Copies a database into another one that has nothing in it, keys and all, and checks the copy. No
/// engine may run on a folder that is copied.
[[nodiscard]] cli::ExitCode run_transfer(const cli::TransferCommand& command, const Config& config,
                                         Surroundings& surroundings);

} // namespace perdure::app
