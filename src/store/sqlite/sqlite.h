// The front door of the room: opens a database file for the engine and its readers.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "perdure/result.h"
#include "store/commit_guard.h"
#include "store/migrator.h"
#include "store/sqlite/connection.h"
#include "store/sqlite/counters.h"
#include "store/store.h"

namespace perdure::store::sqlite {

/// What to do about schema files that the database lacks.
enum class Migrate {
  apply,  ///< bring it up to date
  refuse, ///< a conflict when any is pending
};

struct Options {
  std::string path; ///< of the file; its folder is made when there is none
  /// The path is the name of a database in the memory of this process. It lives as long as any
  /// connection to it.
  bool in_memory = false;
  Migrate migrate = Migrate::apply;
  Synchronous synchronous = Synchronous::full;
  std::size_t readers = 4;              ///< connections at most
  std::shared_ptr<CommitGuard> guard{}; ///< may be null
};

struct Database {
  std::unique_ptr<Store> store;
  std::unique_ptr<Reader> reader;
  std::shared_ptr<Counters> counters;
};

/// Opens or makes the database. The clock is read for the bookkeeping of migrations only. One
/// process should do so at a time for writing: take the OwnerLock first.
[[nodiscard]] Result<Database> open(const Options& options, const Clock& clock);

/// Keeps a database in memory while nobody else has it open.
[[nodiscard]] Result<std::unique_ptr<Connection>> hold_in_memory(const std::string& name);

/// The file in a folder of data: `<folder>/perdure.db`.
[[nodiscard]] std::string database_path(const std::string& folder);

/// Applies pending schema files and returns how many there were.
[[nodiscard]] Result<std::int64_t> migrate(const std::string& path, const Clock& clock);
/// Schema files and when they were applied. The database must exist.
[[nodiscard]] Result<std::vector<MigrationStatus>> migration_status(const std::string& path);
/// Lines that say what is wrong with the file itself or the schema in it (pages, indexes, foreign
/// keys, changed definitions); empty when nothing is. Reads everything: for `check`.
[[nodiscard]] Result<std::vector<std::string>> verify(const std::string& path);

} // namespace perdure::store::sqlite
