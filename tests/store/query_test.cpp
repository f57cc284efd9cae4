// Every named query: it fits the schema, its columns and parameters fit the structs, and what is
// asked again and again finds its rows by an index.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <regex>
#include <set>

#include "facts/instance_state.h"
#include "facts/view.h"
#include "sqlite_fixture.h"
#include "store/flow_store.h"

namespace perdure::store::sqlite {
namespace {

namespace queries = sql::sqlite;

TEST(Query, EveryOneCanBePrepared) {
  const auto connection = new_schema();
  for (const auto& query : queries::kQueries) {
    auto& statement = connection->statement(query);
    ASSERT_TRUE(statement.valid()) << query.name << ": " << statement.run().error().message;
  }
}

/// Highest $N of the text.
int parameters_in(std::string_view text) {
  int highest = 0;
  const std::string copy(text);
  const std::regex parameter("\\$(\\d+)");
  for (std::sregex_iterator match(copy.begin(), copy.end(), parameter), end; match != end;
       ++match) {
    highest = std::max(highest, std::stoi((*match)[1]));
  }
  return highest;
}

TEST(Query, ParametersArePositions) {
  const auto connection = new_schema();
  for (const auto& query : queries::kQueries) {
    EXPECT_EQ(sqlite3_bind_parameter_count(connection->statement(query).handle()),
              parameters_in(query.text))
        << query.name;
  }
}

/// A query that inserts rows of a struct must bind every field; one that updates must name fields.
template <class Row>
void expect_row_query(const sql::Query& query) {
  std::vector<std::string> fields;
  Row row;
  for_each_field(row, [&](std::string_view name, const auto&) { fields.emplace_back(name); });
  const std::string text(query.text);
  if (text.starts_with("INSERT")) {
    std::string columns = text.substr(text.find('(') + 1);
    columns = columns.substr(0, columns.find(')'));
    const std::regex column("\\w+");
    const std::vector<std::string> named(
        std::sregex_token_iterator(columns.begin(), columns.end(), column), {});
    EXPECT_EQ(named, fields) << query.name;
    EXPECT_EQ(parameters_in(query.text), static_cast<int>(fields.size())) << query.name;
    return;
  }
  const std::regex assignment("(\\w+) = \\$(\\d+)");
  for (std::sregex_iterator match(text.begin(), text.end(), assignment), end; match != end;
       ++match) {
    const auto number = std::stoul((*match)[2]);
    if (number > fields.size()) continue; // the version of the compare-and-set
    EXPECT_EQ(fields.at(number - 1), (*match)[1].str()) << query.name;
  }
}

TEST(Query, RowQueriesFollowTheFields) {
  using namespace queries;
  expect_row_query<facts::ProcessDefinition>(process_definition_insert);
  expect_row_query<facts::ProcessInstance>(process_instance_insert);
  expect_row_query<facts::ProcessInstance>(process_instance_update);
  expect_row_query<facts::ProcessInstance>(process_instance_migrate);
  expect_row_query<facts::Scope>(scope_insert);
  expect_row_query<facts::Scope>(scope_update);
  expect_row_query<facts::Scope>(scope_rename);
  expect_row_query<facts::Token>(token_insert);
  expect_row_query<facts::Token>(token_update);
  expect_row_query<facts::StepRecord>(step_record_insert);
  expect_row_query<facts::StepRecord>(step_record_update);
  expect_row_query<facts::StepAttempt>(step_attempt_insert);
  expect_row_query<facts::StepAttempt>(step_attempt_update);
  expect_row_query<facts::ExternalTask>(external_task_insert);
  expect_row_query<facts::ExternalTask>(external_task_update);
  expect_row_query<facts::ExternalTask>(external_task_rename);
  expect_row_query<facts::UserTask>(user_task_insert);
  expect_row_query<facts::UserTask>(user_task_update);
  expect_row_query<facts::UserTask>(user_task_rename);
  expect_row_query<facts::Timer>(timer_insert);
  expect_row_query<facts::Timer>(timer_update);
  expect_row_query<facts::Timer>(timer_rename);
  expect_row_query<facts::ParallelJoin>(parallel_join_insert);
  expect_row_query<facts::ParallelJoin>(parallel_join_update);
  expect_row_query<facts::JoinArrival>(join_arrival_insert);
  expect_row_query<facts::Incident>(incident_insert);
  expect_row_query<facts::Incident>(incident_update);
  expect_row_query<facts::Incident>(incident_rename);
  expect_row_query<facts::DeadLetter>(dead_letter_insert);
  expect_row_query<facts::DeadLetter>(dead_letter_update);
  expect_row_query<facts::EventSubscription>(event_subscription_insert);
  expect_row_query<facts::EventSubscription>(event_subscription_update);
  expect_row_query<facts::EventSubscription>(event_subscription_rename);
  expect_row_query<facts::PendingEvent>(pending_event_insert);
  expect_row_query<facts::CompensationRecord>(compensation_record_insert);
  expect_row_query<facts::CompensationRecord>(compensation_record_update);
  expect_row_query<facts::CompensationRecord>(compensation_record_rename);
  expect_row_query<facts::FlowRun>(flow_run_insert);
  expect_row_query<facts::FlowRun>(flow_run_update);
  expect_row_query<facts::FlowCompletion>(flow_completion_insert);
  expect_row_query<FlowHostRow>(flow_host_insert);
  expect_row_query<FlowLimit>(flow_limit_put);
  expect_row_query<FlowSchedule>(flow_schedule_insert);
  expect_row_query<facts::DecisionEvaluation>(decision_evaluation_insert);
  expect_row_query<facts::DecisionRequirements>(decision_requirements_insert);
  expect_row_query<facts::DecisionDefinition>(decision_definition_insert);
  expect_row_query<facts::InstanceMigration>(instance_migration_insert);
  expect_row_query<facts::HistoryEvent>(history_event_insert);
  expect_row_query<facts::IdempotencyRecord>(idempotency_key_insert);
  expect_row_query<facts::AuditEntry>(audit_entry_insert);
}

std::vector<std::string> plan_of(Connection& connection, const sql::Query& query) {
  std::string text = "EXPLAIN QUERY PLAN " + std::string(query.text);
  std::ranges::replace(text, '$', '?');
  std::vector<std::string> plan;
  Statement statement(connection.handle(), {"plan", text}, nullptr);
  const auto done =
      statement.each([&](Statement& row) { plan.push_back(row.column<std::string>(3)); });
  EXPECT_TRUE(done) << query.name;
  return plan;
}

/// Walks that are meant: over the keys of the list that was asked for, over a whole small index, or
/// in key order page by page.
const std::set<std::string>& allowed_walks(std::string_view name) {
  static const std::set<std::string> list{"SCAN wanted VIRTUAL TABLE INDEX 1:"};
  static const std::set<std::string> due{"SCAN due_row", "SCAN timers", "SCAN locks",
                                         "SCAN tokens"};
  static const std::set<std::string> next{"SCAN next_row"};
  // Locked tasks only, once after a start.
  static const std::set<std::string> locks{"SCAN external_task USING INDEX external_task_lock"};
  // Open tasks only, for a person's list.
  static const std::set<std::string> open_tasks{
      "SCAN external_task USING INDEX external_task_open_once"};
  static const std::set<std::string> open_user_tasks{
      "SCAN user_task USING INDEX user_task_open_once"};
  // Instances in trouble only.
  static const std::set<std::string> trouble{"SCAN incident USING INDEX incident_open_once"};
  static const std::set<std::string> letters{"SCAN dead_letter USING INDEX dead_letter_open_once"};
  static const std::set<std::string> migrations{"SCAN schema_migration"};
  static const std::set<std::string> none;
  if (name.starts_with("load_")) return list;
  // The few that go with this transaction.
  static const std::set<std::string> purge{
      "SCAN instance_purge",
      "SCAN wanted VIRTUAL TABLE INDEX 1:", "SCAN json_each VIRTUAL TABLE INDEX 1:"};
  // Empty then: a new row might be what one in it refers to.
  static const std::set<std::string> purge_empty{"SCAN instance_purge"};
  if (name.starts_with("purge_")) return purge;
  if (name == "process_definition_insert") return purge_empty;
  // One row, from the end.
  static const std::set<std::string> last{"SCAN history_event"};
  if (name == "last_fact_time") return last;
  // Nearly always empty; a page; one instance after another up to the first caller.
  static const std::set<std::string> events{"SCAN pending_event USING INDEX pending_event_due",
                                            "SCAN inbound", "SCAN caller", "SCAN by_key",
                                            "SCAN wanted VIRTUAL TABLE INDEX 1:"};
  if (name == "pending_events" || name == "is_call_pending" || name == "awaited_messages" ||
      name == "call_depth" || name == "message_receivers" || name == "waiting_messages") {
    return events;
  }
  // Small: the starts of all versions; asked when a version is deployed again.
  static const std::set<std::string> starts{"SCAN definition_subscription"};
  if (name == "definition_has_starts") return starts;
  static const std::set<std::string> names{"SCAN json_each VIRTUAL TABLE INDEX 1:"};
  if (name == "completions_take") return names;
  // A row for each process, and for each name with limits; the runs whose callbacks are at work;
  // the runs of a chain, one after the other; for people, all versions and schedules.
  static const std::set<std::string> flows{
      "SCAN flow_host",     "SCAN flow_limit",
      "SCAN found",         "SCAN chain",
      "SCAN definition",    "SCAN flow_schedule USING INDEX flow_schedule_name_once",
      "SCAN room",          "SCAN next",
      "SCAN ranked",        "SCAN free",
      "SCAN (subquery-13)", "SCAN step_attempt USING INDEX step_attempt_started_once"};
  if (name.starts_with("flow_")) return flows;
  if (name == "due_rows") return due;
  if (name == "next_due") return next;
  if (name == "locks_of") return locks;
  // Callbacks under way; asked once, when a process takes its place again.
  static const std::set<std::string> running{
      "SCAN step_attempt USING INDEX step_attempt_started_once"};
  if (name == "flow_attempts_of") return running;
  if (name == "external_tasks_open") return open_tasks;
  if (name == "user_tasks_open") return open_user_tasks;
  if (name == "instances_with_incident") return trouble;
  if (name == "dead_letters_open") return letters;
  if (name == "migration_applied") return migrations;
  return none;
}

TEST(Query, FindsItsRowsByAnIndex) {
  const auto connection = new_schema();
  for (const auto& query : queries::kQueries) {
    const std::string name(query.name);
    const bool of_the_connection =
        name.starts_with("connection_") || name.starts_with("transaction_") ||
        name.starts_with("savepoint_") || name.starts_with("schema_") || name.starts_with("copy_");
    if (of_the_connection) continue;
    const auto& allowed = allowed_walks(name);
    for (const auto& step : plan_of(*connection, query)) {
      if (step.starts_with("SCAN")) {
        EXPECT_TRUE(allowed.contains(step)) << name << ": " << step;
      }
    }
  }
}

/// The plan of a query as one text.
std::string plan_text(Connection& connection, const sql::Query& query) {
  std::string text;
  for (const auto& step : plan_of(connection, query))
    text += step + "; ";
  return text;
}

using Plans = std::vector<std::pair<const sql::Query*, std::string>>;

void expect_plans(const Plans& expected) {
  const auto connection = new_schema();
  for (const auto& [query, index] : expected) {
    EXPECT_THAT(plan_text(*connection, *query), testing::HasSubstr(index)) << query->name;
  }
}

TEST(Query, FlowsUseTheirOwnIndex) {
  using namespace queries;
  expect_plans({
      {&load_flow_runs, "flow_run USING INTEGER PRIMARY KEY (rowid=?)"},
      {&flow_run_update, "USING INTEGER PRIMARY KEY (rowid=?)"},
      {&completions_take, "flow_completion USING INTEGER PRIMARY KEY (rowid=?)"},
      {&completions_take, "flow_completion_of_flow (process_id=? AND next_attempt_at<?)"},
      {&completions_settle, "USING INTEGER PRIMARY KEY (rowid=?)"},
      {&flow_kind_of, "USING PRIMARY KEY (process_id=?)"},
      {&next_due, "flow_completion_due (next_attempt_at>?)"},
      {&next_due, "flow_schedule USING COVERING INDEX flow_schedule_due (due_at>?)"},
      {&ready_flows, "SEARCH token USING INDEX token_ready (placed_at<?)"},
      {&flow_schedules_due, "USING INDEX flow_schedule_due (due_at<?)"},
      {&flow_running_count, "USING INDEX flow_slot_running (process_id=?)"},
      {&flow_admitted_since, "USING INDEX flow_slot_admitted (process_id=? AND admitted_at>?)"},
      {&flow_slots_waiting, "USING INDEX flow_slot_waiting (process_id=?)"},
      {&flow_slots_waiting_by_key,
       "USING INDEX flow_slot_key_waiting (process_id=? AND limit_key=?)"},
      {&flow_slots_forget, "USING INDEX flow_slot_left (counts_until<?)"},
  });
}

TEST(Query, HotReadsAndUpdatesUseTheirOwnIndex) {
  using namespace queries;
  expect_plans({
      {&process_instance_update, "USING INTEGER PRIMARY KEY (rowid=?)"},
      {&scope_update, "USING PRIMARY KEY (instance_id=? AND id=?)"},
      {&token_update, "USING PRIMARY KEY (instance_id=? AND id=?)"},
      {&step_record_update, "USING PRIMARY KEY (instance_id=? AND id=?)"},
      {&step_attempt_update, "USING PRIMARY KEY (instance_id=? AND step_id=? AND number=?)"},
      {&external_task_update, "USING INTEGER PRIMARY KEY (rowid=?)"},
      {&user_task_update, "USING INTEGER PRIMARY KEY (rowid=?)"},
      {&timer_update, "USING INTEGER PRIMARY KEY (rowid=?)"},
      {&parallel_join_update, "USING PRIMARY KEY (instance_id=? AND id=?)"},
      {&incident_update, "USING INTEGER PRIMARY KEY (rowid=?)"},
      {&dead_letter_update, "USING INTEGER PRIMARY KEY (rowid=?)"},
      {&load_scopes, "scope USING PRIMARY KEY (instance_id=?)"},
      {&load_iterations,
       "iteration USING INDEX scope_loop_index_once (instance_id=? AND parent_id=? AND "
       "loop_index>?)"},
      {&load_tokens, "token USING PRIMARY KEY (instance_id=?)"},
      {&load_steps, "step_record USING PRIMARY KEY (instance_id=?)"},
      {&load_attempts, "step_attempt USING INDEX step_attempt_started_once (instance_id=?)"},
      {&load_external_tasks, "external_task USING INDEX external_task_open_once (instance_id=?)"},
      {&load_user_tasks, "user_task USING INDEX user_task_open_once (instance_id=?)"},
      {&load_timers, "timer USING INDEX timer_instance (instance_id=?)"},
      {&load_joins, "parallel_join USING PRIMARY KEY (instance_id=?)"},
      {&load_incidents, "incident USING INDEX incident_open_once (instance_id=?)"},
      {&load_dead_letters, "dead_letter USING INDEX dead_letter_instance (instance_id=?)"},
      {&event_subscription_update, "USING INTEGER PRIMARY KEY (rowid=?)"},
      {&compensation_record_update, "USING PRIMARY KEY (instance_id=? AND id=?)"},
      {&load_subscriptions,
       "event_subscription USING INDEX event_subscription_instance (instance_id=?)"},
      {&load_compensations, "compensation_record USING PRIMARY KEY (instance_id=?)"},
      {&load_generations,
       "parallel_join USING COVERING INDEX parallel_join_generation_once (instance_id=? AND "
       "scope_id=?)"},
      {&ready_tasks, "USING INDEX external_task_ready (type=?)"},
      {&due_rows, "timer USING INDEX timer_due (due_at<?)"},
      {&due_rows, "external_task USING INDEX external_task_lock (lock_expires_at<?)"},
      {&due_rows, "token USING INDEX token_ready (placed_at<?)"},
      {&next_due, "timer USING INDEX timer_due (due_at>?)"},
      {&next_due, "external_task USING INDEX external_task_lock (lock_expires_at>?)"},
      {&next_due, "external_task USING INDEX external_task_delayed (available_at>?)"},
      {&next_due, "token USING INDEX token_ready (placed_at>?)"},
      {&instance_of_business_key,
       "USING INDEX process_instance_business_key_once (tenant_id=? AND process_id=? AND "
       "business_key=?)"},
      {&idempotency_by_key, "USING PRIMARY KEY (key=? AND tenant_id=?)"},
      {&idempotency_purge, "USING COVERING INDEX idempotency_key_expires (expires_at<?)"},
      // Before a row goes, those that may refer to it are asked.
      {&purge_step_record, "step_record_parent (instance_id=? AND parent_step_id=?)"},
      {&purge_token, "token_parent (instance_id=? AND parent_id=?)"},
      {&purge_token, "scope_token (instance_id=? AND token_id=?)"},
      {&purge_scope, "scope_parent (instance_id=? AND parent_id=?)"},
      {&purge_external_task, "dead_letter_task (task_id=?)"},
      {&definition_latest,
       "USING INDEX process_definition_version_once (tenant_id=? AND process_id=?)"},
      {&steps_of_instance, "USING INDEX step_record_ordinal_once (instance_id=?)"},
      {&history_of_instance,
       "USING INDEX sqlite_autoindex_history_event_1 (instance_id=? AND sequence>?)"},
      {&instances_by_business_key, "USING INDEX process_instance_business_key (business_key=?"},
      {&instances_by_process, "USING INDEX process_instance_process (process_id=?"},
      {&instances_by_status, "USING INDEX process_instance_status (status=?"},
      {&external_tasks_of_instance, "USING INDEX external_task_step_once (instance_id=?)"},
      {&user_tasks_of_assignee, "USING INDEX user_task_assignee (assignee=?"},
  });
}

TEST(Query, WhatBelongsToAnInstanceIsFoundByIt) {
  const auto connection = new_schema();
  const auto children = plan_text(*connection, queries::instances_of_parent);
  EXPECT_THAT(children, testing::HasSubstr("SEARCH step_record USING"));
  EXPECT_THAT(children, testing::HasSubstr("USING INTEGER PRIMARY KEY (rowid=?)"));
  EXPECT_THAT(plan_text(*connection, queries::audit_of_instance),
              testing::HasSubstr("USING INDEX audit_entry_instance (instance_id=?"));
}

TEST(Query, DecisionsAreFoundByTheirIndex) {
  using namespace queries;
  const auto connection = new_schema();
  const std::vector<std::pair<const sql::Query*, std::string>> expected{
      {&decision_latest, "decision_definition_version_once (tenant_id=? AND decision_id=?)"},
      {&decision_tagged,
       "decision_definition_tag (tenant_id=? AND decision_id=? AND version_tag=?)"},
      {&decision_of_deployment,
       "decision_definition_deployment_once (deployment_id=? AND decision_id=?)"},
      {&requirements_latest, "decision_requirements_version_once (tenant_id=? AND model_id=?)"},
      {&evaluations_page, "decision_evaluation"},
      {&purge_step_record, "decision_evaluation_step (instance_id=? AND step_id=?)"},
      {&purge_token, "decision_evaluation_token (instance_id=? AND token_id=?)"},
  };
  for (const auto& [query, index] : expected) {
    EXPECT_THAT(plan_text(*connection, *query), testing::HasSubstr(index)) << query->name;
  }
}

TEST(Query, ListsInKeyOrderNeedNoSorting) {
  using namespace queries;
  const auto connection = new_schema();
  for (const auto* query :
       {&ready_tasks, &instances_all, &instances_by_process, &instances_by_status,
        &instances_by_business_key, &history_of_instance, &steps_of_instance, &tokens_of_instance,
        &scopes_of_instance, &attempts_of_instance, &external_tasks_all, &definitions, &audit_all,
        &audit_of_instance}) {
    EXPECT_THAT(plan_text(*connection, *query), testing::Not(testing::HasSubstr("TEMP B-TREE")))
        << query->name;
  }
}

} // namespace
} // namespace perdure::store::sqlite
