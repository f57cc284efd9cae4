#include "store/postgres/migration_target.h"

namespace perdure::store::postgres {

namespace queries = sql::postgres;

namespace {

Result<void> done(const Result<QueryResult>& result) {
  return result ? Result<void>{} : std::unexpected(result.error());
}

} // namespace

Result<std::vector<AppliedMigration>> PostgresMigrationTarget::applied() {
  const auto exists = connection_.query(queries::schema_table_exists,
                                        parameters(schema_, std::string_view("schema_migration")));
  if (!exists) return std::unexpected(exists.error());
  if (exists->size() == 0) return std::vector<AppliedMigration>{};
  const auto rows = connection_.query(queries::migration_applied);
  if (!rows) return std::unexpected(rows.error());
  return rows->rows<AppliedMigration>();
}

Result<void> PostgresMigrationTarget::begin() {
  const std::vector<Call> calls{{&queries::transaction_begin_write, {}},
                                {&queries::migration_patience, {}},
                                {&queries::transaction_lock, parameters("perdure:migrate")},
                                {&queries::schema_exists, parameters(schema_)}};
  const auto results = connection_.run(calls);
  if (!results) return std::unexpected(results.error());
  if (results->back().size() > 0) return {};
  return connection_.script("CREATE SCHEMA " + schema_); // a checked name, see Connection::open
}

Result<void> PostgresMigrationTarget::run(std::string_view script) {
  return connection_.script(script);
}

Result<void> PostgresMigrationTarget::record(const AppliedMigration& row) {
  return done(connection_.query(queries::migration_record, row_parameters(row)));
}

Result<void> PostgresMigrationTarget::commit() {
  return done(connection_.query(queries::transaction_commit));
}

void PostgresMigrationTarget::rollback() { connection_.roll_back(); }

} // namespace perdure::store::postgres
