#include "store/postgres/copy.h"

#include <map>
#include <tuple>
#include <utility>

#include "store/postgres/connection.h"
#include "store/postgres/migration_target.h"

namespace perdure::store::postgres {

namespace queries = sql::postgres;

namespace {

/// Of the parameters of one statement; a server takes at most 1 GiB in one message.
constexpr std::size_t kMostBytes = 64U * 1024 * 1024;

Result<void> done(const Result<QueryResult>& result) {
  return result ? Result<void>{} : std::unexpected(result.error());
}

WireType type_of(std::int64_t oid) {
  for (const auto type : {kBoolean, kBigint, kJson, kTimestamp}) {
    if (type.scalar == static_cast<std::uint32_t>(oid)) return type;
  }
  return kText;
}

/// The statements of one table. The connection refers to them by name.
struct TableStatements {
  std::vector<WireType> types; ///< of the columns
  std::string names[4];
  std::string texts[4];
  sql::Query rows;
  sql::Query others;
  sql::Query insert;
  sql::Query count;
};

/// The statements of all tables, made when they are first needed.
class Statements {
public:
  explicit Statements(Connection& connection) : connection_(connection) {}

  Result<const TableStatements*> of(const CopyTable& table) {
    auto& known = by_table_[table.name];
    if (known) return known.get();
    const std::vector<Call> calls{{&queries::copy_columns, parameters(table.name)},
                                  {&queries::copy_texts, parameters(table.name)}};
    const auto results = connection_.run(calls);
    if (!results) return std::unexpected(results.error());
    auto made = std::make_unique<TableStatements>();
    const auto& columns = results->front();
    std::vector<std::string> names;
    for (int i = 0; i < columns.size(); ++i) {
      names.push_back(columns.column<std::string>(i, 0));
      made->types.push_back(type_of(columns.column<std::int64_t>(i, 1)));
    }
    if (names != table.columns) {
      return fail(ErrorCode::conflict,
                  "Table " + table.name +
                      " has other columns than this program's; use the program that made it.",
                  table.name);
    }
    sql::Query* const queries_of[] = {&made->rows, &made->others, &made->insert, &made->count};
    const char* const kinds[] = {"rows_", "others_", "insert_", "count_"};
    for (int i = 0; i < 4; ++i) {
      made->names[i] = kinds[i] + table.name;
      made->texts[i] = results->back().column<std::string>(0, i);
      *queries_of[i] = {.name = made->names[i], .text = made->texts[i]};
    }
    known = std::move(made);
    return known.get();
  }

  Result<std::int64_t> count(const CopyTable& table) {
    const auto statements = of(table);
    if (!statements) return std::unexpected(statements.error());
    const auto result = connection_.query((*statements)->count);
    if (!result) return std::unexpected(result.error());
    return result->column<std::int64_t>(0, 0);
  }

private:
  Connection& connection_;
  std::map<std::string, std::unique_ptr<TableStatements>> by_table_;
};

Cell read_cell(const QueryResult& result, int row, int column, WireType type) {
  const auto cell = [&]<class T>(const std::optional<T>& value) -> Cell {
    if (!value) return {};
    if constexpr (std::is_same_v<T, Instant>) {
      return to_ms(*value);
    } else if constexpr (std::is_same_v<T, bool>) {
      return std::int64_t{*value ? 1 : 0};
    } else {
      return *value;
    }
  };
  if (type.scalar == kTimestamp.scalar) {
    return cell(result.column<std::optional<Instant>>(row, column));
  }
  if (type.scalar == kBoolean.scalar) return cell(result.column<std::optional<bool>>(row, column));
  if (type.scalar == kBigint.scalar) {
    return cell(result.column<std::optional<std::int64_t>>(row, column));
  }
  return cell(result.column<std::optional<std::string>>(row, column));
}

std::vector<CellRow> read_rows(const QueryResult& result, const std::vector<WireType>& types) {
  std::vector<CellRow> rows(static_cast<std::size_t>(result.size()));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t column = 0; column < types.size(); ++column) {
      rows[row].push_back(
          read_cell(result, static_cast<int>(row), static_cast<int>(column), types[column]));
    }
  }
  return rows;
}

class PostgresCopySource final : public CopySource {
public:
  explicit PostgresCopySource(std::unique_ptr<Connection> connection)
      : connection_(std::move(connection)), statements_(*connection_) {}

  Result<std::vector<InstanceAge>> instance_ages(Key after, std::int64_t limit) override {
    const auto result = connection_->query(queries::instance_ages, parameters(after, limit));
    if (!result) return std::unexpected(result.error());
    return result->rows<InstanceAge>();
  }

  Result<std::vector<CellRow>> rows(const CopyTable& table, Key first, Key last) override {
    const auto statements = statements_.of(table);
    if (!statements) return std::unexpected(statements.error());
    const auto result = connection_->query((*statements)->rows, parameters(first, last));
    if (!result) return std::unexpected(result.error());
    return read_rows(*result, (*statements)->types);
  }

