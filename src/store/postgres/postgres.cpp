#include "store/postgres/postgres.h"

#include <utility>

#include "store/postgres/migration_target.h"
#include "store/postgres/reader.h"
#include "store/postgres/store.h"

namespace perdure::store::postgres {

namespace {

/// Migrations may rewrite or look at much: they have no deadline but that of locks.
ConnectionOptions migrating_connection(const Options& options) {
  auto made = reader_connection(options);
  made.statement_timeout = Duration(0);
  made.idle_in_transaction_timeout = Duration(0);
  return made;
}

/// Applies what is pending, by the database's own time.
Result<std::int64_t> apply(Connection& connection, const Options& options, DatabaseClock& clock) {
  if (const auto measured = clock.measure(connection); !measured) {
    return std::unexpected(measured.error());
  }
  PostgresMigrationTarget target(connection, options.schema);
  if (options.migrate == Migrate::apply) {
    return store::migrate(target, sql::kPostgresMigrations, clock.now());
  }
  const auto current = require_current(target, sql::kPostgresMigrations);
  if (!current) return std::unexpected(current.error());
  return 0;
}

} // namespace

bool is_postgres_url(std::string_view text) {
  return text.starts_with("postgres://") || text.starts_with("postgresql://");
}

std::string without_password(std::string_view url) {
  std::string shown(url);
  const auto begin = shown.find("://");
  if (begin == std::string::npos) return shown;
  const auto end = shown.find('/', begin + 3);
  const auto at = shown.substr(0, end).rfind('@');
  const auto colon = shown.find(':', begin + 3);
  if (at != std::string::npos && colon < at) shown.replace(colon, at - colon, ":***");
  // libpq also takes it as a parameter.
  if (const auto key = shown.find("password="); key != std::string::npos) {
    const auto value = key + std::string_view("password=").size();
    shown.replace(value, shown.find('&', value) - value, "***");
  }
  return shown;
}

ConnectionOptions engine_connection(const Options& options) {
  auto made = reader_connection(options);
  made.by_key_only = true;
  return made;
}

ConnectionOptions reader_connection(const Options& options) {
  ConnectionOptions made;
  made.url = options.url;
  made.schema = options.schema;
  made.application_name = options.node_name;
  return made;
}

std::string channel_of(const Options& options) { return "perdure_" + options.schema; }

Result<Database> open(const Options& options) {
  Database database;
  database.clock = std::make_shared<DatabaseClock>();
  auto connection = Connection::open(migrating_connection(options));
  if (!connection) return std::unexpected(connection.error());
  const auto ready = apply(**connection, options, *database.clock);
  if (!ready) return std::unexpected(ready.error());
  auto counters = std::make_shared<Counters>();
  const std::shared_ptr<SessionCounters> sessions(counters, &counters->sessions);
  auto side = engine_connection(options);
  side.sessions = sessions;
  auto round = side;
  round.counters = counters;
  auto reading = reader_connection(options);
  reading.sessions = sessions;
  database.store = std::make_unique<PostgresStore>(Link(round), Link(side), counters,
                                                   channel_of(options), options.guard);
  database.reader = std::make_unique<PostgresReader>(reading, options.readers);
  database.counters = std::move(counters);
  return database;
}

std::unique_ptr<Watch> watch(const Options& options, const Database& database,
                             std::function<void()> wake) {
  return std::make_unique<Watch>(reader_connection(options), channel_of(options), database.clock,
                                 database.counters, std::move(wake));
}

Result<std::int64_t> migrate(const Options& options) {
  auto connection = Connection::open(migrating_connection(options));
  if (!connection) return std::unexpected(connection.error());
  DatabaseClock clock;
  return apply(**connection, options, clock);
}

Result<std::vector<MigrationStatus>> migration_status(const Options& options) {
  auto connection = Connection::open(migrating_connection(options));
  if (!connection) return std::unexpected(connection.error());
  PostgresMigrationTarget target(**connection, options.schema);
  return store::migration_status(target, sql::kPostgresMigrations);
}

Result<std::vector<std::string>> verify(const Options& options) {
  auto connection = Connection::open(migrating_connection(options));
  if (!connection) return std::unexpected(connection.error());
  return schema_differences(**connection, options.schema, sql::kPostgresMigrations);
}

} // namespace perdure::store::postgres
