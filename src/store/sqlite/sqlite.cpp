#include "store/sqlite/sqlite.h"

#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>

#include "store/recognise.h"
#include "store/sqlite/migration_target.h"
#include "store/sqlite/reader.h"
#include "store/sqlite/store.h"

namespace perdure::store::sqlite {

namespace queries = sql::sqlite;

namespace {

Result<std::unique_ptr<Connection>> open_migrated(const ConnectionOptions& options, Migrate migrate,
                                                  const Clock& clock) {
  auto connection = Connection::open(options);
  if (!connection) return connection;
  SqliteMigrationTarget target(**connection);
  if (migrate == Migrate::refuse) {
    const auto current = require_current(target, sql::kSqliteMigrations);
    if (!current) return std::unexpected(current.error());
    return connection;
  }
  const auto applied = store::migrate(target, sql::kSqliteMigrations, clock.now());
  if (!applied) return std::unexpected(applied.error());
  return connection;
}

Result<std::unique_ptr<Connection>> open_existing(const std::string& path) {
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) {
    return fail(ErrorCode::not_found, "There is no database " + path + "; check the path.", path);
  }
  return Connection::open({.path = path, .read_only = true});
}

/// The schema as this program makes it.
Result<std::vector<std::string>> expected_dump() {
  auto connection = Connection::open({.path = ":memory:"});
  if (!connection) return std::unexpected(connection.error());
  for (const auto& migration : sql::kSqliteMigrations) {
    const auto ran = (*connection)->script(migration.text);
    if (!ran) return std::unexpected(ran.error());
  }
  return schema_of(**connection);
}

/// Lines of PRAGMA foreign_key_check: table, key of the row, parent table, number of the key.
using MissingParent =
    std::tuple<std::string, std::optional<std::int64_t>, std::string, std::int64_t>;

} // namespace

std::string database_path(const std::string& folder) { return folder + "/perdure.db"; }

Result<Database> open(const Options& options, const Clock& clock) {
  const auto folder = std::filesystem::path(options.path).parent_path();
  std::error_code failed;
  if (!folder.empty() && !options.in_memory) std::filesystem::create_directories(folder, failed);
  if (failed) {
    return fail(ErrorCode::unavailable,
                "The folder " + folder.string() + " cannot be made (" + failed.message() +
                    "); check its path and permissions.",
                folder.string());
  }
  auto counters = std::make_shared<Counters>();
  const ConnectionOptions writing{.path = options.path,
                                  .in_memory = options.in_memory,
                                  .read_only = false,
                                  .synchronous = options.synchronous,
                                  .counters = counters};
  auto connection = open_migrated(writing, options.migrate, clock);
  if (!connection) return std::unexpected(connection.error());
  auto reading = writing;
  reading.read_only = true;
  reading.counters = nullptr; // the counters are about the cost of running instances
  Database database;
  database.store = std::make_unique<SqliteStore>(std::move(*connection), options.guard);
  database.reader = std::make_unique<SqliteReader>(std::move(reading), options.readers);
  database.counters = std::move(counters);
  return database;
}

Result<std::unique_ptr<Connection>> hold_in_memory(const std::string& name) {
  return Connection::open({.path = name, .in_memory = true});
}

Result<std::int64_t> migrate(const std::string& path, const Clock& clock) {
  auto connection = Connection::open({.path = path});
  if (!connection) return std::unexpected(connection.error());
  SqliteMigrationTarget target(**connection);
  return store::migrate(target, sql::kSqliteMigrations, clock.now());
}

Result<std::vector<MigrationStatus>> migration_status(const std::string& path) {
  auto connection = open_existing(path);
  if (!connection) return std::unexpected(connection.error());
  SqliteMigrationTarget target(**connection);
  return store::migration_status(target, sql::kSqliteMigrations);
}

Result<std::vector<std::string>> verify(const std::string& path) {
  auto connection = open_existing(path);
  if (!connection) return std::unexpected(connection.error());
  auto findings = (*connection)->statement(queries::schema_integrity).rows<std::string>();
  if (!findings) return findings;
  std::erase(*findings, "ok");
  auto orphans = (*connection)->statement(queries::schema_foreign_key_check).rows<MissingParent>();
  if (!orphans) return std::unexpected(orphans.error());
  for (const auto& [table, row, parent, number] : *orphans) {
    findings->push_back("A row of " + table + (row ? " (" + std::to_string(*row) + ")" : "") +
                        " refers to a row of " + parent + " that is not there.");
  }
  const auto actual = schema_of(**connection);
  if (!actual) return actual;
  const auto expected = expected_dump();
  if (!expected) return expected;
  add_difference(*expected, *actual, "Missing or changed in the schema: ", *findings);
  add_difference(*actual, *expected, "Not of this schema: ", *findings);
  return findings;
}

} // namespace perdure::store::sqlite
