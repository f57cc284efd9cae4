// Starts the server for all tests of this program, and says so when there is none.
#include <gtest/gtest.h>

#include <atomic>
#include <iostream>

#include "conformance.h"
#include "postgres_fixture.h"

namespace perdure::store {

namespace {

std::unique_ptr<test::PostgresCluster> running;

/// A schema name from a folder's.
std::string schema_of(const std::string& folder) {
  std::string name = "f";
  for (const char c : folder.substr(folder.rfind('_') + 1)) {
    // Case matters to folders.
    if (c >= 'A' && c <= 'Z') name += '_';
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return name;
}

} // namespace

OpenedDatabase open_database(const std::string& folder) {
  auto database = postgres::open(postgres::options_of(schema_of(folder)));
  EXPECT_TRUE(database) << database.error().message;
  return {std::move(database->store), std::move(database->reader)};
}

namespace postgres {

test::PostgresCluster& cluster() { return *running; }

std::string fresh_schema_name() {
  static std::atomic<int> count{0};
  return "s" + std::to_string(++count);
}

std::unique_ptr<Connection> new_schema(const std::string& name) {
  auto connection = connect(name);
  EXPECT_TRUE(connection->script("CREATE SCHEMA " + name));
  for (const auto& migration : sql::kPostgresMigrations) {
    const auto ran = connection->script(migration.text);
    EXPECT_TRUE(ran) << migration.name << ": " << ran.error().message;
  }
  return connection;
}

std::vector<std::string> texts_of(Connection& connection, const std::string& text) {
  const auto rows = connection.text_rows(text);
  EXPECT_TRUE(rows) << text << ": " << rows.error().message;
  std::vector<std::string> texts;
  if (!rows) return texts;
  for (const auto& row : *rows)
    texts.push_back(row.front());
  return texts;
}

std::vector<std::string> tables_of(Connection& connection) {
  return texts_of(connection,
                  "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1");
}

} // namespace postgres
} // namespace perdure::store

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
  auto started = perdure::test::PostgresCluster::start();
  if (!started) {
    std::cout << "Skipped: " << started.error() << ".\n";
    return 77; // ctest counts it as skipped
  }
  perdure::store::running = std::move(*started);
  const int code = RUN_ALL_TESTS();
  perdure::store::running.reset();
  return code;
}
