// The front door of the room: opens a PostgreSQL database for the engine and its readers.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/result.h"
#include "store/commit_guard.h"
#include "store/migrator.h"
#include "store/postgres/clock.h"
#include "store/postgres/connection.h"
#include "store/postgres/counters.h"
#include "store/postgres/watch.h"
#include "store/store.h"

namespace perdure::store::postgres {

/// What to do about schema files that the database lacks.
enum class Migrate {
  apply,  ///< bring it up to date
  refuse, ///< a conflict when any is pending
};

struct Options {
  std::string url; ///< postgres://user@host/database, or empty for what the environment says
  std::string schema = "perdure";
  Migrate migrate = Migrate::apply;
  std::string node_name = "perdure"; ///< shown in pg_stat_activity
  std::size_t readers = 4;           ///< connections at most
  /// For tests: sees the commits, and lets the store die. Its test also has a clock of its own.
  std::shared_ptr<CommitGuard> guard{};
};

struct Database {
  std::unique_ptr<Store> store;
  std::unique_ptr<Reader> reader;
  std::shared_ptr<Counters> counters;
  std::shared_ptr<DatabaseClock> clock; ///< measured once; a Watch keeps it right
};

/// Whether the text names a PostgreSQL database (postgres:// or postgresql://).
[[nodiscard]] bool is_postgres_url(std::string_view text);
/// The URL without its password, for people.
[[nodiscard]] std::string without_password(std::string_view url);

/// Opens the database; makes the schema when there is none. Any number of processes may do so at
/// once.
[[nodiscard]] Result<Database> open(const Options& options);

/// Calls `wake` after commits of other nodes, and keeps the clock of the open database right.
[[nodiscard]] std::unique_ptr<Watch> watch(const Options& options, const Database& database,
                                           std::function<void()> wake);

/// Applies pending schema files and returns how many there were.
[[nodiscard]] Result<std::int64_t> migrate(const Options& options);
/// Schema files and when they were applied.
[[nodiscard]] Result<std::vector<MigrationStatus>> migration_status(const Options& options);

/// Lines that say what differs in the schema from what this program makes; empty when nothing does.
/// For `check`.
[[nodiscard]] Result<std::vector<std::string>> verify(const Options& options);

/// What a connection for the engine, or for readers, is made of.
[[nodiscard]] ConnectionOptions engine_connection(const Options& options);
[[nodiscard]] ConnectionOptions reader_connection(const Options& options);
/// The channel on which nodes tell each other of commits.
[[nodiscard]] std::string channel_of(const Options& options);

} // namespace perdure::store::postgres
