// apply: what each fact does to the rows, and that a fact which does not fit is a bug.
#include "facts/apply.h"

#include <gtest/gtest.h>

#include <utility>

#include "base/check.h"

namespace perdure::facts {
namespace {

const Instant kStart = from_ms(1'767'225'600'000);

/// A state and the clock that its facts carry, one second a fact.
class Instance {
public:
  Instance() {
    add(InstanceStarted{.instance_id = 1,
                        .definition_id = 2,
                        .tenant_id = "acme",
                        .process_id = "order",
                        .business_key = "B-1",
                        .unique_business_key = true,
                        .root_scope_id = 3,
                        .input = Object{{"x", 1}, {"y", 2}}});
    add(TokenPlaced{.token_id = 4, .scope_id = 3, .node_id = "a", .flow_id = {}, .parent_id = {}});
  }

  void add(FactData data) {
    apply(state, {.sequence = state.instance.last_sequence + 1, .at = next_time(), .data = data});
  }
  /// Whether the fact is refused as a bug.
  bool is_bug(FactData data) {
    auto copy = state;
    try {
      apply(copy, {.sequence = copy.instance.last_sequence + 1, .at = kStart, .data = data});
    } catch (const BugFound&) {
      return true;
    }
    return false;
  }

  void open_task(std::int64_t max_attempts = 3) {
    StepOpened step;
    step.step_id = 10;
    step.token_id = 4;
    step.slug = "a";
    step.node_id = "a";
    step.max_attempts = max_attempts;
    step.worker =
        WorkerPart{.task_id = 11, .type = "payment", .priority = 5, .variables = Object{}};
    add(step);
  }
  void start_attempt(std::int64_t number) {
    add(AttemptStarted{.step_id = 10,
                       .task_id = 11,
                       .number = number,
                       .worker_id = "w1",
                       .lock_expires_at = now() + std::chrono::seconds(30)});
  }
  void fail_attempt(std::int64_t number, std::int64_t retries) {
    AttemptFailed failed{.step_id = 10,
                         .task_id = 11,
                         .number = number,
                         .error_name = "Declined",
                         .error_message = "no",
                         .retries = retries,
                         .next_attempt_at = {}};
    if (retries > 0) failed.next_attempt_at = now() + std::chrono::seconds(60);
    add(failed);
  }

  [[nodiscard]] Instant now() const { return kStart + std::chrono::seconds(ticks_); }
  [[nodiscard]] const Token& token() const { return *state.tokens.find(4); }
  [[nodiscard]] const StepRecord& step() const { return *state.steps.find(10); }
  [[nodiscard]] const ExternalTask& task() const { return *state.external_tasks.find(11); }
  [[nodiscard]] const StepAttempt& attempt(std::int64_t number) const {
    return *state.attempts.find(std::tuple(Key{10}, number));
  }

