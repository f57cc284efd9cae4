// Retention on PostgreSQL: every table of an instance takes part, and one node at a time purges.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "postgres_rows.h"
#include "store/postgres/store.h"

namespace perdure::store::postgres {
namespace {

namespace queries = sql::postgres;
using testing::Contains;
using testing::ContainsRegex;
using testing::ElementsAre;

/// Tables with rows of instances.
std::vector<std::string> instance_tables(Connection& connection) {
  return texts_of(connection,
                  "SELECT table_name FROM information_schema.columns "
                  "WHERE table_schema = current_schema() AND column_name = 'instance_id' "
                  "AND table_name <> 'instance_purge' UNION SELECT 'process_instance'");
}

TEST(PostgresRetention, EveryTableOfAnInstanceTakesPart) {
  const auto connection = new_schema();
  const auto triggers = texts_of(
      *connection,
      "SELECT relname || ' ' || tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid "
      "WHERE relnamespace = current_schema()::regnamespace AND NOT tgisinternal");
  std::vector<std::string> names;
  for (const auto& query : queries::kQueries)
    names.emplace_back(query.name);
  const auto tables = instance_tables(*connection);
  EXPECT_GE(tables.size(), 14U);
  for (const auto& table : tables) {
    EXPECT_THAT(triggers, Contains(table + " " + table + "_kept"));
    EXPECT_THAT(names, Contains("purge_" + table));
    EXPECT_THAT(queries::purge_counts.text, ContainsRegex("FROM " + table + "[ \n]"));
  }
}

class PostgresPurge : public testing::Test {
protected:
  static PostgresStore store() {
    const auto options = engine_connection(rows_options("purge_rows"));
    return {Link(options), Link(options), std::make_shared<Counters>(), "purge"};
  }
  static std::string count(Connection& connection, const std::string& table,
                           const std::string& condition) {
    const auto* key = table == "process_instance" ? "id" : "instance_id";
    return texts_of(connection, "SELECT count(*) FROM " + table + " WHERE " + key + " " + condition)
        .front();
  }
};

TEST_F(PostgresPurge, RowsOfEveryKindGoWithTheirInstanceOneNodeAtATime) {
  const auto connection = representative_database("purge_rows");
  std::vector<std::string> others;
  for (const auto& table : instance_tables(*connection)) {
    EXPECT_NE(count(*connection, table, "= 200"), "0") << table;
    others.push_back(count(*connection, table, "<> 200"));
  }
  auto first = store();
  const std::vector<ExpiredInstance> instances{{200, from_ms(1400)}};
  // Another node is at it.
  ASSERT_TRUE(connection->script(
      "BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('purge:purge', 0))"));
  const auto busy = first.purge(instances, from_ms(1400));
  ASSERT_TRUE(busy) << busy.error().message;
  EXPECT_TRUE(busy->busy);
  connection->roll_back();
  // Another node holds the instance.
  ASSERT_TRUE(
      connection->script("BEGIN; SELECT 1 FROM process_instance WHERE id = 200 FOR KEY SHARE"));
  EXPECT_EQ(first.purge(instances, from_ms(1400)).value().instances, 0);
  connection->roll_back();

  const auto purged = first.purge(instances, from_ms(1400));
  ASSERT_TRUE(purged) << purged.error().message;
  EXPECT_EQ(purged->instances, 1);
  std::vector<std::string> left;
  for (const auto& table : instance_tables(*connection)) {
    EXPECT_EQ(count(*connection, table, "= 200"), "0") << table;
    left.push_back(count(*connection, table, "<> 200"));
  }
  EXPECT_EQ(left, others);
  EXPECT_THAT(texts_of(*connection, "SELECT count(*) FROM instance_purge"), ElementsAre("0"));
}

} // namespace
} // namespace perdure::store::postgres
