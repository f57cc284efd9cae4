// Every named query on PostgreSQL: it fits the schema, and what is asked again and again finds its
// rows by an index once tables are large.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "postgres_fixture.h"

namespace perdure::store::postgres {
namespace {

namespace queries = sql::postgres;

/// Rows as a busy database has them: nearly all instances are over. Triggers and foreign keys would
/// take most of the time and have tests of their own.
constexpr const char* kFill = R"(
SET session_replication_role = replica;
INSERT INTO process_definition VALUES (1, '', 'order', 1, 'flow', 'active', '', NULL, NULL, NULL,
  NULL, now());
INSERT INTO process_instance
  SELECT i, 1, '', 'order' || i % 50, 'key' || i, i % 2 = 0,
    CASE WHEN i % 100 = 0 THEN 'running' ELSE 'completed' END, 9, 9, 1, '{}', NULL, now(), now(),
    CASE WHEN i % 100 = 0 THEN NULL ELSE now() END, now() FROM generate_series(1, 20000) AS i;
INSERT INTO scope SELECT i, i, NULL, NULL, 'order', 'process',
    CASE WHEN i % 100 = 0 THEN 'open' ELSE 'completed' END, NULL, '{}', now(),
    CASE WHEN i % 100 = 0 THEN NULL ELSE now() END FROM generate_series(1, 20000) AS i;
INSERT INTO token SELECT i, i, i, NULL, 'charge', NULL,
    CASE WHEN i % 1000 = 0 THEN 'ready' WHEN i % 100 = 0 THEN 'waiting' ELSE 'completed' END,
    'forward', 0, 1, now(), CASE WHEN i % 100 = 0 THEN NULL ELSE now() END
  FROM generate_series(1, 20000) AS i;
INSERT INTO step_record SELECT i, i, 'charge', 'charge', '', 'service_task',
    CASE WHEN i % 100 = 0 THEN 'running' ELSE 'completed' END, 1, NULL, i, 1, 3, 'none', NULL, NULL,
    NULL, NULL, NULL, NULL, now(), now(), CASE WHEN i % 100 = 0 THEN NULL ELSE now() END, now()
  FROM generate_series(1, 20000) AS i;
INSERT INTO step_attempt SELECT i, i, 1, CASE WHEN i % 100 = 0 THEN 'started' ELSE 'succeeded' END,
    'w', 'none', NULL, NULL, NULL, now(), CASE WHEN i % 100 = 0 THEN NULL ELSE now() END, NULL
  FROM generate_series(1, 20000) AS i;
INSERT INTO external_task SELECT i, i, i, i, 'charge', 'type' || i % 20, 0,
    CASE WHEN i % 200 = 0 THEN 'locked' WHEN i % 100 = 0 THEN 'ready' ELSE 'completed' END, 3,
    now(), CASE WHEN i % 200 = 0 THEN 'w' END, CASE WHEN i % 200 = 0 THEN now() END, 1, '{}', now(),
    CASE WHEN i % 100 = 0 THEN NULL ELSE now() END FROM generate_series(1, 20000) AS i;
INSERT INTO user_task SELECT i, i, i, i, 'approve', '',
    CASE WHEN i % 100 = 0 THEN 'open' ELSE 'completed' END, 'person' || i % 500, '[]', '[]', NULL,
    NULL, NULL, 0, now(), CASE WHEN i % 100 = 0 THEN NULL ELSE now() END
  FROM generate_series(1, 20000) AS i;
INSERT INTO timer SELECT i, i, i, NULL, 'wait',
    CASE WHEN i % 100 = 0 THEN 'scheduled' ELSE 'fired' END, now() + i * interval '1 second', 1,
    NULL, now(), CASE WHEN i % 100 = 0 THEN NULL ELSE now() + interval '1 day' END
  FROM generate_series(1, 20000) AS i;
INSERT INTO parallel_join SELECT i, i, i, 'join', 1, 2, 2,
    CASE WHEN i % 100 = 0 THEN 'open' ELSE 'fired' END, now(),
    CASE WHEN i % 100 = 0 THEN NULL ELSE now() END FROM generate_series(1, 20000) AS i;
INSERT INTO join_arrival SELECT i, i, 'flow', i, now() FROM generate_series(1, 20000) AS i;
INSERT INTO incident SELECT i, i, i, 'charge', 'bad_timer', '', '{}',
    CASE WHEN i % 1000 = 0 THEN 'open' ELSE 'resolved' END, now(),
    CASE WHEN i % 1000 = 0 THEN NULL ELSE now() END, NULL FROM generate_series(1, 20000) AS i;
INSERT INTO dead_letter SELECT i, i, i, 'exhausted_task',
    CASE WHEN i % 1000 = 0 THEN 'open' ELSE 'requeued' END, '', '{}', now(),
    CASE WHEN i % 1000 = 0 THEN NULL ELSE now() END FROM generate_series(1, 20000) AS i;
INSERT INTO event_subscription SELECT i, i, '', i, NULL, NULL, 'paid', 0, 'message',
    'payment' || i % 9, 'key' || i, CASE WHEN i % 100 = 0 THEN 'open' ELSE 'cancelled' END, 0, NULL,
    now(), CASE WHEN i % 100 = 0 THEN NULL ELSE now() END FROM generate_series(1, 20000) AS i;
INSERT INTO definition_subscription SELECT i, i, '', 'p' || i, 'start', 0, 'timer', NULL, NULL,
    now() + i * interval '1 second', 1, CASE WHEN i % 100 = 0 THEN 'open' ELSE 'closed' END, now(),
    CASE WHEN i % 100 = 0 THEN NULL ELSE now() END FROM generate_series(1, 20000) AS i;
INSERT INTO compensation_record SELECT i, i, i, 'charge', 'refund', NULL, i, 'pending', NULL, '{}',
    now(), NULL, NULL FROM generate_series(1, 20000) AS i;
INSERT INTO flow_run SELECT i, i, 'node', 0, NULL, 0, NULL, NULL, NULL
  FROM generate_series(1, 20000) AS i;
INSERT INTO pending_event SELECT i, i, '', 'order', 'start', NULL, NULL, i + 20000, NULL, '{}',
    'delivered', 0, now(), now() FROM generate_series(1, 20000) AS i;
INSERT INTO flow_completion SELECT i, 'order' || i % 50, 'completed', now(),
    CASE WHEN i % 100 = 0 THEN 'pending' ELSE 'delivered' END, 1,
    CASE WHEN i % 100 = 0 THEN now() + i * interval '1 second' END, NULL,
    CASE WHEN i % 100 = 0 THEN NULL ELSE now() END FROM generate_series(1, 20000) AS i;
INSERT INTO flow_schedule SELECT i, 'nightly' || i, 'order', '{}', '0 0 * * *', 'skip', 'skip', 1,
    now() + i * interval '1 second', NULL, now() FROM generate_series(1, 2000) AS i;
INSERT INTO flow_kind SELECT 'order' || i, true FROM generate_series(1, 2000) AS i;
INSERT INTO history_event SELECT i, 1, 'x', 'y', now(), '{}' FROM generate_series(1, 20000) AS i;
INSERT INTO idempotency_key SELECT 'key' || i, '', repeat('a', 64), '{}', now(),
    now() + interval '1 day' FROM generate_series(1, 20000) AS i;
SET session_replication_role = DEFAULT;
ANALYZE;
)";

/// With parameters numbered without gaps: PREPARE cannot guess the type of one that is not used.
std::string without_gaps(std::string_view text) {
  std::string made(text);
  for (int next = 1, number = 1; number <= 30; ++number) {
    const std::regex parameter("\\$" + std::to_string(number) + "(?!\\d)");
    if (!std::regex_search(made, parameter)) continue;
    made = std::regex_replace(made, parameter, "$$" + std::to_string(next++));
  }
  return made;
}

class PostgresQuery : public testing::Test {
protected:
  static void SetUpTestSuite() {
    connection_ = new_schema();
    const auto filled = connection_->script(kFill);
    ASSERT_TRUE(filled) << filled.error().message;
  }
  static void TearDownTestSuite() { connection_.reset(); }