  InstanceState state;

private:
  Instant next_time() {
    ++ticks_;
    return now();
  }
  int ticks_ = 0;
};

TEST(Apply, StartMakesInstanceAndRootScope) {
  const Instance one;
  const auto& instance = one.state.instance;
  EXPECT_EQ(instance.id, 1);
  EXPECT_EQ(instance.status, InstanceStatus::running);
  EXPECT_EQ(instance.last_sequence, 2);
  EXPECT_EQ(instance.version, 2);
  EXPECT_EQ(instance.created_at, kStart + std::chrono::seconds(1));
  EXPECT_EQ(instance.started_at, instance.created_at);
  EXPECT_EQ(instance.updated_at, kStart + std::chrono::seconds(2));
  EXPECT_EQ(one.state.instance_change, Change::inserted);
  const auto* root = one.state.scopes.find(Key{3});
  ASSERT_TRUE(root);
  EXPECT_EQ(root->kind, ScopeKind::process);
  EXPECT_EQ(root->node_id, "order");
  EXPECT_EQ(root->variables, instance.input);
  EXPECT_FALSE(root->parent_id);
}

TEST(Apply, SequenceHasNoGaps) {
  Instance one;
  auto state = one.state;
  const TokenMoved moved{.token_id = 4, .flow_id = "f", .node_id = "b"};
  EXPECT_THROW(apply(state, {.sequence = 2, .at = kStart, .data = moved}), BugFound);
  EXPECT_THROW(apply(state, {.sequence = 4, .at = kStart, .data = moved}), BugFound);
  InstanceState empty;
  EXPECT_THROW(apply(empty, {.sequence = 1, .at = kStart, .data = moved}), BugFound);
}

TEST(Apply, VariablesReplaceMembersAndKeepOthers) {
  Instance one;
  one.add(VariablesSet{.scope_id = 3, .variables = Object{{"y", 5}, {"z", 6}}});
  EXPECT_EQ(one.state.scopes.find(Key{3})->variables,
            Value(Object({{"x", 1}, {"y", 5}, {"z", 6}})));
  EXPECT_EQ(one.state.instance.input, Value(Object({{"x", 1}, {"y", 2}})));
  EXPECT_TRUE(one.is_bug(VariablesSet{.scope_id = 9, .variables = Object{}}));
  EXPECT_TRUE(one.is_bug(VariablesSet{.scope_id = 3, .variables = 5}));
}

TEST(Apply, TokensMoveAndEnd) {
  Instance one;
  EXPECT_EQ(one.token().state, TokenState::ready);
  EXPECT_EQ(one.token().version, 1);
  one.add(TokenMoved{.token_id = 4, .flow_id = "f", .node_id = "b"});
  EXPECT_EQ(one.token().node_id, "b");
  EXPECT_EQ(one.token().flow_id, "f");
  EXPECT_EQ(one.token().version, 2);
  one.add(TokenCompleted{.token_id = 4});
  EXPECT_EQ(one.token().state, TokenState::completed);
  EXPECT_EQ(one.token().ended_at, one.now());
  EXPECT_TRUE(one.is_bug(TokenMoved{.token_id = 4, .flow_id = "f", .node_id = "c"}));
  EXPECT_TRUE(one.is_bug(TokenTerminated{.token_id = 4}));
  EXPECT_TRUE(one.is_bug(TokenCompleted{.token_id = 5}));
  one.add(InstanceCompleted{});
  EXPECT_EQ(one.state.instance.status, InstanceStatus::completed);
  EXPECT_EQ(one.state.instance.ended_at, one.now());
  EXPECT_EQ(one.state.scopes.find(Key{3})->state, ScopeState::completed);
  EXPECT_TRUE(one.is_bug(InstanceCancelled{}));
  EXPECT_TRUE(one.is_bug(VariablesSet{.scope_id = 3, .variables = Object{}}));
}

TEST(Apply, AnInstanceDoesNotEndWithLiveTokens) {
  Instance one;
  EXPECT_TRUE(one.is_bug(InstanceCompleted{}));
  EXPECT_TRUE(one.is_bug(InstanceCancelled{}));
}

TEST(Apply, ThreeAttemptsAreOneStep) {
  Instance one;
  one.open_task();
  EXPECT_EQ(one.step().status, StepStatus::pending);
  EXPECT_EQ(one.step().ordinal, 1);
  EXPECT_FALSE(one.step().started_at);
  EXPECT_EQ(one.task().state, TaskState::ready);
  EXPECT_EQ(one.task().retries, 3);
  EXPECT_EQ(one.token().state, TokenState::waiting);
  one.start_attempt(1);
  EXPECT_EQ(one.step().status, StepStatus::running);
  EXPECT_EQ(one.token().state, TokenState::executing);
  EXPECT_EQ(one.token().attempt, 1);
  EXPECT_EQ(one.task().state, TaskState::locked);
  EXPECT_EQ(one.task().worker_id, "w1");
  const auto first_start = one.step().started_at;
  one.fail_attempt(1, 2);
  EXPECT_EQ(one.step().status, StepStatus::pending);
  EXPECT_FALSE(one.step().error_message);
  EXPECT_EQ(one.task().state, TaskState::ready);
  EXPECT_FALSE(one.task().worker_id);
  EXPECT_FALSE(one.task().lock_expires_at);
  EXPECT_EQ(one.task().available_at, *one.attempt(1).next_attempt_at);
  EXPECT_EQ(one.token().state, TokenState::waiting);
  one.start_attempt(2);
  one.add(AttemptInterrupted{
      .step_id = 10, .task_id = 11, .number = 2, .retries = 1, .available_at = one.now()});
  EXPECT_EQ(one.attempt(2).state, AttemptState::interrupted);
  one.start_attempt(3);
  one.add(AttemptSucceeded{
      .step_id = 10, .task_id = 11, .number = 3, .output = Object{{"paid", true}}});
  EXPECT_EQ(one.state.steps.size(), 1U);
  EXPECT_EQ(one.state.attempts.size(), 3U);
  EXPECT_EQ(one.step().status, StepStatus::completed);
  EXPECT_EQ(one.step().attempt_count, 3);
  EXPECT_EQ(one.step().started_at, first_start);
  EXPECT_EQ(one.step().output_type, OutputType::json);
  EXPECT_EQ(one.step().completed_at, one.now());
  EXPECT_EQ(one.task().state, TaskState::completed);
  EXPECT_EQ(one.attempt(3).result, Value(Object{{"paid", true}}));
}

TEST(Apply, AReleasedAttemptUsesUpItsNumberButNoAttempt) {
  Instance one;
  one.open_task(2);
  for (std::int64_t number = 1; number <= 5; ++number) {
    one.start_attempt(number);
    one.add(AttemptReleased{.step_id = 10, .task_id = 11, .number = number});
    EXPECT_EQ(one.attempt(number).state, AttemptState::released);
    EXPECT_EQ(one.attempt(number).ended_at, one.now());
    EXPECT_FALSE(one.attempt(number).next_attempt_at);
    EXPECT_EQ(one.task().state, TaskState::ready);
    EXPECT_FALSE(one.task().worker_id);
    EXPECT_EQ(one.task().available_at, one.now());
    EXPECT_EQ(one.task().retries, 2);
    EXPECT_EQ(one.task().attempt, number);
    EXPECT_EQ(one.step().status, StepStatus::pending);
    EXPECT_EQ(one.step().max_attempts, 2 + number);
    EXPECT_EQ(one.token().state, TokenState::waiting);
  }
  // Two attempts are left, as in the beginning.
  one.start_attempt(6);
  one.fail_attempt(6, 1);
  one.start_attempt(7);
  EXPECT_TRUE(one.is_bug(AttemptReleased{.step_id = 10, .task_id = 11, .number = 6}));
  one.fail_attempt(7, 0);
  EXPECT_EQ(one.step().status, StepStatus::failed);
  EXPECT_TRUE(one.is_bug(AttemptReleased{.step_id = 10, .task_id = 11, .number = 7}));
}

TEST(Apply, ExhaustedThenRetried) {
  Instance one;
  one.open_task(1);
  one.start_attempt(1);
  one.fail_attempt(1, 0);
  EXPECT_EQ(one.step().status, StepStatus::failed);
  EXPECT_EQ(one.step().error_name, "Declined");
  EXPECT_EQ(one.step().completed_at, one.now());
  EXPECT_EQ(one.task().state, TaskState::failed);
  EXPECT_EQ(one.task().ended_at, one.now());
  EXPECT_FALSE(one.attempt(1).next_attempt_at);
  one.add(StepRetried{.step_id = 10, .task_id = 11, .retries = 2});
  EXPECT_EQ(one.step().status, StepStatus::pending);
  EXPECT_FALSE(one.step().error_name);
  EXPECT_FALSE(one.step().completed_at);
  EXPECT_EQ(one.step().max_attempts, 3);
  EXPECT_EQ(one.task().state, TaskState::ready);
  EXPECT_EQ(one.task().retries, 2);
  EXPECT_EQ(one.task().available_at, one.now());
  EXPECT_FALSE(one.task().ended_at);
}

TEST(Apply, AttemptsThatDoNotFitAreBugs) {
  Instance one;
  one.open_task(2);
  const AttemptStarted second{
      .step_id = 10, .task_id = 11, .number = 2, .worker_id = "w", .lock_expires_at = kStart};
  EXPECT_TRUE(one.is_bug(second));
  EXPECT_TRUE(
      one.is_bug(AttemptSucceeded{.step_id = 10, .task_id = 11, .number = 1, .output = {}}));
  EXPECT_TRUE(one.is_bug(LockExtended{.task_id = 11, .lock_expires_at = kStart}));
  EXPECT_TRUE(one.is_bug(StepRetried{.step_id = 10, .task_id = 11, .retries = 1}));
  one.start_attempt(1);
  EXPECT_TRUE(one.is_bug(second));
  AttemptFailed failed{.step_id = 10,
                       .task_id = 11,
                       .number = 1,
                       .error_name = "",
                       .error_message = "",
                       .retries = 1,
                       .next_attempt_at = {}};
  EXPECT_TRUE(one.is_bug(failed)) << "retries left without a time";
  failed.next_attempt_at = kStart;
  failed.retries = 2;
  EXPECT_TRUE(one.is_bug(failed)) << "retries must shrink";
  failed.retries = 0;
  EXPECT_TRUE(one.is_bug(failed)) << "a time without retries";
  one.add(AttemptSucceeded{.step_id = 10, .task_id = 11, .number = 1, .output = {}});
  EXPECT_TRUE(
      one.is_bug(AttemptSucceeded{.step_id = 10, .task_id = 11, .number = 1, .output = {}}));
  EXPECT_TRUE(one.is_bug(StepCancelled{.step_id = 10}));
}

TEST(Apply, CancelClosesEverythingOfTheStep) {
  Instance one;
  one.open_task();
  one.start_attempt(1);
  one.add(StepCancelled{.step_id = 10});
  EXPECT_EQ(one.step().status, StepStatus::cancelled);
  EXPECT_EQ(one.task().state, TaskState::cancelled);
  EXPECT_FALSE(one.task().worker_id);
  EXPECT_EQ(one.attempt(1).state, AttemptState::interrupted);
}

TEST(Apply, TimerAndUserStepsWait) {
  Instance one;
  StepOpened timer;
  timer.step_id = 10;
  timer.token_id = 4;
  timer.slug = "a";
  timer.node_id = "a";
  timer.type = StepType::sleep;
  timer.timer = TimerPart{.timer_id = 12, .due_at = kStart};
  one.add(timer);
  EXPECT_EQ(one.step().status, StepStatus::waiting);
  EXPECT_EQ(one.step().attempt_count, 1);
  EXPECT_EQ(one.step().started_at, one.now());
  one.add(TimerFired{.timer_id = 12, .lateness_ms = 0});
  one.add(StepCompleted{.step_id = 10, .output = {}});
  EXPECT_EQ(one.state.timers.find(Key{12})->status, TimerStatus::fired);
  EXPECT_TRUE(one.is_bug(TimerFired{.timer_id = 12, .lateness_ms = 0}));
  StepOpened user;
  user.step_id = 20;
  user.token_id = 4;
  user.slug = "a#2";
  user.node_id = "a";
  user.name = "Approve";
  user.type = StepType::user_task;
  user.user = UserPart{.task_id = 21, .candidate_groups = Array{}, .candidate_users = Array{}};
  one.add(user);
  EXPECT_EQ(one.state.user_tasks.find(Key{21})->name, "Approve");
  EXPECT_EQ(one.state.visit_count("a"), 2);
  EXPECT_EQ(one.state.visit_count("b"), 0);
  one.add(StepCompleted{.step_id = 20, .output = Value(nullptr)});
  EXPECT_EQ(one.state.user_tasks.find(Key{21})->state, UserTaskState::completed);
  EXPECT_EQ(one.state.steps.find(Key{20})->output_type, OutputType::json);
}

TEST(Apply, JoinsGatherOncePerFlowAndFireWhenComplete) {
  Instance one;
  one.add(
      TokenPlaced{.token_id = 5, .scope_id = 3, .node_id = "j", .flow_id = "g", .parent_id = 4});
  one.add(JoinOpened{.join_id = 8, .scope_id = 3, .node_id = "j", .generation = 1, .expected = 2});
  EXPECT_TRUE(one.is_bug(
      JoinOpened{.join_id = 9, .scope_id = 3, .node_id = "j", .generation = 1, .expected = 2}));
  one.add(JoinArrived{.join_id = 8, .flow_id = "f", .token_id = 4});
  EXPECT_EQ(one.token().state, TokenState::waiting);
  EXPECT_TRUE(one.is_bug(JoinFired{.join_id = 8})) << "early";
  EXPECT_TRUE(one.is_bug(JoinArrived{.join_id = 8, .flow_id = "f", .token_id = 5})) << "same flow";
  one.add(JoinArrived{.join_id = 8, .flow_id = "g", .token_id = 5});
  one.add(JoinFired{.join_id = 8});
  EXPECT_EQ(one.state.joins.find(Key{8})->state, JoinState::fired);
  EXPECT_TRUE(one.is_bug(JoinFired{.join_id = 8})) << "twice";
  EXPECT_TRUE(one.is_bug(JoinCancelled{.join_id = 8}));
  EXPECT_EQ(one.state.last_generation(3, "j"), 1);
  EXPECT_EQ(one.state.last_generation(3, "k"), 0);
}

TEST(Apply, IncidentsAndDeadLettersCloseOnce) {
  Instance one;
  one.add(IncidentOpened{.incident_id = 8,
                         .token_id = 4,
                         .node_id = "a",
                         .kind = IncidentKind::no_outgoing_flow,
                         .message = "m",
                         .details = Object{}});
  EXPECT_EQ(one.token().state, TokenState::waiting);
  one.add(IncidentResolved{.incident_id = 8, .by = "anna", .reenter = true});
  EXPECT_EQ(one.token().state, TokenState::ready);
  EXPECT_EQ(one.state.incidents.find(Key{8})->resolved_by, "anna");
  EXPECT_TRUE(one.is_bug(IncidentResolved{.incident_id = 8, .by = {}, .reenter = false}));
  one.add(DeadLetterOpened{.dead_letter_id = 9,
                           .task_id = {},
                           .kind = DeadLetterKind::exhausted_task,
                           .reason = "r",
                           .payload = Object{}});
  one.add(DeadLetterClosed{.dead_letter_id = 9, .state = DeadLetterState::requeued});
  EXPECT_EQ(one.state.dead_letters.find(Key{9})->closed_at, one.now());
  EXPECT_TRUE(
      one.is_bug(DeadLetterClosed{.dead_letter_id = 9, .state = DeadLetterState::discarded}));
}

TEST(Apply, ScopesOpenInsideOpenOnes) {
  Instance one;
  const ScopeOpened opened{.scope_id = 7,
                           .parent_id = 3,
                           .token_id = 4,
                           .node_id = "sub",
                           .kind = ScopeKind::sub_process,
                           .loop_index = {},
                           .variables = Object{}};
  one.add(opened);
  EXPECT_EQ(one.token().state, TokenState::waiting);
  one.add(ScopeClosed{.scope_id = 7, .state = ScopeState::completed});
  EXPECT_TRUE(one.is_bug(ScopeClosed{.scope_id = 7, .state = ScopeState::terminated}));
  EXPECT_TRUE(one.is_bug(
      TokenPlaced{.token_id = 20, .scope_id = 7, .node_id = "b", .flow_id = {}, .parent_id = {}}));
}

TEST(Saved, DropsWhatNoDecisionReads) {
  Instance one;
  one.open_task(1);
  one.start_attempt(1);
  one.state.saved();
  EXPECT_EQ(one.state.instance_change, Change::none);
  EXPECT_EQ(one.state.steps.slots().front().change, Change::none);
  EXPECT_EQ(one.state.attempts.size(), 1U);
  one.fail_attempt(1, 0);
  EXPECT_EQ(one.state.instance_change, Change::updated);
  EXPECT_EQ(one.state.steps.slots().front().change, Change::updated);
  one.state.saved();
  EXPECT_EQ(one.state.external_tasks.size(), 1U) << "a failed task can be retried";
  EXPECT_EQ(one.state.steps.size(), 1U);
  EXPECT_TRUE(one.state.attempts.empty());
  one.add(StepRetried{.step_id = 10, .task_id = 11, .retries = 1});
  one.start_attempt(2);
  one.add(AttemptSucceeded{.step_id = 10, .task_id = 11, .number = 2, .output = {}});
  one.add(TokenCompleted{.token_id = 4});
  one.add(InstanceCompleted{});
  one.state.saved();
  EXPECT_TRUE(one.state.steps.empty());
  EXPECT_TRUE(one.state.external_tasks.empty());
  EXPECT_TRUE(one.state.tokens.empty());
  EXPECT_TRUE(one.state.scopes.empty());
  EXPECT_EQ(one.state.instance.status, InstanceStatus::completed);
  EXPECT_EQ(one.state.visit_count("a"), 1);
}

} // namespace
} // namespace perdure::facts
