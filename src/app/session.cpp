#include "app/session.h"

#include <optional>
#include <utility>

#include "app/local_backend.h"
#include "cli/file.h"
#include "cli/http_backend.h"
#include "store/sqlite/sqlite.h"

namespace perdure::app {

namespace {

using store::sqlite::OwnerLock;

/// How long a command waits for another one, or for a server that is about to listen.
constexpr Duration kOwnerPatience{3'000};
constexpr Duration kOwnerLook{50};

std::string data_options(const Config& config) {
  if (!config.database.empty()) return "--database " + cli::shell_quoted(config.database);
  return config.data_is_chosen ? "--data " + cli::shell_quoted(config.data) : "";
}

/// The owner's URL; empty when nobody owns the folder, or when its owner serves nobody and `access`
/// can do without.
Result<std::string> owner_url(const Config& config, Access access, Surroundings& surroundings) {
  for (Duration waited{0};; waited += kOwnerLook) {
    const auto owner = OwnerLock::read(config.data);
    if (!owner) return std::unexpected(owner.error());
    if (!*owner) return std::string();
    if (!(*owner)->url.empty()) return (*owner)->url;
    if (access == Access::read) return std::string();
    if (waited >= kOwnerPatience || surroundings.stop.wait_for(kOwnerLook)) {
      return fail(ErrorCode::unavailable,
                  "process " + std::to_string((*owner)->pid) + " runs the engine on " +
                      config.data + " and serves no requests; stop it, or use another folder",
                  config.data);
    }
  }
}

} // namespace

AssemblyOptions assembly_options(const Config& config, Access access) {
  return {.file = store::sqlite::database_path(config.data),
          .postgres = config.database,
          .schema = config.schema,
          .node_name = config.node_name,
          .access = access,
          .migrate = config.migrate_on_start,
          .handler_threads = config.handler_threads,
          .max_body_bytes = config.max_body_bytes,
          .max_connections = config.max_connections,
          .retention = config.retention,
          .limits = config.limits};
}

Result<Session> open_session(const Config& config, Access access, Surroundings& surroundings) {
  Session session;
  if (config.server) {
    session.backend =
        std::make_unique<cli::HttpBackend>(*config.server, "--server " + *config.server);
    return session;
  }
  // A folder has one owner; nodes on PostgreSQL work side by side.
  const auto url = config.database.empty() ? owner_url(config, access, surroundings) : "";
  if (!url) return std::unexpected(url.error());
  if (!url->empty()) {
    session.backend = std::make_unique<cli::HttpBackend>(*url, data_options(config));
    return session;
  }
  auto options = assembly_options(config, access);
  options.node_name.clear(); // the configured name is the server's
  options.is_short_lived = true;
  auto assembly = Assembly::open(options, surroundings.clock, surroundings.log);
  if (!assembly) return std::unexpected(assembly.error());
  session.assembly = std::move(*assembly);
  if (access != Access::read) {
    const auto started = session.assembly->start();
    if (!started) return std::unexpected(started.error());
  }
  session.backend = std::make_unique<LocalBackend>(*session.assembly, data_options(config));
  return session;
}

} // namespace perdure::app
