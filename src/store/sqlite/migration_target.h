// The migrator's view of a SQLite file.
#pragma once

#include "store/migrator.h"
#include "store/sqlite/connection.h"

namespace perdure::store::sqlite {

/// The statements of the schema, sorted.
[[nodiscard]] Result<std::vector<std::string>> schema_of(Connection& connection);

/// The connection must outlive it.
class SqliteMigrationTarget final : public MigrationTarget {
public:
  explicit SqliteMigrationTarget(Connection& connection) : connection_(connection) {}

  Result<std::vector<AppliedMigration>> applied() override;
  Result<std::int64_t> unversioned(std::span<const sql::Migration> migrations) override;
  Result<void> begin() override;
  Result<void> run(std::string_view script) override;
  Result<void> record(const AppliedMigration& row) override;
  Result<void> commit() override;
  void rollback() override;

private:
  Connection& connection_;
};

} // namespace perdure::store::sqlite
