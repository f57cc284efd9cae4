// Session: where a command works: at a server, or on a database that is opened in this process.
#pragma once

#include <memory>
#include <string>

#include "app/assembly.h"
#include "app/config.h"
#include "app/surroundings.h"
#include "cli/backend.h"

namespace perdure::app {

struct Session {
  std::unique_ptr<Assembly> assembly; ///< null when a server does the work
  std::unique_ptr<cli::Backend> backend;
};

/// The server that was named; else the one that runs the engine on the folder; else the folder's
/// database itself, with the engine started unless `access` is read. Errors: unavailable when there
/// is no database or another process without a server holds it, conflict for a schema of another
/// version.
[[nodiscard]] Result<Session> open_session(const Config& config, Access access,
                                           Surroundings& surroundings);

/// What the configuration says of the database in its folder.
[[nodiscard]] AssemblyOptions assembly_options(const Config& config, Access access);

} // namespace perdure::app