  /// The plan with the parameters replaced by these words.
  static std::string plan(const sql::Query& query, const std::vector<std::string>& values) {
    std::string text(query.text);
    for (std::size_t i = values.size(); i > 0; --i) {
      const std::regex parameter("\\$" + std::to_string(i) + "(?!\\d)");
      text = std::regex_replace(text, parameter, values[i - 1]);
    }
    std::string plan;
    for (const auto& line : texts_of(*connection_, "EXPLAIN " + text))
      plan += line + "\n";
    return plan;
  }

  static std::unique_ptr<Connection> connection_;
};

std::unique_ptr<Connection> PostgresQuery::connection_;

TEST_F(PostgresQuery, EveryOneCanBePrepared) {
  for (const auto& query : queries::kQueries) {
    if (query.name.starts_with("transaction_") || query.name.starts_with("scratch_")) continue;
    // No statements of SQL's PREPARE, but of the protocol's.
    if (query.name == "copy_fetch" || query.name == "copy_close" || query.name == "copy_lock") {
      continue;
    }
    // What a parameter stands for is told by its use, but for reader lists, whose flags are
    // numbers.
    std::string types;
    const bool list = query.text.find("$3 IS NULL") != std::string_view::npos ||
                      query.text.find("$4 IS NULL") != std::string_view::npos ||
                      query.text.find("$5 = 0") != std::string_view::npos;
    if (list) {
      const bool instances = query.name.starts_with("instances");
      const bool audit = query.name.starts_with("audit");
      types = instances ? "(bigint, bigint, text, text, text, bigint, bigint)"
              : audit   ? "(bigint, bigint, bigint, text, text)"
                        : "(bigint, bigint, bigint, text, bigint)";
    }
    const auto text = list ? std::string(query.text) : without_gaps(query.text);
    const auto prepared =
        connection_->script("PREPARE trial " + types + " AS " + text + "; DEALLOCATE trial");
    EXPECT_TRUE(prepared) << query.name << ": " << prepared.error().message;
  }
}

TEST_F(PostgresQuery, HotReadsFindTheirRowsByTheirIndex) {
  using namespace queries;
  const std::string ids = "'{100,200,300}'::bigint[]";
  struct Expected {
    const sql::Query& query;
    std::vector<std::string> values;
    std::string index;
  };
  const std::vector<Expected> expected{
      {load_instances, {ids}, "process_instance_key"},
      {load_scopes, {ids}, "scope_"},
      {load_tokens, {ids}, "token_key"},
      {load_steps, {ids}, "step_record_"},
      {load_attempts, {ids}, "step_attempt_started_once"},
      {load_external_tasks, {ids}, "external_task_open_once"},
      {load_user_tasks, {ids}, "user_task_open_once"},
      {load_timers, {ids}, "timer_instance"},
      {load_subscriptions, {ids}, "event_subscription_instance"},
      {load_compensations, {ids}, "compensation_record_"},
      {load_flow_runs, {ids}, "flow_run_key"},
      {completions_take,
       {"'{order0,order50}'::text[]", "now()", "now()", "10"},
       "Index Scan using flow_completion_"},
      {completions_settle,
       {"'{1}'", "'{1}'", "'{NULL}'", "'{NULL}'", "'{NULL}'"},
       "flow_completion_key"},
      {flow_kind_of, {"'order7'"}, "flow_kind_key"},
      {next_due, {"now()"}, "flow_completion_due"},
      {load_joins, {ids}, "parallel_join_"},
      {load_arrivals, {ids}, "join_arrival_key"},
      {load_incidents, {ids}, "incident_"},
      {load_dead_letters, {ids}, "dead_letter_"},
      {load_iterations, {ids}, "scope_"},
      {load_visits, {ids}, "step_record_"},
      {load_generations, {ids}, "parallel_join_generation_once"},
      {instance_lock, {ids}, "process_instance_key"},
      {instance_lock_free, {ids}, "process_instance_key"},
      {instance_versions, {ids}, "process_instance_key"},
      {ready_tasks, {"'type0'", "now()", "10"}, "external_task_ready"},
      {due_rows, {"now()", "100"}, "timer_due"},
      {due_rows, {"now()", "100"}, "external_task_lock"},
      {due_rows, {"now()", "100"}, "token_ready"},
      {next_due, {"now()"}, "timer_due"},
      {next_due, {"now()"}, "external_task_lock"},
      {instance_of_business_key, {"''", "'order2'", "'key2'"}, "process_instance_business_key"},
      {idempotency_by_key, {"'key7'", "''"}, "idempotency_key_key"},
      {idempotency_purge, {"now()", "10"}, "idempotency_key_expires"},
      {instance_of_task, {"7"}, "external_task_key"},
      {instance_of_user_task, {"7"}, "user_task_key"},
      {instance_of_incident, {"7"}, "incident_key"},
      {history_of_instance, {"7", "0", "100"}, "history_event_key"},
      {steps_of_instance, {"7"}, "step_record_"},
      {tokens_of_instance, {"7"}, "token_key"},
      {instances_all, {"5000", "10", "NULL", "NULL", "NULL", "0"}, "process_instance_key"},
      {instances_by_business_key,
       {"50000", "10", "NULL", "NULL", "'key7'", "0"},
       "process_instance_business_key"},
      {instances_by_status,
       {"50000", "10", "NULL", "'failed'", "NULL", "0"},
       "process_instance_status"},
      {external_tasks_of_instance, {"0", "10", "7", "NULL", "0"}, "external_task_step_once"},
      {user_tasks_of_assignee, {"0", "10", "NULL", "'person7'", "0"}, "user_task_assignee"},
      {dead_letters_open, {"0", "10"}, "dead_letter_"},
  };
  for (const auto& [query, values, index] : expected) {
    const auto text = plan(query, values);
    EXPECT_THAT(text, testing::HasSubstr(index)) << query.name;
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("Seq Scan"))) << query.name << "\n" << text;
  }
}

