// The server of this test program, and schemas of a test's own in it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "postgres_cluster.h"
#include "store/postgres/connection.h"
#include "store/postgres/postgres.h"

namespace perdure::store::postgres {

/// The running server; main starts it before the first test.
test::PostgresCluster& cluster();

/// A schema name that no other test uses.
std::string fresh_schema_name();

/// Options for a schema in the cluster, not made yet.
inline Options options_of(const std::string& schema) {
  return {.url = cluster().url(), .schema = schema};
}

inline std::unique_ptr<Connection> connect(const std::string& schema) {
  auto connection = Connection::open(reader_connection(options_of(schema)));
  EXPECT_TRUE(connection) << connection.error().message;
  return std::move(*connection);
}

/// A connection to a new schema with all tables, made by the schema files alone.
std::unique_ptr<Connection> new_schema(const std::string& name = fresh_schema_name());

/// The first column of all rows, as text.
std::vector<std::string> texts_of(Connection& connection, const std::string& text);

/// Tables of the connection's schema, sorted.
std::vector<std::string> tables_of(Connection& connection);

} // namespace perdure::store::postgres
