// The PostgreSQL schema and its migrations. The file deploy/schema.postgres.sql is refreshed by
// running this program with PERDURE_REFRESH=1.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <regex>
#include <thread>

#include "life.h"
#include "postgres_fixture.h"
#include "sqlite_fixture.h"
#include "store/postgres/migration_target.h"
#include "temporary_folder.h"

namespace perdure::store::postgres {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto kFiles = static_cast<std::int64_t>(sql::kPostgresMigrations.size());

std::string deploy_file() {
  return std::string(PERDURE_SOURCE_DIR) + "/deploy/schema.postgres.sql";
}

TEST(PostgresSchema, WholeSchemaStandsInDeploy) {
  std::string whole =
      "-- The whole current schema for PostgreSQL, as the migrations of src/store/sql/schema make\n"
      "-- it. A database that was made with it is recognised by `perdure migrate`.\n"
      "-- Written by `PERDURE_REFRESH=1 postgres_suite --gtest_filter=*WholeSchema*`.\n"
      "\nCREATE SCHEMA perdure;\nSET search_path TO perdure;\n";
  for (const auto& migration : sql::kPostgresMigrations)
    whole += "\n" + std::string(migration.text);
  if (std::getenv("PERDURE_REFRESH")) std::ofstream(deploy_file(), std::ios::binary) << whole;
  EXPECT_EQ(test::read_file(deploy_file()), whole) << "refresh the file as its head says";
}

TEST(PostgresSchema, TablesAndColumnsAreThoseOfSqlite) {
  const auto connection = new_schema();
  const auto twin = sqlite::new_schema();
  // Parts of a primary key need no NOT NULL to have it; the keys are a sequence.
  auto expected = sqlite::rows_of<std::string>(
      *twin,
      "SELECT tables.name || '.' || info.name || CASE WHEN info.\"notnull\" OR info.pk > 0 "
      "THEN ' NO' ELSE ' YES' END FROM sqlite_schema AS tables, pragma_table_info(tables.name) "
      "AS info WHERE tables.type = 'table' AND tables.name <> 'key_block'");
  const std::vector<std::string> actual =
      texts_of(*connection,
               "SELECT table_name || '.' || column_name || ' ' || is_nullable "
               "FROM information_schema.columns WHERE table_schema = current_schema() "
               "AND table_name <> 'key_block'");
  // A later file may have made a table anew.
  std::ranges::sort(expected);
  const auto repeated = std::ranges::unique(expected);
  expected.erase(repeated.begin(), repeated.end());
  EXPECT_THAT(actual, testing::UnorderedElementsAreArray(expected));
}

/// What a migration may do to a database in use: see CONTRIBUTING.md.
TEST(PostgresSchema, MigrationsAreSafeWhileNodesRun) {
  const auto icase = std::regex::icase;
  const std::vector<std::pair<std::regex, std::string>> rules{
      {std::regex(R"(\bDROP\s+(TABLE|COLUMN|SCHEMA)\b)", icase),
       "removes data that older nodes read"},
      {std::regex(R"(\bALTER\s+COLUMN\s+\w+\s+(SET\s+DATA\s+)?TYPE\b)", icase),
       "rewrites the table"},
      {std::regex(R"(\bALTER\s+COLUMN\s+\w+\s+SET\s+NOT\s+NULL\b)", icase),
       "reads the whole table"},
      {std::regex(R"(\bADD\s+COLUMN\b[^;]*\b(random|clock_timestamp|nextval|gen_random_uuid)\b)",
                  icase),
       "rewrites the table"},
      {std::regex(R"(\b(VACUUM\s+FULL|CLUSTER|TRUNCATE|REINDEX)\b)", icase), "locks the table"},
      {std::regex(R"(\bLOCK\s+TABLE\b)", icase), "locks the table"},
      {std::regex(R"(\bRENAME\b)", icase), "breaks older nodes"},
      {std::regex(R"(\b(BEGIN|COMMIT|ROLLBACK)\s*;)", icase), "ends the migrator's transaction"},
      {std::regex(R"(\bCREATE\s+EXTENSION\b)", icase), "needs a superuser"},
      {std::regex(R"(\bCONCURRENTLY\b)", icase), "cannot run in a transaction"},
  };
  for (const auto& migration : sql::kPostgresMigrations) {
    const auto text = std::regex_replace(std::string(migration.text), std::regex("--[^\n]*"), "");
    for (const auto& [pattern, harm] : rules) {
      EXPECT_FALSE(std::regex_search(text, pattern)) << migration.name << ": " << harm;
    }
    // On a table of an earlier file a rule is added NOT VALID, an index not at all.
    const std::regex on_table(R"(CREATE (UNIQUE )?INDEX \w+\s+ON (\w+))");
    for (std::sregex_iterator match(text.begin(), text.end(), on_table), end; match != end;
         ++match) {
      if (migration.version == 9) continue; // before the first release: no table was large
      if ((*match)[2] == "process_definition") continue; // grows with deployments alone
      EXPECT_THAT(text, HasSubstr("CREATE TABLE " + (*match)[2].str() + " ("))
          << migration.name << ": an index on a table that may be large";
    }
  }
}

TEST(PostgresMigrator, ManyNodesAtOnceApplyEachFileOnce) {
  const auto options = options_of(fresh_schema_name());
  std::atomic<std::int64_t> applied{0};
  {
    std::vector<std::jthread> nodes;
    for (int i = 0; i < 10; ++i) {
      nodes.emplace_back([&] {
        const auto count = postgres::migrate(options);
        EXPECT_TRUE(count) << count.error().message;
        applied += count.value_or(0);
      });
    }
  }
  EXPECT_EQ(applied, kFiles);
  EXPECT_EQ(postgres::migrate(options).value(), 0);
  EXPECT_THAT(postgres::verify(options).value(), IsEmpty());
}

TEST(PostgresMigrator, RefusesToOpenWithPendingFilesAndNamesThem) {
  auto options = options_of(fresh_schema_name());
  options.migrate = Migrate::refuse;
  const auto refused = postgres::open(options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::conflict);
  EXPECT_THAT(refused.error().message, HasSubstr("foundation"));
  EXPECT_THAT(texts_of(*connect("public"),
                       "SELECT nspname FROM pg_namespace WHERE nspname = '" + options.schema + "'"),
              IsEmpty());
  options.migrate = Migrate::apply;
  EXPECT_TRUE(postgres::open(options));
  options.migrate = Migrate::refuse;
  EXPECT_TRUE(postgres::open(options));
}

TEST(PostgresMigrator, ASchemaMadeByHandIsNotedDownNotMadeAgain) {
  auto options = options_of(fresh_schema_name());
  const auto connection = new_schema(options.schema);
  ASSERT_TRUE(
      connection->script("INSERT INTO process_definition VALUES (1, '', 'p', 1, 'flow', "
                         "'active', '', NULL, NULL, NULL, NULL, now())"));
  EXPECT_TRUE(postgres::open(options));
  for (const auto& row : postgres::migration_status(options).value())
    EXPECT_TRUE(row.applied_at) << row.name;
  EXPECT_THAT(texts_of(*connection, "SELECT count(*) FROM process_definition"),
              testing::ElementsAre("1"));
  EXPECT_THAT(
      texts_of(*connection, "SELECT nspname FROM pg_namespace WHERE nspname LIKE '%scratch%'"),
      IsEmpty());
}

TEST(PostgresMigrator, AnEarlierSchemaMadeByHandIsBroughtUpToDate) {
  auto options = options_of(fresh_schema_name());
  const auto connection = connect(options.schema);
  ASSERT_TRUE(connection->script("CREATE SCHEMA " + options.schema));
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(connection->script(sql::kPostgresMigrations[i].text));
  }
  EXPECT_TRUE(postgres::migrate(options));
  EXPECT_THAT(postgres::verify(options).value(), IsEmpty());
}