  Result<void> other_rows(const CopyTable& table, const Take& take) override {
    if (table.name == "process_instance") return {};
    const auto statements = statements_.of(table);
    if (!statements) return std::unexpected(statements.error());
    if (auto opened = done(connection_->query((*statements)->others)); !opened) return opened;
    for (;;) {
      const auto batch = connection_->query(queries::copy_fetch);
      if (!batch) return std::unexpected(batch.error());
      if (batch->size() == 0) break;
      if (auto taken = take(read_rows(*batch, (*statements)->types)); !taken) return taken;
    }
    return done(connection_->query(queries::copy_close));
  }

  Result<std::int64_t> count(const CopyTable& table) override { return statements_.count(table); }

  Result<Key> next_key() override {
    const auto result = connection_->query(queries::copy_next_key);
    if (!result) return std::unexpected(result.error());
    return result->column<Key>(0, 0);
  }

private:
  std::unique_ptr<Connection> connection_;
  Statements statements_;
};

class PostgresCopyTarget final : public CopyTarget {
public:
  explicit PostgresCopyTarget(Connection& connection)
      : connection_(connection), statements_(connection) {}

  Result<void> write(const CopyTable& table, const std::vector<CellRow>& rows) override {
    const auto statements = statements_.of(table);
    if (!statements) return std::unexpected(statements.error());
    const auto& types = (*statements)->types;
    for (std::size_t row = 0; row < rows.size();) {
      std::vector<ArrayParameter> arrays(types.begin(), types.end());
      for (std::size_t bytes = 0; row < rows.size() && bytes < kMostBytes; ++row)
        bytes += add(rows[row], types, arrays);
      Parameters given;
      for (auto& array : arrays)
        given.push_back(array.take());
      auto written = done(connection_.query((*statements)->insert, std::move(given)));
      if (!written) return written;
    }
    return {};
  }

  Result<std::int64_t> count(const CopyTable& table) override { return statements_.count(table); }

  Result<void> finish(Key next_key) override {
    return done(connection_.query(queries::copy_keys_begin, parameters(next_key)));
  }

private:
  /// Returns about how many bytes were added.
  static std::size_t add(const CellRow& row, const std::vector<WireType>& types,
                         std::vector<ArrayParameter>& arrays) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (const auto* text = std::get_if<std::string>(&row[i])) {
        arrays[i].add(*text);
        bytes += text->size();
      } else if (const auto* number = std::get_if<std::int64_t>(&row[i])) {
        if (types[i].scalar == kTimestamp.scalar)
          arrays[i].add(from_ms(*number));
        else if (types[i].scalar == kBoolean.scalar)
          arrays[i].add(*number != 0);
        else
          arrays[i].add(*number);
      } else {
        arrays[i].add_null();
      }
      bytes += 12;
    }
    return bytes;
  }

  Connection& connection_;
  Statements statements_;
};

/// A copy may take as long as it needs.
ConnectionOptions copying_connection(const Options& options) {
  auto made = engine_connection(options);
  made.statement_timeout = Duration(0);
  made.idle_in_transaction_timeout = Duration(0);
  return made;
}

Result<void> require_empty(CopyTarget& target, const std::vector<CopyTable>& tables,
                           const Options& options) {
  for (const auto& table : tables) {
    const auto rows = target.count(table);
    if (!rows) return std::unexpected(rows.error());
    if (*rows == 0) continue;
    return fail(ErrorCode::conflict,
                "Schema " + options.schema + " of " + without_password(options.url) +
                    " has rows already (table " + table.name + "); use another schema or database.",
                table.name);
  }
  return {};
}

} // namespace

Result<std::unique_ptr<CopySource>> copy_source(const Options& options) {
  auto connection = Connection::open(copying_connection(options));
  if (!connection) return std::unexpected(connection.error());
  PostgresMigrationTarget target(**connection, options.schema);
  const auto current = require_current(target, sql::kPostgresMigrations);
  if (!current) return std::unexpected(current.error());
  if (auto begun = done((*connection)->query(queries::transaction_begin_read)); !begun) {
    return std::unexpected(begun.error());
  }
  return std::make_unique<PostgresCopySource>(std::move(*connection));
}

Result<void> fill_schema(const Options& options, const std::vector<CopyTable>& tables,
                         const std::function<Result<void>(CopyTarget&)>& fill) {
  if (const auto ready = migrate(options); !ready) return std::unexpected(ready.error());
  auto connection = Connection::open(copying_connection(options));
  if (!connection) return std::unexpected(connection.error());
  const std::vector<Call> begin{{&queries::transaction_begin_write, {}}, {&queries::copy_lock, {}}};
  if (const auto begun = (*connection)->run(begin); !begun) return std::unexpected(begun.error());
  PostgresCopyTarget target(**connection);
  auto filled = require_empty(target, tables, options);
  if (filled) filled = fill(target);
  if (filled) return done((*connection)->query(queries::transaction_commit));
  (*connection)->roll_back();
  return filled;
}

} // namespace perdure::store::postgres
