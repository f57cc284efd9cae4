// One instance from start to end with in-process handlers: what good, failing and misbehaving
// handlers leave in the rows.
#include <stdexcept>

#include "engine/fixture.h"

namespace perdure::engine {
namespace {

using facts::AttemptState;
using facts::InstanceStatus;
using facts::StepStatus;
using facts::TaskState;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

JobResult failed(std::string name, std::string message = "It broke.") {
  return std::unexpected(JobFailure{.error_name = std::move(name), .message = std::move(message)});
}

class Life : public EngineTest {
protected:
  /// An engine with one handler for type `work` and the model of one such task.
  void serve(Handler handler, int retries = 3) {
    create();
    engine().handle("work", std::move(handler));
    begin();
    deploy(work_model("work", "work", retries));
  }
};

TEST_F(Life, ThreeTasksAndAGateway) {
  create();
  engine().handle("payment", [](const Job&) -> JobResult { return Value(Object{{"paid", true}}); });
  engine().handle("stock", [](const Job&) -> JobResult { return Value(); });
  engine().handle("shipping", [](const Job& job) -> JobResult {
    return Value(Object{{"saw_paid", *job.variables.find("paid")}});
  });
  begin();
  deploy(order_model());
  const auto id = start("order", Object{{"amount", 250}});
  watcher().await(id, "instance_completed");

  const auto all = record(id);
  const auto& rows = all.rows;
  EXPECT_EQ(rows.instance.status, InstanceStatus::completed);
  EXPECT_TRUE(rows.instance.ended_at);
  EXPECT_EQ(rows.instance.version, static_cast<std::int64_t>(all.history.size()));
  ASSERT_EQ(rows.steps.size(), 3U);
  for (const auto& slot : rows.steps.slots()) {
    EXPECT_EQ(slot.row.status, StepStatus::completed);
    EXPECT_EQ(slot.row.attempt_count, 1);
  }
  EXPECT_EQ(step(id, "A").output, Value(Object{{"paid", true}}));
  EXPECT_EQ(step(id, "B").output_type, facts::OutputType::none);
  EXPECT_EQ(step(id, "C").output, Value(Object{{"saw_paid", true}}));
  EXPECT_THAT(attempt_states(id), ElementsAre(AttemptState::succeeded, AttemptState::succeeded,
                                              AttemptState::succeeded));
  for (const auto& slot : rows.external_tasks.slots())
    EXPECT_EQ(slot.row.state, TaskState::completed);
  for (const auto& slot : rows.tokens.slots()) {
    EXPECT_EQ(slot.row.state, facts::TokenState::completed);
    EXPECT_EQ(slot.row.node_id, "Big");
  }
  ASSERT_EQ(rows.scopes.size(), 1U);
  EXPECT_EQ(rows.scopes.slots().front().row.state, facts::ScopeState::completed);
  for (std::size_t i = 0; i < all.history.size(); ++i)
    EXPECT_EQ(all.history[i].sequence, static_cast<std::int64_t>(i) + 1);
  EXPECT_EQ(engine().counters().instances_completed, 1);
}

TEST_F(Life, TwoFailuresAndASuccessAreOneStepWithThreeAttempts) {
  serve([](const Job& job) -> JobResult {
    if (job.attempt < 3) return failed("Busy", "Attempt " + std::to_string(job.attempt));
    return Value();
  });
  const auto began = clock().now();
  const auto id = start("work");
  watcher().await(id, "attempt_failed", 1);
  EXPECT_EQ(attempts(id).at(0).next_attempt_at, began + Duration(250));
  EXPECT_EQ(step(id, "Work").status, StepStatus::pending);

  advance(Duration(249));
  settle();
  EXPECT_EQ(watcher().count(id, "attempt_started"), 1);
  advance(Duration(1));
  watcher().await(id, "attempt_failed", 2);
  EXPECT_EQ(attempts(id).at(1).next_attempt_at, began + Duration(250 + 500));

  advance(Duration(499));
  settle();
  EXPECT_EQ(watcher().count(id, "attempt_started"), 2);
  advance(Duration(1));
  watcher().await(id, "instance_completed");

  const auto work = step(id, "Work");
  EXPECT_EQ(work.status, StepStatus::completed);
  EXPECT_EQ(work.attempt_count, 3);
  EXPECT_FALSE(work.error_name);
  const auto tries = attempts(id);
  EXPECT_THAT(attempt_states(id),
              ElementsAre(AttemptState::failed, AttemptState::failed, AttemptState::succeeded));
  EXPECT_EQ(tries.at(0).error_name, "Busy");
  EXPECT_EQ(tries.at(0).error_message, "Attempt 1");
  EXPECT_FALSE(tries.at(2).next_attempt_at);
  EXPECT_THAT(incidents(id), IsEmpty());
}

TEST_F(Life, ExhaustedRetriesAreAnIncidentThatAnOperatorMends) {
  std::atomic<bool> broken{true};
  serve([&](const Job&) -> JobResult { return broken ? failed("Broken") : JobResult(Value()); }, 2);
  const auto id = start("work");
  watcher().await(id, "attempt_failed", 1);
  advance(Duration(250));
  watcher().await(id, "incident_opened");

  auto rows = record(id).rows;
  EXPECT_EQ(rows.instance.status, InstanceStatus::running);
  EXPECT_EQ(step(id, "Work").status, StepStatus::failed);
  EXPECT_EQ(step(id, "Work").error_name, "Broken");
  EXPECT_EQ(task(id).state, TaskState::failed);
  EXPECT_FALSE(attempts(id).at(1).next_attempt_at);
  ASSERT_EQ(rows.dead_letters.size(), 1U);
  EXPECT_EQ(rows.dead_letters.slots().front().row.state, facts::DeadLetterState::open);
  EXPECT_EQ(rows.dead_letters.slots().front().row.task_id, task(id).id);
  ASSERT_EQ(incidents(id).size(), 1U);
  EXPECT_EQ(incidents(id)[0].kind, facts::IncidentKind::retries_exhausted);
  advance(Duration(3'600'000));
  settle();
  EXPECT_EQ(watcher().count(id, "attempt_started"), 2);

  broken = false;
  EXPECT_EQ(outcome_of(retry(id)), "");
  watcher().await(id, "instance_completed");
  rows = record(id).rows;
  EXPECT_EQ(step(id, "Work").status, StepStatus::completed);
  EXPECT_EQ(step(id, "Work").attempt_count, 3);
  EXPECT_EQ(task(id).state, TaskState::completed);
  EXPECT_EQ(rows.dead_letters.slots().front().row.state, facts::DeadLetterState::requeued);
  EXPECT_EQ(incidents(id)[0].state, facts::IncidentState::resolved);
  EXPECT_EQ(incidents(id)[0].resolved_by, "operator");
}

TEST_F(Life, ThrowingIsAFailedAttempt) {
  serve([](const Job& job) -> JobResult {
    if (job.attempt == 1) throw std::runtime_error("No connection.");
    if (job.attempt == 2) throw 7;
    return Value();
  });
  const auto id = start("work");
  watcher().await(id, "attempt_failed", 1);
  advance(Duration(250));
  watcher().await(id, "attempt_failed", 2);
  advance(Duration(500));
  watcher().await(id, "instance_completed");
  const auto tries = attempts(id);
  EXPECT_EQ(tries.at(0).error_name, "exception");
  EXPECT_EQ(tries.at(0).error_message, "No connection.");
  EXPECT_EQ(tries.at(1).error_message, "unknown exception");
}

TEST_F(Life, NotRetryableIsAnIncidentAtOnce) {
  serve([](const Job&) -> JobResult {
    return std::unexpected(
        JobFailure{.error_name = "CardDeclined", .message = "No money.", .retryable = false});
  });
  const auto id = start("work");
  watcher().await(id, "incident_opened");
  EXPECT_THAT(attempt_states(id), ElementsAre(AttemptState::failed));
  EXPECT_EQ(step(id, "Work").error_name, "CardDeclined");
}

TEST_F(Life, TheHandlerMayNameItsDelay) {
  serve([](const Job& job) -> JobResult {
    if (job.attempt > 1) return Value();
    return std::unexpected(
        JobFailure{.error_name = "Busy", .message = "Later.", .retry_delay = Duration(60'000)});
  });
  const auto began = clock().now();
  const auto id = start("work");
  watcher().await(id, "attempt_failed");
  EXPECT_EQ(attempts(id).at(0).next_attempt_at, began + Duration(60'000));
  advance(Duration(60'000));
  watcher().await(id, "instance_completed");
}

TEST_F(Life, OutputThatIsNoObjectIsAFailedAttempt) {
  serve([](const Job& job) -> JobResult {
    return job.attempt == 1 ? Value(Array{1, 2}) : Value(Object{{"n", 1}});
  });
  const auto id = start("work");
  watcher().await(id, "attempt_failed");
  EXPECT_EQ(attempts(id).at(0).error_name, "BadVariables");
  advance(Duration(250));
  watcher().await(id, "instance_completed");
  EXPECT_EQ(step(id, "Work").attempt_count, 2);
}

TEST_F(Life, AnExpressionThatFailsGoesOnAfterARetryWithoutDoingTheWorkAgain) {
  std::atomic<int> ran{0};
  create();
  for (const auto* type : {"payment", "stock", "shipping"}) {
    engine().handle(type, [&](const Job&) -> JobResult {
      ++ran;
      return Value();
    });
  }
  begin();
  deploy(order_model());
  const auto id = start("order", Object{{"amount", "plenty"}});
  watcher().await(id, "incident_opened");
  EXPECT_EQ(incidents(id).at(0).kind, facts::IncidentKind::expression_error);
  EXPECT_EQ(outcome_of(retry(id)), "");
  watcher().await(id, "incident_opened", 2);
  EXPECT_EQ(ran, 3);
}

} // namespace
} // namespace perdure::engine
