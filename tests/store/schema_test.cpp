// The schema against the structs that it stores and the rules that it must follow. The file
// deploy/schema.sqlite.sql is refreshed by running this program with PERDURE_REFRESH=1.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <regex>

#include "facts/instance_state.h"
#include "facts/view.h"
#include "sqlite_fixture.h"
#include "store/completion.h"
#include "store/flow_store.h"
#include "store/migrator.h"
#include "store/retention.h"
#include "temporary_folder.h"

namespace perdure::store::sqlite {
namespace {

using facts::AuditEntry;

std::string definition_of(Connection& connection, const std::string& table) {
  const auto text = rows_of<std::string>(
      connection, "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = '" + table + "'");
  EXPECT_EQ(text.size(), 1U) << table;
  return text.empty() ? "" : text.front();
}

/// Calls visit<Row>(table) for every table with a struct.
template <class Visit>
void for_each_table(const Visit& visit) {
  visit.template operator()<facts::ProcessDefinition>("process_definition");
  visit.template operator()<facts::ProcessInstance>("process_instance");
  visit.template operator()<facts::Scope>("scope");
  visit.template operator()<facts::Token>("token");
  visit.template operator()<facts::StepRecord>("step_record");
  visit.template operator()<facts::StepAttempt>("step_attempt");
  visit.template operator()<facts::ExternalTask>("external_task");
  visit.template operator()<facts::UserTask>("user_task");
  visit.template operator()<facts::Timer>("timer");
  visit.template operator()<facts::ParallelJoin>("parallel_join");
  visit.template operator()<facts::JoinArrival>("join_arrival");
  visit.template operator()<facts::Incident>("incident");
  visit.template operator()<facts::DeadLetter>("dead_letter");
  visit.template operator()<facts::EventSubscription>("event_subscription");
  visit.template operator()<facts::PendingEvent>("pending_event");
  visit.template operator()<facts::CompensationRecord>("compensation_record");
  visit.template operator()<facts::FlowRun>("flow_run");
  visit.template operator()<facts::FlowCompletion>("flow_completion");
  visit.template operator()<FlowKind>("flow_kind");
  visit.template operator()<FlowHostRow>("flow_host");
  visit.template operator()<FlowLimit>("flow_limit");
  visit.template operator()<FlowSlot>("flow_slot");
  visit.template operator()<FlowSchedule>("flow_schedule");
  visit.template operator()<facts::InboundEvent>("inbound_event");
  visit.template operator()<facts::DefinitionSubscription>("definition_subscription");
  visit.template operator()<facts::DecisionRequirements>("decision_requirements");
  visit.template operator()<facts::DecisionDefinition>("decision_definition");
  visit.template operator()<facts::DecisionEvaluation>("decision_evaluation");
  visit.template operator()<facts::InstanceMigration>("instance_migration");
  visit.template operator()<facts::HistoryEvent>("history_event");
  visit.template operator()<facts::IdempotencyRecord>("idempotency_key");
  visit.template operator()<facts::AuditEntry>("audit_entry");
  visit.template operator()<InstancePurge>("instance_purge");
  visit.template operator()<AppliedMigration>("schema_migration");
}

template <class Row>
std::vector<std::string> field_names() {
  std::vector<std::string> names;
  Row row;
  for_each_field(row, [&](std::string_view name, const auto&) { names.emplace_back(name); });
  return names;
}

TEST(Schema, EveryTableHasAStructButTheKeys) {
  const auto connection = new_schema();
  std::vector<std::string> tables{"key_block"};
  for_each_table([&]<class Row>(const std::string& table) { tables.push_back(table); });
  EXPECT_THAT(tables_of(*connection), testing::UnorderedElementsAreArray(tables));
}

TEST(Schema, ColumnsStandInTheOrderOfTheFields) {
  const auto connection = new_schema();
  for_each_table([&]<class Row>(const std::string& table) {
    EXPECT_EQ(rows_of<std::string>(
                  *connection, "SELECT name FROM pragma_table_info('" + table + "') ORDER BY cid"),
              field_names<Row>())
        << table;
  });
}

/// A column may be NULL exactly when its field is optional.
TEST(Schema, OnlyOptionalFieldsMayBeNull) {
  const auto connection = new_schema();
  for_each_table([&]<class Row>(const std::string& table) {
    Row row;
    for_each_field(row, [&]<class Field>(std::string_view name, const Field&) {
      const auto required = rows_of<std::int64_t>(
          *connection, "SELECT \"notnull\" OR pk > 0 FROM pragma_table_info('" + table +
                           "') WHERE name = '" + std::string(name) + "'");
      EXPECT_THAT(required, testing::ElementsAre(kIsOptional<Field> ? 0 : 1))
          << table << "." << name;
    });
  });
}

/// Quoted words of the CHECK constraint `<table>_<column>` that compare the column.
std::vector<std::string> closed_set(const std::string& text, const std::string& column) {
  std::vector<std::string> words;
  const std::regex word("\\b" + column + " = '(\\w+)'");
  for (std::sregex_iterator match(text.begin(), text.end(), word), end; match != end; ++match) {
    words.push_back((*match)[1]);
  }
  std::ranges::sort(words);
  const auto repeated = std::ranges::unique(words);
  words.erase(repeated.begin(), repeated.end());
  return words;
}

TEST(Schema, ClosedSetsAreTheEnumsOfTheRows) {
  const auto connection = new_schema();
  for_each_table([&]<class Row>(const std::string& table) {
    Row row;
    for_each_field(row, [&]<class Field>(std::string_view name, const Field&) {
      if constexpr (NamedEnum<Field>) {
        if (std::is_same_v<Field, facts::OutputType>) return; // told by CASE, see forbidden.sql
        std::vector<std::string> names;
        for (const auto value : enum_names(Field{}))
          names.emplace_back(value);
        std::ranges::sort(names);
        EXPECT_EQ(closed_set(definition_of(*connection, table), std::string(name)), names)
            << table << "." << name;
      }
    });
  });
}

TEST(Schema, TablesAreStrictAndEveryCheckHasAName) {
  const auto connection = new_schema();
  const std::regex unnamed("(CONSTRAINT \\w+ )?CHECK");
  const std::regex long_list("\\bIN \\([^)]*,[^)]*,", std::regex::icase);
  for (const auto& table : tables_of(*connection)) {
    const auto text = definition_of(*connection, table);
    EXPECT_TRUE(text.ends_with("STRICT") || text.ends_with("STRICT, WITHOUT ROWID")) << table;
    for (std::sregex_iterator match(text.begin(), text.end(), unnamed), end; match != end;
         ++match) {
      EXPECT_TRUE((*match)[1].matched) << table << ": a CHECK without a name";
    }
    EXPECT_FALSE(std::regex_search(text, long_list)) << table << ": write OR instead of a long IN";
    const std::regex prefix("CONSTRAINT (?!" + table + "_)");
    EXPECT_FALSE(std::regex_search(text, prefix)) << table << ": a rule begins with its table";
  }
}

TEST(Schema, WholeSchemaStandsInDeploy) {
  const auto connection = new_schema();
  std::string dump =
      "-- The whole current schema for SQLite, as the migrations of src/store/sql/schema "
      "make it.\n-- Written by `PERDURE_REFRESH=1 store_suite "
      "--gtest_filter=Schema.WholeSchemaStandsInDeploy`.\n";
  const auto statements = connection->statement(sql::sqlite::schema_dump).rows<std::string>();
  ASSERT_TRUE(statements);
  for (const auto& statement : *statements)
    dump += "\n" + statement + ";\n";
  const auto path = std::string(PERDURE_SOURCE_DIR) + "/deploy/schema.sqlite.sql";
  if (std::getenv("PERDURE_REFRESH")) std::ofstream(path, std::ios::binary) << dump;
  EXPECT_EQ(test::read_file(path), dump) << "refresh the file as its head says";
}

} // namespace
} // namespace perdure::store::sqlite
