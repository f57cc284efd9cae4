#include "store/sqlite/copy.h"

#include <sqlite3.h>

#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "store/sqlite/connection.h"
#include "store/sqlite/migration_target.h"

namespace perdure::store::sqlite {

namespace queries = sql::sqlite;

namespace {

constexpr std::size_t kBatch = 500;

/// Statements of one table. They refer to the texts, so that nothing here may be moved.
class TableStatements {
public:
  using Texts = std::tuple<std::string, std::string, std::string, std::string>;

  TableStatements(sqlite3* database, Texts texts)
      : texts_(std::move(texts)),
        rows(database, {"copy_rows", std::get<0>(texts_)}, nullptr),
        others(database, {"copy_others", std::get<1>(texts_)}, nullptr),
        insert(database, {"copy_insert", std::get<2>(texts_)}, nullptr),
        count(database, {"copy_count", std::get<3>(texts_)}, nullptr) {}

private:
  Texts texts_;

public:
  Statement rows;
  Statement others;
  Statement insert;
  Statement count;
};

/// The statements of all tables, made when they are first needed.
class Statements {
public:
  explicit Statements(Connection& connection) : connection_(connection) {}

  Result<TableStatements*> of(const CopyTable& table) {
    auto& known = by_table_[table.name];
    if (known) return known.get();
    auto texts = connection_.statement(queries::copy_texts)
                     .bind(std::string_view(table.name))
                     .row<TableStatements::Texts>();
    if (!texts) return std::unexpected(texts.error());
    known = std::make_unique<TableStatements>(connection_.handle(), std::move(texts->value()));
    return known.get();
  }

  Result<std::int64_t> count(const CopyTable& table) {
    const auto statements = of(table);
    if (!statements) return std::unexpected(statements.error());
    const auto count = (*statements)->count.row<std::int64_t>();
    if (!count) return std::unexpected(count.error());
    return count->value_or(0);
  }

private:
  Connection& connection_;
  std::map<std::string, std::unique_ptr<TableStatements>> by_table_;
};

/// The columns of the current row.
CellRow read_row(sqlite3_stmt* statement) {
  CellRow row;
  const int columns = sqlite3_column_count(statement);
  for (int i = 0; i < columns; ++i) {
    switch (sqlite3_column_type(statement, i)) {
      case SQLITE_NULL: row.emplace_back(); break;
      case SQLITE_INTEGER: row.emplace_back(sqlite3_column_int64(statement, i)); break;
      default: {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
        row.emplace_back(
            std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement, i))));
      }
    }
  }
  return row;
}

void bind_row(Statement& statement, const CellRow& row) {
  int index = 0;
  for (const auto& cell : row) {
    ++index;
    if (const auto* number = std::get_if<std::int64_t>(&cell)) {
      statement.bind_field(index, *number);
    } else if (const auto* text = std::get_if<std::string>(&cell)) {
      statement.bind_field(index, std::string_view(*text));
    } else {
      statement.bind_field(index, std::optional<std::int64_t>());
    }
  }
}

class SqliteCopySource final : public CopySource {
public:
  SqliteCopySource(std::unique_ptr<Connection> connection, Transaction transaction)
      : connection_(std::move(connection)),
        transaction_(std::move(transaction)),
        statements_(*connection_) {}

  Result<std::vector<InstanceAge>> instance_ages(Key after, std::int64_t limit) override {
    return connection_->statement(queries::instance_ages).bind(after, limit).rows<InstanceAge>();
  }

  Result<std::vector<CellRow>> rows(const CopyTable& table, Key first, Key last) override {
    const auto statements = statements_.of(table);
    if (!statements) return std::unexpected(statements.error());
    std::vector<CellRow> rows;
    const auto done = (*statements)->rows.bind(first, last).each([&](Statement& statement) {
      rows.push_back(read_row(statement.handle()));
    });
    if (!done) return std::unexpected(done.error());
    return rows;
  }

  Result<void> other_rows(const CopyTable& table, const Take& take) override {
    if (table.name == "process_instance") return {};
    const auto statements = statements_.of(table);
    if (!statements) return std::unexpected(statements.error());
    std::vector<CellRow> batch;
    Result<void> taken;
    const auto done = (*statements)->others.each([&](Statement& statement) {
      if (!taken) return;
      batch.push_back(read_row(statement.handle()));
      if (batch.size() == kBatch) taken = take(std::exchange(batch, {}));
    });
    if (!done) return done;
    return taken ? take(std::move(batch)) : taken;
  }

