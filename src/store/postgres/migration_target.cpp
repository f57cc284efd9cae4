#include "store/postgres/migration_target.h"

#include "store/recognise.h"

namespace perdure::store::postgres {

namespace queries = sql::postgres;

namespace {

Result<void> done(const Result<QueryResult>& result) {
  return result ? Result<void>{} : std::unexpected(result.error());
}

/// A schema within an open transaction that is taken back at the end.
class Scratch {
public:
  explicit Scratch(Connection& connection) : connection_(connection) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    // After an error the whole transaction is rolled back by its owner.
    if (made_) static_cast<void>(connection_.query(queries::scratch_rollback));
  }

  /// Applies one more file; what is in the schema then.
  Result<std::vector<std::string>> dump_after(const sql::Migration& migration) {
    if (!made_) {
      if (auto begun = done(connection_.query(queries::scratch_begin)); !begun) {
        return std::unexpected(begun.error());
      }
      made_ = true;
      const auto name = std::string(kName);
      auto created =
          connection_.script("CREATE SCHEMA " + name + "; SET LOCAL search_path TO " + name);
      if (!created) return std::unexpected(created.error());
    }
    if (auto ran = connection_.script(migration.text); !ran) return std::unexpected(ran.error());
    return schema_of(connection_, std::string(kName));
  }

private:
  static constexpr std::string_view kName = "perdure_scratch";
  Connection& connection_;
  bool made_ = false;
};

} // namespace

Result<std::vector<std::string>> schema_of(Connection& connection, const std::string& schema) {
  const auto lines = connection.query(queries::schema_dump, parameters(schema));
  if (!lines) return std::unexpected(lines.error());
  return lines->rows<std::string>();
}

Result<std::vector<std::string>> schema_differences(Connection& connection,
                                                    const std::string& schema,
                                                    std::span<const sql::Migration> migrations) {
  const auto actual = schema_of(connection, schema);
  if (!actual) return actual;
  if (auto begun = done(connection.query(queries::transaction_begin_write)); !begun) {
    return std::unexpected(begun.error());
  }
  Scratch scratch(connection);
  std::vector<std::string> findings;
  Result<std::vector<std::string>> expected;
  for (const auto& migration : migrations) {
    expected = scratch.dump_after(migration);
    if (!expected) return expected;
  }
  add_difference(*expected, *actual, "Missing or changed in the schema: ", findings);
  add_difference(*actual, *expected, "Not of this schema: ", findings);
  connection.roll_back();
  return findings;
}

Result<std::int64_t> PostgresMigrationTarget::unversioned(
    std::span<const sql::Migration> migrations) {
  const auto actual = schema_of(connection_, schema_);
  if (!actual) return std::unexpected(actual.error());
  Scratch scratch(connection_);
  return recognise(*actual, migrations,
                   [&](const sql::Migration& migration) { return scratch.dump_after(migration); });
}

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
                                {&queries::migration_haste, {}},
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
