// The PostgreSQL schema refuses what SQLite's does, by the same rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "forbidden.h"
#include "postgres_rows.h"

namespace perdure::store::postgres {
namespace {

using test::forbidden_attempts;

class PostgresForbidden : public testing::Test {
protected:
  static void SetUpTestSuite() {
    connection_ = representative_database("forbidden");
    ASSERT_TRUE(connection_->script(
        "INSERT INTO schema_migration VALUES (1, 'first', lpad('1', 64, '0'), 1)"));
  }
  static void TearDownTestSuite() { connection_.reset(); }

  static std::unique_ptr<Connection> connection_;
};

std::unique_ptr<Connection> PostgresForbidden::connection_;

TEST_F(PostgresForbidden, EveryAttemptIsRefusedByItsRule) {
  std::size_t tried = 0;
  for (const auto& attempt : forbidden_attempts()) {
    if (attempt.postgres_rule.empty()) continue;
    ++tried;
    SCOPED_TRACE("forbidden.sql:" + std::to_string(attempt.line) + ": " + attempt.text);
    ASSERT_TRUE(connection_->script("BEGIN"));
    const auto refused = connection_->script(attempt.text + "; SET CONSTRAINTS ALL IMMEDIATE");
    EXPECT_FALSE(refused);
    if (!refused) {
      EXPECT_EQ(refused.error().code, ErrorCode::invariant_violated) << refused.error().message;
      EXPECT_EQ(refused.error().where, attempt.postgres_rule) << refused.error().message;
    }
    connection_->roll_back();
  }
  EXPECT_GE(tried, 230U);
}

TEST_F(PostgresForbidden, EveryRuleOfTheSchemaIsAttempted) {
  std::set<std::string> attempted;
  for (const auto& attempt : forbidden_attempts())
    attempted.insert(attempt.postgres_rule);
  // One that holds the whole primary key, for a foreign key to refer to, cannot be broken alone.
  const auto rules = texts_of(*connection_,
                              "SELECT conname FROM pg_constraint WHERE contype IN ('c', 'p') "
                              "AND connamespace = 'rows'::regnamespace UNION "
                              "SELECT indexname FROM pg_indexes WHERE schemaname = 'rows' AND "
                              "indexdef LIKE 'CREATE UNIQUE%' AND NOT EXISTS ("
                              "SELECT 1 FROM pg_constraint AS held JOIN pg_constraint AS key ON "
                              "key.conrelid = held.conrelid AND key.contype = 'p' "
                              "WHERE held.contype = 'u' AND held.conname = indexname "
                              "AND key.conkey <@ held.conkey) UNION "
                              "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgfoid IN "
                              "(SELECT oid FROM pg_proc WHERE proname LIKE 'refuse_%' OR "
                              "proname LIKE 'instance_purge_%')");
  EXPECT_GT(rules.size(), 150U);
  for (const auto& rule : rules) {
    EXPECT_TRUE(attempted.contains(rule)) << rule << " is not tried in forbidden.sql";
  }
}

} // namespace
} // namespace perdure::store::postgres
