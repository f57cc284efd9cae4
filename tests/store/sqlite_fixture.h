// A bare SQLite database with the whole schema, for tests that speak SQL to it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/sql.h"
#include "store/sqlite/connection.h"

namespace perdure::store::sqlite {

/// A new database in memory.
inline std::unique_ptr<Connection> new_schema() {
  auto connection = Connection::open({.path = ":memory:"});
  EXPECT_TRUE(connection) << connection.error().message;
  for (const auto& migration : sql::kSqliteMigrations) {
    const auto ran = (*connection)->script(migration.text);
    EXPECT_TRUE(ran) << migration.name << ": " << ran.error().message;
  }
  return std::move(*connection);
}

/// All rows of a query without parameters.
template <class Row>
std::vector<Row> rows_of(Connection& connection, const std::string& text) {
  Statement statement(connection.handle(), {"test", text}, nullptr);
  auto rows = statement.rows<Row>();
  EXPECT_TRUE(rows) << text << ": " << rows.error().message;
  return rows ? std::move(*rows) : std::vector<Row>{};
}

/// Tables of the schema, sorted.
inline std::vector<std::string> tables_of(Connection& connection) {
  return rows_of<std::string>(connection,
                              "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
}

} // namespace perdure::store::sqlite