  Result<std::int64_t> count(const CopyTable& table) override { return statements_.count(table); }

  Result<Key> next_key() override {
    const auto key = connection_->statement(queries::copy_next_key).row<Key>();
    if (!key) return std::unexpected(key.error());
    if (!*key) return fail(ErrorCode::internal, "The database has lost its row of keys.");
    return **key;
  }

private:
  std::unique_ptr<Connection> connection_;
  Transaction transaction_;
  Statements statements_;
};

class SqliteCopyTarget final : public CopyTarget {
public:
  explicit SqliteCopyTarget(Connection& connection)
      : connection_(connection), statements_(connection) {}

  Result<void> write(const CopyTable& table, const std::vector<CellRow>& rows) override {
    const auto statements = statements_.of(table);
    if (!statements) return std::unexpected(statements.error());
    auto& insert = (*statements)->insert;
    for (const auto& row : rows) {
      bind_row(insert, row);
      if (auto done = insert.run(); !done) return done;
    }
    return {};
  }

  Result<std::int64_t> count(const CopyTable& table) override { return statements_.count(table); }

  Result<void> finish(Key next_key) override {
    return connection_.statement(queries::copy_keys_begin).bind(next_key).run();
  }

private:
  Connection& connection_;
  Statements statements_;
};

Result<std::unique_ptr<Connection>> open_current(const std::string& path) {
  auto connection = Connection::open({.path = path, .read_only = true});
  if (!connection) return connection;
  SqliteMigrationTarget target(**connection);
  const auto current = require_current(target, sql::kSqliteMigrations);
  if (!current) return std::unexpected(current.error());
  return connection;
}

} // namespace

Result<std::unique_ptr<CopySource>> copy_source(const std::string& path) {
  auto connection = open_current(path);
  if (!connection) return std::unexpected(connection.error());
  auto transaction = Transaction::begin(**connection, Transaction::Kind::read);
  if (!transaction) return std::unexpected(transaction.error());
  return std::make_unique<SqliteCopySource>(std::move(*connection), std::move(*transaction));
}

Result<std::vector<CopyTable>> copy_tables() {
  auto scratch = Connection::open({.path = ":memory:"});
  if (!scratch) return std::unexpected(scratch.error());
  auto& connection = **scratch;
  for (const auto& migration : sql::kSqliteMigrations) {
    if (auto ran = connection.script(migration.text); !ran) return std::unexpected(ran.error());
  }
  using Found =
      std::tuple<std::string, bool, std::optional<std::string>, std::optional<std::string>>;
  const auto found = connection.statement(queries::copy_tables).rows<Found>();
  if (!found) return std::unexpected(found.error());
  std::vector<CopyTable> tables;
  for (const auto& [name, of_instances, id, parent] : *found) {
    auto columns = connection.statement(queries::copy_columns)
                       .bind(std::string_view(name))
                       .rows<std::string>();
    if (!columns) return std::unexpected(columns.error());
    const auto place = [&](const std::optional<std::string>& column) {
      std::optional<std::size_t> at;
      for (std::size_t i = 0; column && i < columns->size(); ++i) {
        if ((*columns)[i] == *column) at = i;
      }
      return at;
    };
    CopyTable table{
        .name = name, .of_instances = of_instances, .id = place(id), .parent = place(parent)};
    table.columns = std::move(*columns);
    tables.push_back(std::move(table));
  }
  return tables;
}

Result<void> fill_database(const std::string& path, const Clock& clock,
                           const std::function<Result<void>(CopyTarget&)>& fill) {
  auto connection = Connection::open({.path = path});
  if (!connection) return std::unexpected(connection.error());
  SqliteMigrationTarget migrating(**connection);
  const auto applied = migrate(migrating, sql::kSqliteMigrations, clock.now());
  if (!applied) return std::unexpected(applied.error());
  // One transaction writes everything: a log would hold it all a second time.
  if (auto done = (*connection)->statement(queries::copy_single_file).run(); !done) return done;
  auto transaction = Transaction::begin(**connection, Transaction::Kind::write);
  if (!transaction) return std::unexpected(transaction.error());
  // Scopes and tokens refer to each other.
  if (auto done = (*connection)->statement(queries::purge_defer).run(); !done) return done;
  SqliteCopyTarget target(**connection);
  if (auto done = fill(target); !done) return done;
  return transaction->commit();
}

} // namespace perdure::store::sqlite
