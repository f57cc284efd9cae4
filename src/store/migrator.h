// Migrator: brings a database to the schema that this program was built with, or says what is
// missing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/describe.h"
#include "base/time.h"
#include "perdure/result.h"
#include "store/sql.h"

namespace perdure::store {

/// A bookkeeping row: this schema file was applied.
struct AppliedMigration {
  std::int64_t version = 0;
  std::string name;
  std::string checksum; ///< SHA-256 of the file
  Instant applied_at{};
  friend bool operator==(const AppliedMigration&, const AppliedMigration&) = default;
};
PERDURE_DESCRIBE(AppliedMigration, version, name, checksum, applied_at)

/// A schema file and whether the database has it.
struct MigrationStatus {
  std::int64_t version = 0;
  std::string name;
  std::optional<Instant> applied_at; ///< none: pending
};

/// What the migrator needs of a database.
class MigrationTarget {
public:
  MigrationTarget() = default;
  MigrationTarget(const MigrationTarget&) = delete;
  MigrationTarget& operator=(const MigrationTarget&) = delete;
  virtual ~MigrationTarget() = default;

  /// The bookkeeping rows in order; empty in a database without the table.
  [[nodiscard]] virtual Result<std::vector<AppliedMigration>> applied() = 0;
  /// In an open transaction, when nothing is applied: how many of the files the database has
  /// without bookkeeping, made by hand or by an early version; 0 for an empty one. A conflict when
  /// its tables are none of ours. Leaves nothing behind.
  [[nodiscard]] virtual Result<std::int64_t> unversioned(
      std::span<const sql::Migration> migrations) = 0;
  /// Begins a transaction that keeps every other migrator out.
  [[nodiscard]] virtual Result<void> begin() = 0;
  [[nodiscard]] virtual Result<void> run(std::string_view script) = 0;
  [[nodiscard]] virtual Result<void> record(const AppliedMigration& row) = 0;
  [[nodiscard]] virtual Result<void> commit() = 0;
  virtual void rollback() = 0;
};

/// Every schema file with its state. A database whose applied files differ from this program's, or
/// that has newer ones, is a conflict: another program must be used.
[[nodiscard]] Result<std::vector<MigrationStatus>> migration_status(
    MigrationTarget& target, std::span<const sql::Migration> migrations);

/// Applies what is pending, each file in a transaction of its own with its bookkeeping row; returns
/// how many. Another process may do the same at the same time: each file is applied once. What a
/// database without bookkeeping has already is only noted down.
[[nodiscard]] Result<std::int64_t> migrate(MigrationTarget& target,
                                           std::span<const sql::Migration> migrations, Instant now);

/// A conflict when anything is pending; the message says how to apply it.
[[nodiscard]] Result<void> require_current(MigrationTarget& target,
                                           std::span<const sql::Migration> migrations);

} // namespace perdure::store
