// The PostgreSQL schema refuses what SQLite's does, by the same rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "forbidden.h"
#include "postgres_fixture.h"

namespace perdure::store::postgres {
namespace {

using test::forbidden_attempts;

/// In a database of its own the lists for SQLite are understood: a number is a time or a boolean
/// where a column asks for one.
constexpr const char* kUnderstandNumbers = R"(
CREATE FUNCTION public.time_of(bigint) RETURNS timestamptz LANGUAGE sql IMMUTABLE
  AS 'SELECT to_timestamp($1 / 1000.0)';
CREATE FUNCTION public.time_of(integer) RETURNS timestamptz LANGUAGE sql IMMUTABLE
  AS 'SELECT to_timestamp($1 / 1000.0)';
CREATE CAST (bigint AS timestamptz) WITH FUNCTION public.time_of(bigint) AS ASSIGNMENT;
CREATE CAST (integer AS timestamptz) WITH FUNCTION public.time_of(integer) AS ASSIGNMENT;
UPDATE pg_cast SET castcontext = 'a' WHERE castsource = 'integer'::regtype
  AND casttarget = 'boolean'::regtype;
)";

class PostgresForbidden : public testing::Test {
protected:
  static void SetUpTestSuite() {
    ASSERT_TRUE(connect("public")->script("CREATE DATABASE forbidden"));
    auto options = reader_connection(options_of("rows"));
    options.url = cluster().url();
    options.url.replace(options.url.find("/postgres?"), 10, "/forbidden?");
    auto opened = Connection::open(options);
    ASSERT_TRUE(opened) << opened.error().message;
    connection_ = std::move(*opened);
    ASSERT_TRUE(connection_->script(kUnderstandNumbers));
    ASSERT_TRUE(connection_->script("CREATE SCHEMA rows"));
    for (const auto& migration : sql::kPostgresMigrations) {
      ASSERT_TRUE(connection_->script(migration.text)) << migration.name;
    }
    const auto filled = connection_->script(test::read_file(test::data_file("representative.sql")));
    ASSERT_TRUE(filled) << filled.error().message;
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
    ASSERT_TRUE(connection_->script("BEGIN; SET CONSTRAINTS ALL IMMEDIATE"));
    const auto refused = connection_->script(attempt.text);
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
  const auto rules = texts_of(*connection_,
                              "SELECT conname FROM pg_constraint WHERE contype IN ('c', 'p') "
                              "AND connamespace = 'rows'::regnamespace UNION "
                              "SELECT indexname FROM pg_indexes WHERE schemaname = 'rows' AND "
                              "indexdef LIKE 'CREATE UNIQUE%' UNION "
                              "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgfoid IN "
                              "(SELECT oid FROM pg_proc WHERE proname = 'refuse_change')");
  EXPECT_GT(rules.size(), 150U);
  for (const auto& rule : rules) {
    EXPECT_TRUE(attempted.contains(rule)) << rule << " is not tried in forbidden.sql";
  }
}

} // namespace
} // namespace perdure::store::postgres
