#include "app/assembly.h"

#include <filesystem>
#include <utility>

#include "app/compile.h"
#include "app/figures.h"
#include "app/node_name.h"
#include "app/schema_state.h"
#include "app/version.h"
#include "base/check.h"
#include "net/local_names.h"
#include "store/sql.h"
#include "store/sqlite/sqlite.h"

namespace perdure::app {

namespace {

constexpr std::int64_t kFewKeys = 256;

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
  if (options_.access != Access::read && !options_.in_memory) {
    auto lock = store::sqlite::OwnerLock::take(folder_of(options_.file));
    if (!lock) return std::unexpected(lock.error());
    lock_ = std::move(*lock);
  }
  const bool migrate = options_.migrate && options_.access != Access::read;
  auto database = store::sqlite::open(
      {.path = options_.file,
       .in_memory = options_.in_memory,
       .migrate = migrate ? store::sqlite::Migrate::apply : store::sqlite::Migrate::refuse,
       .guard = options_.guard},
      clock);
  if (!database) return std::unexpected(database.error());
  place_ = options_.file;
  reader_ = std::move(database->reader);
  sqlite_counters_ = std::move(database->counters);
  return std::move(database->store);
}

store::postgres::Options Assembly::postgres_options() const {
  const bool migrate = options_.migrate && options_.access == Access::create;
  return {.url = options_.postgres,
          .schema = options_.schema,
          .migrate = migrate ? store::postgres::Migrate::apply : store::postgres::Migrate::refuse,
          .node_name = "perdure " + options_.node_name,
          .guard = options_.guard};
}

// The leases of an earlier process of this name are taken for orphans: while that one lives this
// one needs another name. It works all the same, an orchestrator may be about to end the other.
Result<void> Assembly::settle_node_name() {
  // It ends at the first colon in the ids of workers.
  if (options_.node_name.contains(':')) {
    return fail(ErrorCode::invalid_input, "The node name \"" + options_.node_name +
                                              "\" has a colon in it; choose one without.");
  }
  if (options_.guard) return {}; // nobody else is there
  if (options_.node_name.empty() || options_.access == Access::read) {
    options_.node_name = unique_node_name();
    return {};
  }
  auto taken = store::postgres::NodeName::take(postgres_options(), options_.node_name);
  if (!taken) return std::unexpected(taken.error());
  node_name_ = std::move(*taken);
  if (node_name_) return {};
  const auto wanted = std::exchange(options_.node_name, unique_node_name(options_.node_name));
  log_.write(LogLevel::warning, "node_name_in_use",
             {{"node_name", wanted},
              {"instead", options_.node_name},
              {"message", "Another node that runs has this name: give each one of its own."}});
  return {};
}

Result<std::unique_ptr<store::Store>> Assembly::open_postgres() {
  if (auto named = settle_node_name(); !named) return std::unexpected(named.error());
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
  const bool is_own_time = sqlite || options.guard;
  Clock& time = is_own_time ? clock : *assembly->postgres_.clock;
  engine::Options engine_options;
  engine_options.handler_threads = options.handler_threads;
  engine_options.retention = options.retention;
  engine_options.flows = options.flows;
  if (options.is_short_lived) engine_options.key_block = kFewKeys;
  if (!sqlite) engine_options.node_name = assembly->options_.node_name;
  if (options.lease) engine_options.flow_lease = engine_options.handler_lease = *options.lease;
  assembly->engine_ = std::make_unique<engine::Engine>(std::move(*store), compile, time, log,
                                                       std::move(engine_options));
  assembly->engine_->read_history_with(
      [reader = assembly->reader_.get()](Key instance_id, std::int64_t after, std::int64_t limit) {
        return reader->history(instance_id, after, limit);
      });
  api::Options api_options;
  api_options.version = version();
  api_options.limits = options.limits;
  const auto schema_version = sqlite ? std::ssize(store::sql::kSqliteMigrations)
                                     : std::ssize(store::sql::kPostgresMigrations);
  api_options.ready = [schema = std::make_shared<SchemaState>(
                           *assembly->reader_, time, schema_version)] { return schema->ask(); };
  if (sqlite) {
    api_options.figures = [counters = assembly->sqlite_counters_] { return figures_of(*counters); };
  } else {
    api_options.figures = [counters = assembly->postgres_.counters] {
      return figures_of(*counters);
    };
  }
  assembly->api_ = std::make_unique<api::Api>(*assembly->engine_, *assembly->reader_, time,
                                              std::move(api_options));
  return assembly;
}

Assembly::~Assembly() { stop(); }

Result<void> Assembly::start() {
  PERDURE_CHECK(options_.access != Access::read);
  if (auto started = engine_->start(); !started) return started;
  if (postgres_.clock && !options_.guard) {
    watch_ = store::postgres::watch(postgres_options(), postgres_, [this] {
      engine_->wake();
      if (options_.others_committed) options_.others_committed();
    });
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
