// The schema refuses what must never be: every rule by its name, and nothing stays behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "forbidden.h"
#include "sqlite_fixture.h"

namespace perdure::store::sqlite {
namespace {

using test::forbidden_attempts;

/// Everything in the database, as text.
std::string dump(Connection& connection, const std::vector<std::string>& tables) {
  std::string text;
  for (const auto& table : tables) {
    const auto columns = rows_of<std::string>(
        connection, "SELECT name FROM pragma_table_info('" + table + "') ORDER BY cid");
    std::string quoted;
    for (const auto& column : columns)
      quoted += (quoted.empty() ? "quote(" : " || ',' || quote(") + column + ")";
    text += table + "\n";
    for (const auto& row :
         rows_of<std::string>(connection, "SELECT " + quoted + " FROM " + table + " ORDER BY 1")) {
      text += row + "\n";
    }
  }
  return text;
}

std::unique_ptr<Connection> representative() {
  auto connection = new_schema();
  const auto filled = connection->script(test::read_file(test::data_file("representative.sql")));
  EXPECT_TRUE(filled) << filled.error().message << " " << filled.error().where;
  return connection;
}

TEST(Forbidden, RepresentativeRowsAreAccepted) {
  const auto connection = representative();
  for (const auto& table : tables_of(*connection)) {
    if (table == "schema_migration") continue; // the migrator's, not part of the files
    if (table == "instance_purge") continue;   // empty but within a transaction
    EXPECT_FALSE(rows_of<std::int64_t>(*connection, "SELECT 1 FROM " + table).empty()) << table;
  }
}

TEST(Forbidden, EveryAttemptIsRefusedByItsRuleAndChangesNothing) {
  const auto connection = representative();
  const auto migrated =
      connection->script("INSERT INTO schema_migration VALUES (1, 'first', printf('%064d', 1), 1)");
  ASSERT_TRUE(migrated);
  const auto tables = tables_of(*connection);
  const auto before = dump(*connection, tables);
  ASSERT_GE(forbidden_attempts().size(), 120U);
  for (const auto& attempt : forbidden_attempts()) {
    SCOPED_TRACE("forbidden.sql:" + std::to_string(attempt.line) + ": " + attempt.text);
    ASSERT_TRUE(connection->script("BEGIN"));
    const auto refused = connection->script(attempt.text);
    EXPECT_FALSE(refused);
    if (!refused) {
      EXPECT_EQ(refused.error().code, ErrorCode::invariant_violated) << refused.error().message;
      EXPECT_EQ(refused.error().where, attempt.rule);
    }
    // An attempt of two statements leaves the first, allowed one: its transaction takes it back.
    if (attempt.text.find(';') + 2 < attempt.text.size()) {
      ASSERT_TRUE(connection->script("ROLLBACK"));
    } else {
      ASSERT_TRUE(connection->script("COMMIT"));
    }
    ASSERT_EQ(dump(*connection, tables), before);
  }
}

/// Names of all rules that the schema states.
std::set<std::string> rules(Connection& connection) {
  std::set<std::string> rules{"foreign_key"};
  for (const auto& table : tables_of(connection))
    rules.insert(table + "_key");
  const std::regex constraint(
      "CONSTRAINT (\\w+) CHECK|CREATE UNIQUE INDEX (\\w+)"
      "|RAISE\\(ABORT, '(\\w+)'\\)");
  for (const auto& text :
       rows_of<std::string>(connection, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")) {
    for (std::sregex_iterator match(text.begin(), text.end(), constraint), end; match != end;
         ++match) {
      for (int group = 1; group <= 3; ++group) {
        if ((*match)[group].matched) rules.insert((*match)[group]);
      }
    }
  }
  return rules;
}

TEST(Forbidden, EveryRuleOfTheSchemaIsAttempted) {
  const auto connection = new_schema();
  std::set<std::string> attempted;
  for (const auto& attempt : forbidden_attempts())
    attempted.insert(attempt.rule);
  for (const auto& rule : rules(*connection)) {
    EXPECT_TRUE(attempted.contains(rule)) << rule << " is not tried in forbidden.sql";
  }
}

TEST(Forbidden, StatesMayBeSavedAsOneChange) {
  // Several decisions become one change of a row: what lies between is not seen by the database.
  const auto connection = representative();
  for (const std::string text : {
           "UPDATE process_instance SET version = 30, status = 'cancelled', ended_at = 1600, "
           "updated_at = 1600 WHERE id = 100",
           "UPDATE process_instance SET version = 9, status = 'running' WHERE id = 400",
           "UPDATE process_instance SET version = 9, status = 'running', started_at = 1100 "
           "WHERE id = 300",
           "INSERT INTO process_instance VALUES (900, 1, '', 'order', 'A-1', 0, 'completed', 5, 5, "
           "0, '{}', NULL, 1, 1, 1, 1, NULL, NULL)",
           "UPDATE token SET version = 9, state = 'completed', ended_at = 1600 WHERE id = 115",
           "UPDATE step_record SET status = 'completed', attempt_count = 1, started_at = 1200, "
           "completed_at = 1200, updated_at = 1200 WHERE id = 422",
           "UPDATE step_record SET status = 'completed', error_name = NULL, error_message = NULL, "
           "attempt_count = 4, max_attempts = 4, completed_at = 1600 WHERE id = 124",
           "INSERT INTO step_attempt VALUES (100, 124, 4, 'succeeded', 'worker-1', 'none', NULL, "
           "NULL, NULL, 1500, 1600, NULL)",
           "UPDATE external_task SET state = 'completed', retries = 1, attempt = 4, "
           "ended_at = 1600 WHERE id = 132",
           "UPDATE external_task SET state = 'ready', worker_id = NULL, lock_expires_at = NULL, "
           "retries = 2 WHERE id = 131",
           "UPDATE parallel_join SET joined = 2, state = 'fired', closed_at = 1600 WHERE id = 162",
           "UPDATE incident SET state = 'resolved', resolved_at = 1600 WHERE id = 171",
           "UPDATE dead_letter SET state = 'requeued', closed_at = 1600 WHERE id = 181",
           "UPDATE process_definition SET state = 'retired' WHERE id = 1",
           "DELETE FROM idempotency_key",
       }) {
    const auto done = connection->script(text);
    EXPECT_TRUE(done) << text << ": " << done.error().where;
  }
}

} // namespace
} // namespace perdure::store::sqlite
