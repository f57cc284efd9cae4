// The migrator's view of a PostgreSQL schema.
#pragma once

#include "store/migrator.h"
#include "store/postgres/connection.h"

namespace perdure::store::postgres {

/// What is in a schema, one sorted line for each thing.
[[nodiscard]] Result<std::vector<std::string>> schema_of(Connection& connection,
                                                         const std::string& schema);
/// What differs in the schema from what the files make.
[[nodiscard]] Result<std::vector<std::string>> schema_differences(
    Connection& connection, const std::string& schema, std::span<const sql::Migration> migrations);

/// The connection must outlive it.
class PostgresMigrationTarget final : public MigrationTarget {
public:
  PostgresMigrationTarget(Connection& connection, std::string schema)
      : connection_(connection), schema_(std::move(schema)) {}

  Result<std::vector<AppliedMigration>> applied() override;
  Result<std::int64_t> unversioned(std::span<const sql::Migration> migrations) override;
  /// One migrator at a time, on however many nodes. Makes the schema when there is none.
  Result<void> begin() override;
  Result<void> run(std::string_view script) override;
  Result<void> record(const AppliedMigration& row) override;
  Result<void> commit() override;
  void rollback() override;

private:
  Connection& connection_;
  std::string schema_;
};

} // namespace perdure::store::postgres