TEST_F(PostgresQuery, AChainOfRunsIsFollowedByItsIndexes) {
  for (const auto& [text, index] :
       {std::pair(plan(queries::flow_chain_end, {"7"}), "pending_event_instance"),
        std::pair(plan(queries::addressed_instance_lock, {"'{100,200,300}'::bigint[]"}),
                  "process_instance_key")}) {
    EXPECT_THAT(text, testing::HasSubstr(index));
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("Seq Scan"))) << text;
  }
}

/// As a writer's connection plans them: by key, whatever the size of a table seems to be.
TEST_F(PostgresQuery, UpdatesFindTheirRowsByKey) {
  auto options = engine_connection(options_of(fresh_schema_name()));
  const auto writer = Connection::open(options).value();
  ASSERT_TRUE(writer->script("CREATE SCHEMA " + options.schema));
  for (const auto& migration : sql::kPostgresMigrations) {
    ASSERT_TRUE(writer->script(migration.text));
  }
  std::size_t count = 0;
  for (const auto& query : queries::kQueries) {
    if (!query.name.ends_with("_update")) continue;
    ++count;
    const auto table = std::string(query.name.substr(0, query.name.size() - 7));
    ASSERT_TRUE(writer->script("PREPARE trial AS " + without_gaps(query.text))) << query.name;
    std::string plan;
    const auto number = texts_of(*writer,
                                 "SELECT cardinality(parameter_types) FROM pg_prepared_statements "
                                 "WHERE name = 'trial'");
    std::string nulls;
    for (int i = 0; i < std::stoi(number.front()); ++i)
      nulls += i == 0 ? "NULL" : ", NULL";
    for (const auto& line : texts_of(*writer, "EXPLAIN EXECUTE trial (" + nulls + ")"))
      plan += line + "\n";
    EXPECT_THAT(plan, testing::HasSubstr("Index Scan using " + table + "_")) << plan;
    ASSERT_TRUE(writer->script("DEALLOCATE trial"));
  }
  EXPECT_GE(count, 13U); // it was not an empty list
}

} // namespace
} // namespace perdure::store::postgres
