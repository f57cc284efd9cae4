// The migrator's view of a PostgreSQL schema.
#pragma once

#include "store/migrator.h"
#include "store/postgres/connection.h"

namespace perdure::store::postgres {

/// The connection must outlive it.
class PostgresMigrationTarget final : public MigrationTarget {
public:
  PostgresMigrationTarget(Connection& connection, std::string schema)
      : connection_(connection), schema_(std::move(schema)) {}

  Result<std::vector<AppliedMigration>> applied() override;
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
