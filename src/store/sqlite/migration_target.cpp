#include "store/sqlite/migration_target.h"

#include <algorithm>

#include "store/recognise.h"

namespace perdure::store::sqlite {

namespace queries = sql::sqlite;

Result<std::vector<std::string>> schema_of(Connection& connection) {
  auto lines = connection.statement(queries::schema_dump).rows<std::string>();
  if (lines) std::ranges::sort(*lines);
  return lines;
}

Result<std::vector<AppliedMigration>> SqliteMigrationTarget::applied() {
  const auto exists = connection_.statement(queries::schema_table_exists)
                          .bind(std::string_view("schema_migration"))
                          .row<std::int64_t>();
  if (!exists) return std::unexpected(exists.error());
  if (!*exists) return std::vector<AppliedMigration>{};
  return connection_.statement(queries::migration_applied).rows<AppliedMigration>();
}

Result<std::int64_t> SqliteMigrationTarget::unversioned(
    std::span<const sql::Migration> migrations) {
  const auto actual = schema_of(connection_);
  if (!actual) return std::unexpected(actual.error());
  auto scratch = Connection::open({.path = ":memory:"});
  if (!scratch) return std::unexpected(scratch.error());
  return recognise(*actual, migrations, [&](const sql::Migration& migration) {
    const auto ran = (*scratch)->script(migration.text);
    return ran ? schema_of(**scratch) : std::unexpected(ran.error());
  });
}

Result<void> SqliteMigrationTarget::begin() {
  return connection_.statement(queries::transaction_begin_write).run();
}

Result<void> SqliteMigrationTarget::run(std::string_view script) {
  return connection_.script(script);
}

Result<void> SqliteMigrationTarget::record(const AppliedMigration& row) {
  return connection_.statement(queries::migration_record).bind_row(row).run();
}

Result<void> SqliteMigrationTarget::commit() {
  return connection_.statement(queries::transaction_commit).run();
}

void SqliteMigrationTarget::rollback() {
  if (!connection_.in_transaction()) return;
  // What cannot be rolled back was never committed.
  static_cast<void>(connection_.statement(queries::transaction_rollback).run());
}

} // namespace perdure::store::sqlite