TEST(PostgresMigrator, StrangeTablesAreRefused) {
  const auto options = options_of(fresh_schema_name());
  const auto connection = connect(options.schema);
  ASSERT_TRUE(connection->script("CREATE SCHEMA " + options.schema + "; CREATE TABLE " +
                                 options.schema + ".token (id integer)"));
  const auto refused = postgres::migrate(options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::conflict);
  EXPECT_THAT(tables_of(*connection), testing::ElementsAre("token"));
}

TEST(PostgresMigrator, VerifyFindsAChangedSchema) {
  const auto options = options_of(fresh_schema_name());
  ASSERT_TRUE(postgres::migrate(options));
  ASSERT_TRUE(
      connect(options.schema)
          ->script("DROP TRIGGER history_event_kept ON history_event; CREATE TABLE extra (id "
                   "bigint)"));
  EXPECT_THAT(postgres::verify(options).value(),
              testing::IsSupersetOf({HasSubstr("trigger"), HasSubstr("extra.id")}));
}

TEST(PostgresMigrator, NeedsNoSuperuser) {
  const auto options = options_of(fresh_schema_name());
  const auto connection = connect("public");
  ASSERT_TRUE(
      connection->script("CREATE ROLE plain LOGIN; CREATE SCHEMA " + options.schema +
                         " AUTHORIZATION plain; REVOKE CREATE ON DATABASE postgres FROM PUBLIC"));
  auto plain = options;
  plain.url.replace(plain.url.find("perdure@"), 8, "plain@");
  const auto opened = postgres::open(plain);
  EXPECT_TRUE(opened) << opened.error().message;
}

} // namespace
} // namespace perdure::store::postgres
