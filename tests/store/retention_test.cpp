// The SQLite schema and retention: every table of an instance takes part.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forbidden.h"
#include "sqlite_fixture.h"
#include "store/sqlite/store.h"

namespace perdure::store::sqlite {
namespace {

namespace queries = sql::sqlite;
using testing::Contains;
using testing::HasSubstr;

/// Tables with rows of instances.
std::vector<std::string> instance_tables(Connection& connection) {
  auto tables = rows_of<std::string>(
      connection,
      "SELECT list.name FROM pragma_table_list AS list, pragma_table_info(list.name) AS info "
      "WHERE info.name = 'instance_id' AND list.name <> 'instance_purge' ORDER BY 1");
  tables.emplace_back("process_instance");
  return tables;
}

TEST(Retention, EveryTableOfAnInstanceTakesPart) {
  const auto connection = new_schema();
  const auto triggers = rows_of<std::string>(
      *connection, "SELECT tbl_name || ' ' || name FROM sqlite_schema WHERE type = 'trigger'");
  std::vector<std::string> names;
  for (const auto& query : queries::kQueries)
    names.emplace_back(query.name);
  const auto tables = instance_tables(*connection);
  EXPECT_GE(tables.size(), 14U);
  for (const auto& table : tables) {
    EXPECT_THAT(triggers, Contains(table + " " + table + "_kept"));
    EXPECT_THAT(names, Contains("purge_" + table));
    EXPECT_THAT(queries::purge_counts.text, HasSubstr("FROM " + table + "\n"));
  }
}

TEST(Retention, RowsOfEveryKindGoWithTheirInstance) {
  auto connection = new_schema();
  auto& bare = *connection;
  ASSERT_TRUE(bare.script(test::read_file(test::data_file("representative.sql"))));
  const auto count = [&](const std::string& table, const std::string& condition) {
    const auto key = table == "process_instance" ? "id" : "instance_id";
    return rows_of<std::int64_t>(
               bare, "SELECT count(*) FROM " + table + " WHERE " + key + " " + condition)
        .front();
  };
  std::vector<std::int64_t> others;
  for (const auto& table : instance_tables(bare)) {
    EXPECT_GT(count(table, "= 200"), 0) << table;
    others.push_back(count(table, "<> 200"));
  }
  SqliteStore store(std::move(connection));
  const std::vector<ExpiredInstance> instances{{200, from_ms(1400)}};
  const auto purged = store.purge(instances, from_ms(1400));
  ASSERT_TRUE(purged) << purged.error().message;
  std::vector<std::int64_t> left;
  for (const auto& table : instance_tables(bare)) {
    EXPECT_EQ(count(table, "= 200"), 0) << table;
    left.push_back(count(table, "<> 200"));
  }
  EXPECT_EQ(left, others);
  EXPECT_THAT(rows_of<std::int64_t>(bare, "SELECT 1 FROM instance_purge"), testing::IsEmpty());
}

} // namespace
} // namespace perdure::store::sqlite
