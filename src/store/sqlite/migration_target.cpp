#include "store/sqlite/migration_target.h"

namespace perdure::store::sqlite {

namespace queries = sql::sqlite;

Result<std::vector<AppliedMigration>> SqliteMigrationTarget::applied() {
  const auto exists = connection_.statement(queries::schema_table_exists)
                          .bind(std::string_view("schema_migration"))
                          .row<std::int64_t>();
  if (!exists) return std::unexpected(exists.error());
  if (!*exists) return std::vector<AppliedMigration>{};
  return connection_.statement(queries::migration_applied).rows<AppliedMigration>();
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
