#include "store/migrator.h"

#include <utility>

#include "base/digest.h"

namespace perdure::store {

namespace {

std::string title(std::int64_t version, std::string_view name) {
  return std::to_string(version) + " (" + std::string(name) + ")";
}

/// Whether this program may work on a database with these files.
Result<void> compare(const std::vector<AppliedMigration>& applied,
                     std::span<const sql::Migration> migrations) {
  for (std::size_t i = 0; i < applied.size(); ++i) {
    const auto& row = applied[i];
    if (i >= migrations.size()) {
      return fail(ErrorCode::conflict,
                  "The database has schema " + title(row.version, row.name) +
                      ", which is newer than this program; use the program that wrote it.",
                  "schema_migration");
    }
    const auto& known = migrations[i];
    if (row.version != known.version || row.checksum != sha256_hex(known.text)) {
      return fail(ErrorCode::conflict,
                  "Schema " + title(row.version, row.name) +
                      " of the database differs from this program's; use the program that wrote "
                      "it, or a new database.",
                  "schema_migration");
    }
  }
  return {};
}

Result<std::vector<AppliedMigration>> compared(MigrationTarget& target,
                                               std::span<const sql::Migration> migrations) {
  auto applied = target.applied();
  if (!applied) return applied;
  if (const auto same = compare(*applied, migrations); !same) {
    return std::unexpected(same.error());
  }
  return applied;
}

AppliedMigration row_of(const sql::Migration& migration, Instant now) {
  return {migration.version, std::string(migration.name), sha256_hex(migration.text), now};
}

/// In an open transaction: notes down the files that a database without bookkeeping has. False when
/// it has none.
Result<bool> stamp(MigrationTarget& target, std::span<const sql::Migration> migrations,
                   Instant now) {
  const auto count = target.unversioned(migrations);
  if (!count) return std::unexpected(count.error());
  for (const auto& migration : migrations.first(static_cast<std::size_t>(*count))) {
    const auto recorded = target.record(row_of(migration, now));
    if (!recorded) return std::unexpected(recorded.error());
  }
  return *count > 0;
}

/// In an open transaction: applies the first pending file. False when there is none.
Result<bool> apply_next(MigrationTarget& target, std::span<const sql::Migration> migrations,
                        Instant now) {
  const auto applied = compared(target, migrations);
  if (!applied) return std::unexpected(applied.error());
  if (applied->size() == migrations.size()) return false;
  if (applied->empty()) {
    const auto stamped = stamp(target, migrations, now);
    if (!stamped || *stamped) return stamped;
  }
  const auto& next = migrations[applied->size()];
  if (auto ran = target.run(next.text); !ran) {
    ran.error().message =
        "Schema " + title(next.version, next.name) + " cannot be applied: " + ran.error().message;
    return std::unexpected(std::move(ran.error()));
  }
  const auto recorded = target.record(row_of(next, now));
  if (!recorded) return std::unexpected(recorded.error());
  return true;
}

} // namespace

Result<std::vector<MigrationStatus>> migration_status(MigrationTarget& target,
                                                      std::span<const sql::Migration> migrations) {
  const auto applied = compared(target, migrations);
  if (!applied) return std::unexpected(applied.error());
  std::vector<MigrationStatus> status;
  for (const auto& migration : migrations) {
    auto& entry = status.emplace_back(
        MigrationStatus{migration.version, std::string(migration.name), std::nullopt});
    if (status.size() <= applied->size()) {
      entry.applied_at = (*applied)[status.size() - 1].applied_at;
    }
  }
  return status;
}

Result<std::int64_t> migrate(MigrationTarget& target, std::span<const sql::Migration> migrations,
                             Instant now) {
  // Nothing pending, the usual case, is found without a lock.
  const auto before = compared(target, migrations);
  if (!before) return std::unexpected(before.error());
  if (before->size() == migrations.size()) return 0;
  for (std::int64_t count = 0;; ++count) {
    if (const auto begun = target.begin(); !begun) return std::unexpected(begun.error());
    const auto more = apply_next(target, migrations, now);
    if (!more || !*more) {
      target.rollback();
      if (!more) return std::unexpected(more.error());
      return count;
    }
    if (const auto done = target.commit(); !done) {
      target.rollback();
      return std::unexpected(done.error());
    }
  }
}

Result<void> require_current(MigrationTarget& target, std::span<const sql::Migration> migrations) {
  const auto applied = compared(target, migrations);
  if (!applied) return std::unexpected(applied.error());
  if (applied->size() == migrations.size()) return {};
  const auto& next = migrations[applied->size()];
  return fail(ErrorCode::conflict,
              "The database lacks schema " + title(next.version, next.name) +
                  "; run \"perdure migrate\" first.",
              "schema_migration");
}

} // namespace perdure::store
