#include "app/assembly.h"

#include <filesystem>
#include <utility>

#include "app/version.h"
#include "base/check.h"
#include "bpmn/read.h"
#include "net/local_names.h"
#include "store/sql.h"
#include "store/sqlite/sqlite.h"

namespace perdure::app {

namespace {

std::expected<engine::Compiled, std::vector<definition::Diagnostic>> compile(
    std::string_view source, std::string_view resource_name) {
  auto deployment = bpmn::read(source, resource_name);
  if (!deployment) return std::unexpected(std::move(deployment.error()));
  engine::Compiled compiled;
  for (auto& process : deployment->processes) {
    compiled.processes.push_back(std::move(process.definition));
  }
  compiled.warnings = std::move(deployment->diagnostics);
  return compiled;
}

std::string folder_of(const std::string& file) {
  const std::string folder = std::filesystem::path(file).parent_path().string();
  return folder.empty() ? "." : folder;
}

} // namespace

Result<void> require_database(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) return {};
  return fail(ErrorCode::unavailable,
              "there is no database " + file +
                  "; name its folder with --data, or make one with \"perdure deploy\", \"run\" or "
                  "\"serve\"",
              file);
}

Result<std::unique_ptr<store::Store>> Assembly::open_sqlite(Clock& clock) {
  if (options_.access != Access::create) {
    const auto exists = require_database(options_.file);
    if (!exists) return std::unexpected(exists.error());
  }
  if (options_.access != Access::read) {
    auto lock = store::sqlite::OwnerLock::take(folder_of(options_.file));
    if (!lock) return std::unexpected(lock.error());
    lock_ = std::move(*lock);
  }
  const bool migrate = options_.migrate && options_.access != Access::read;
  auto database = store::sqlite::open(
      {.path = options_.file,
       .migrate = migrate ? store::sqlite::Migrate::apply : store::sqlite::Migrate::refuse},
      clock);
  if (!database) return std::unexpected(database.error());
  place_ = options_.file;
  reader_ = std::move(database->reader);
  return std::move(database->store);
}

store::postgres::Options Assembly::postgres_options() const {
  const bool migrate = options_.migrate && options_.access == Access::create;
  return {.url = options_.postgres,
          .schema = options_.schema,
          .migrate = migrate ? store::postgres::Migrate::apply : store::postgres::Migrate::refuse,
          .node_name = "perdure " + options_.node_name};
}

Result<std::unique_ptr<store::Store>> Assembly::open_postgres() {
  auto database = store::postgres::open(postgres_options());
  if (!database) return std::unexpected(database.error());
  place_ = store::postgres::without_password(options_.postgres);
  reader_ = std::move(database->reader);
  auto store = std::move(database->store);
  postgres_ = std::move(*database);
  return store;
}

Result<std::unique_ptr<Assembly>> Assembly::open(const AssemblyOptions& options, Clock& clock,
                                                 Log& log) {
  std::unique_ptr<Assembly> assembly(new Assembly(options, log));
  const bool sqlite = options.postgres.empty();
  auto store = sqlite ? assembly->open_sqlite(clock) : assembly->open_postgres();
  if (!store) return std::unexpected(store.error());
  // Nodes that share a database also share its time: it decides what is due and whose lease is
  // over.
  Clock& time = sqlite ? clock : *assembly->postgres_.clock;
  engine::Options engine_options;
  engine_options.handler_threads = options.handler_threads;
  engine_options.retention = options.retention;
  if (!sqlite) engine_options.node_name = options.node_name;
  assembly->engine_ = std::make_unique<engine::Engine>(std::move(*store), compile, time, log,
                                                       std::move(engine_options));
  api::Options api_options;
  api_options.version = version();
  const auto schema_version = sqlite ? std::ssize(store::sql::kSqliteMigrations)
                                     : std::ssize(store::sql::kPostgresMigrations);
  // No database is opened with another schema than this program's.
  api_options.ready = [schema_version]() -> Result<Object> {
    return Object{{"db_migrations", "applied"}, {"db_schema_version", schema_version}};
  };
  assembly->api_ = std::make_unique<api::Api>(*assembly->engine_, *assembly->reader_, time,
                                              std::move(api_options));
  return assembly;
}

Assembly::~Assembly() { stop(); }

Result<void> Assembly::start() {
  PERDURE_CHECK(options_.access != Access::read);
  if (auto started = engine_->start(); !started) return started;
  if (postgres_.clock) {
    watch_ = store::postgres::watch(postgres_options(), postgres_, [this] { engine_->wake(); });
  }
  return {};
}

Result<std::string> Assembly::listen(const std::string& host, std::uint16_t port) {
  auto server =
      net::Server::listen({.host = host,
                           .port = port,
                           .max_body_bytes = options_.max_body_bytes,
                           .max_connections = options_.max_connections,
                           .log = &log_},
                          net::is_loopback(host) ? net::only_local_names(handler()) : handler());
  if (!server) return std::unexpected(server.error());
  server_ = std::move(*server);
  if (lock_) {
    const auto told = lock_->set_url(server_->url());
    if (!told) return std::unexpected(told.error());
  }
  return server_->url();
}

void Assembly::stop() {
  // A worker that waits for tasks would hold the server up, and be cut off in the end.
  watch_.reset();
  if (server_) engine_->end_waits();
  if (server_) server_->stop();
  if (engine_) engine_->stop();
}

} // namespace perdure::app
