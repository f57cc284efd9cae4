// What a store must do with units: keep them whole, apart from each other, and give them back.
#include <set>

#include "base/digest.h"
#include "conformance.h"

namespace perdure::store {
namespace {

using test::kStart;
using test::Life;

class ConformanceCommit : public Conformance {};

facts::IdempotencyRecord record_of(const std::string& key) {
  return {.key = key,
          .tenant_id = "",
          .request_digest = sha256_hex(key),
          .outcome = R"({"id":"1"})",
          .created_at = kStart,
          .expires_at = kStart + Duration(1000)};
}

TEST_P(ConformanceCommit, KeysAreTakenOnce) {
  const auto first = store().take_keys(10).value();
  const auto second = store().take_keys(1).value();
  reopen();
  const auto third = store().take_keys(1000).value();
  EXPECT_GE(first.next, 1);
  EXPECT_EQ(first.left(), 10);
  EXPECT_GE(second.next, first.end);
  EXPECT_GE(third.next, second.end);
  EXPECT_EQ(third.left(), 1000);
}

struct Armed {
  Key message = kNoKey;
  Key condition = kNoKey;
  Key tick = kNoKey;
  Key record = kNoKey;
};

/// A message and a condition that are waited for, a cycle, a record to undo, a signal on its way.
Armed arm(Life& order, Key wait, Key step_id) {
  Armed armed;
  armed.message = order.keys.take();
  order.emit(facts::SubscriptionOpened{.subscription_id = armed.message,
                                       .token_id = wait,
                                       .scope_id = {},
                                       .step_id = step_id,
                                       .node_id = "wait",
                                       .position = 0,
                                       .kind = facts::SubscriptionKind::message,
                                       .name = "payment",
                                       .correlation_key = "A-1",
                                       .condition_holds = {}});
  armed.condition = order.keys.take();
  order.emit(facts::SubscriptionOpened{.subscription_id = armed.condition,
                                       .token_id = {},
                                       .scope_id = order.root,
                                       .step_id = {},
                                       .node_id = "full",
                                       .position = 1,
                                       .kind = facts::SubscriptionKind::conditional,
                                       .name = "",
                                       .correlation_key = {},
                                       .condition_holds = false});
  armed.tick = order.keys.take();
  order.emit(facts::TimerScheduled{.timer_id = armed.tick,
                                   .token_id = {},
                                   .scope_id = order.root,
                                   .node_id = "tick",
                                   .position = 0,
                                   .due_at = order.now + Duration(1000),
                                   .cycle = "R/PT1S"});
  armed.record = order.keys.take();
  order.emit(facts::CompensationRecorded{.record_id = armed.record,
                                         .scope_id = order.root,
                                         .node_id = "book",
                                         .handler_id = "cancel",
                                         .inner_scope_id = {},
                                         .ordinal = 7,
                                         .variables = Object{{"n", 1}}});
  order.emit(facts::EventSent{.pending_event_id = order.keys.take(),
                              .node_id = "tell",
                              .kind = facts::PendingKind::signal,
                              .name = "done",
                              .correlation_key = {},
                              .target_instance_id = {},
                              .target_token_id = {},
                              .payload = Object{}});
  return armed;
}

/// The activity that the token rests on is repeated twice, and once done.
void repeat(Life& order, Key wait) {
  const auto body = order.keys.take();
  order.emit(facts::ScopeOpened{.scope_id = body,
                                .parent_id = order.root,
                                .token_id = wait,
                                .node_id = "each",
                                .kind = facts::ScopeKind::multi_instance,
                                .loop_index = {},
                                .variables = Object{}});
  for (int i = 0; i < 2; ++i) {
    const auto iteration = order.keys.take();
    order.emit(facts::ScopeOpened{.scope_id = iteration,
                                  .parent_id = body,
                                  .token_id = wait,
                                  .node_id = "each",
                                  .kind = facts::ScopeKind::iteration,
                                  .loop_index = i,
                                  .variables = Object{}});
    if (i == 0) {
      order.emit(facts::ScopeClosed{iteration, facts::ScopeState::completed, Value(nullptr)});
    }
  }
}

/// Waiting for a message, armed timers, a repeated activity with its outputs, compensation, events
/// on their way.
TEST_P(ConformanceCommit, LoadGivesEventsBack) {
  auto order = life();
  order.start();
  const auto wait = order.place(order.root, "wait");
  auto step = order.step(wait, facts::StepType::receive_task);
  const auto step_id = step.step_id;
  order.emit(std::move(step));
  const auto armed = arm(order, wait, step_id);
  save(order);
  expect_saved(order);

  order.now += Duration(2500);
  order.emit(facts::TimerFired{
      .timer_id = armed.tick, .lateness_ms = 1500, .next_due_at = order.now, .next_occurrence = 3});
  order.emit(facts::ConditionChanged{armed.condition, true});
  order.emit(facts::SubscriptionTriggered{armed.condition, true});
  order.emit(facts::SubscriptionTriggered{armed.message, false});
  order.emit(facts::StepCompleted{step_id, {}});
  order.emit(facts::TokenMoved{wait, "flow_3", "each"});
  repeat(order, wait);
  order.emit(facts::CompensationStarted{armed.record, wait});
  save(order);
  expect_saved(order);
  reopen();
  expect_saved(order);
}

TEST_P(ConformanceCommit, LoadGivesTheLiveRowsBack) {
  auto order = life();
  order.start(Object{{"amount", 12.5}, {"tags", Array{"a", nullptr, true}}}, "A-1");
  const auto charge = order.place(order.root, "charge");
  const auto pack = order.place(order.root, "pack", charge);
  const auto payment = order.open_work(charge);
  save(order);
  expect_saved(order);

  const auto inner = order.keys.take();
  order.emit(facts::ScopeOpened{.scope_id = inner,
                                .parent_id = order.root,
                                .token_id = pack,
                                .node_id = "pack",
                                .kind = facts::ScopeKind::sub_process,
                                .loop_index = {},
                                .variables = Object{{"box", 1}}});
  const auto approve = order.place(inner, "approve");
  order.open_user_work(approve, "kim");
  const auto cool_down = order.place(inner, "cool_down");
  order.open_timer(cool_down, order.now + Duration(5000));
  order.lock(payment, "worker-1");
  save(order);
  expect_saved(order);

  order.now += Duration(10);
  order.succeed(payment, Value(nullptr));
  order.emit(facts::VariablesSet{order.root, Object{{"paid", true}}});
  order.emit(facts::TokenMoved{charge, "flow_2", "join"});
  const auto join = order.keys.take();
  order.emit(facts::JoinOpened{join, order.root, "join", 1, 2});
  order.emit(facts::JoinArrived{join, "flow_2", charge});
  save(order);
  expect_saved(order);
  reopen();
  expect_saved(order);
}

TEST_P(ConformanceCommit, RetryChangesTheStepAndAddsAttempts) {
  auto order = life();
  order.start();
  const auto token = order.place(order.root, "charge");
  const auto work = order.open_work(token, "payment", 3);
  for (std::int64_t left = 2; left >= 1; --left) {
    order.lock(work, "worker-1");
    order.fail(work, left);
    save(order);
    expect_saved(order);
    order.now += Duration(250);
  }
  order.lock(work, "worker-1");
  order.fail(work, 0);
  const auto incident = order.keys.take();
  order.emit(facts::IncidentOpened{incident, token, "charge",
                                   facts::IncidentKind::retries_exhausted, "No attempt is left.",
                                   Object{}});
  const auto letter = order.keys.take();
  order.emit(facts::DeadLetterOpened{letter, work.task_id, facts::DeadLetterKind::exhausted_task,
                                     "No attempt is left.", Object{{"amount", 12}}});
  save(order);
  expect_saved(order);
  order.emit(facts::StepRetried{work.step_id, work.task_id, 1});
  order.emit(facts::IncidentResolved{incident, "kim", false});
  order.emit(facts::DeadLetterClosed{letter, facts::DeadLetterState::requeued});
  order.lock(work, "worker-2");
  order.succeed(work, Object{{"receipt", "R-1"}});
  order.finish();
  save(order);
  expect_saved(order);
  const auto steps = reader().steps(order.id()).value();
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps.front().attempt_count, 4);
  EXPECT_EQ(steps.front().status, facts::StepStatus::completed);
  EXPECT_EQ(steps.front().error_message, std::nullopt);
  EXPECT_EQ(reader().attempts(order.id()).value().size(), 4U);
}

TEST_P(ConformanceCommit, ReleasedAttemptsKeepTheirNumbersAndCostNothing) {
  auto order = life();
  order.start();
  const auto work = order.open_work(order.place(order.root, "charge"), "payment", 2);
  for (int i = 0; i < 3; ++i) {
    order.lock(work, "worker-1");
    save(order);
    order.now += Duration(10);
    order.release(work);
    save(order);
    expect_saved(order);
  }
  // In one commit: given back and taken again, and taken and given back.
  order.lock(work, "worker-1");
  save(order);
  order.release(work);
  order.lock(work, "worker-2");
  save(order);
  expect_saved(order);
  order.fail(work, 1);
  order.lock(work, "worker-1");
  order.release(work);
  save(order);
  expect_saved(order);
  EXPECT_EQ(order.state.external_tasks.find(work.task_id)->retries, 1);
  EXPECT_EQ(order.state.steps.find(work.step_id)->max_attempts, 7);
  EXPECT_EQ(reader().attempts(order.id()).value().size(), 6U);
}

TEST_P(ConformanceCommit, VisitsAndGenerationsAreCounted) {
  auto order = life();
  order.start();
  const auto token = order.place(order.root, "check");
  for (int visit = 0; visit < 3; ++visit) {
    const auto work = order.open_work(token);
    order.lock(work, "worker-1");
    order.succeed(work);
    order.emit(facts::TokenMoved{token, "again", "check"});
  }
  for (std::int64_t generation = 1; generation <= 2; ++generation) {
    const auto join = order.keys.take();
    order.emit(facts::JoinOpened{join, order.root, "join", generation, 2});
    for (const auto* flow : {"left", "right"}) {
      const auto arrived = order.place(order.root, "join");
      order.emit(facts::JoinArrived{join, flow, arrived});
      order.emit(facts::TokenCompleted{arrived});
    }
    order.emit(facts::JoinFired{join});
  }
  save(order);
  expect_saved(order);
  const auto state = loaded(order.id());
  EXPECT_EQ(state.visit_count("check"), 3);
  EXPECT_EQ(state.last_generation(order.root, "join"), 2);
}

TEST_P(ConformanceCommit, StaleVersionIsAConflictOfItsUnitOnly) {
  auto first = life();
  auto second = life();
  first.start();
  second.start();
  save(first);
  save(second);
  auto late = first; // decided on the same version
  first.emit(facts::VariablesSet{first.root, Object{{"by", "first"}}});
  save(first);
  late.emit(facts::VariablesSet{late.root, Object{{"by", "late"}}});
  second.emit(facts::VariablesSet{second.root, Object{{"by", "second"}}});
  auto late_unit = late.unit();
  late_unit.idempotency.push_back(record_of("late"));
  const std::vector<Unit> units{late_unit, second.unit()};
  const auto outcomes = store().commit(units);
  ASSERT_TRUE(outcomes);
  ASSERT_FALSE(outcomes->at(0));
  EXPECT_EQ(outcomes->at(0).error().code, ErrorCode::conflict);
  EXPECT_TRUE(outcomes->at(1));
  second.saved();
  expect_saved(first);
  expect_saved(second);
  EXPECT_EQ(reader().history(first.id(), 0, 100).value().size(), 2U);
  EXPECT_FALSE(store().idempotency("", "late").value());
}

TEST_P(ConformanceCommit, RefusedUnitLeavesNothingAndOthersGoOn) {
  auto before = life();
  auto broken = life();
  auto after = life();
  before.start();
  after.start();
  broken.start();
  const auto token = broken.place(broken.root, "charge");
  const auto work = broken.open_work(token);
  auto twice = broken.step(broken.place(broken.root, "charge"), facts::StepType::manual_task);
  twice.slug = "charge"; // a name that is taken
  broken.emit(std::move(twice));
  const std::vector<Unit> units{before.unit(), broken.unit(), after.unit()};
  const auto outcomes = store().commit(units);
  ASSERT_TRUE(outcomes);
  EXPECT_TRUE(outcomes->at(0));
  EXPECT_TRUE(outcomes->at(2));
  ASSERT_FALSE(outcomes->at(1));
  EXPECT_EQ(outcomes->at(1).error().code, ErrorCode::invariant_violated);
  EXPECT_EQ(outcomes->at(1).error().where, "step_record_slug_once");
  before.saved();
  after.saved();
  expect_saved(before);
  expect_saved(after);
  const std::vector<Key> ids{broken.id()};
  EXPECT_TRUE(store().load(ids).value().empty());
  EXPECT_FALSE(store().instance_of_task(work.task_id).value());
  EXPECT_TRUE(reader().history(broken.id(), 0, 100).value().empty());
}

TEST_P(ConformanceCommit, EndedInstanceTakesNothingMore) {
  auto order = life();
  order.start();
  order.finish();
  save(order);
  auto& instance = order.state.instance;
  ++instance.version;
  order.state.instance_change = facts::Change::updated;
  const std::vector<Unit> units{order.unit()};
  const auto outcomes = store().commit(units);
  ASSERT_TRUE(outcomes);
  ASSERT_FALSE(outcomes->front());
  EXPECT_EQ(outcomes->front().error().where, "process_instance_frozen");
}

TEST_P(ConformanceCommit, UniqueBusinessKeyIsUsedOnce) {
  auto first = life();
  first.start(Object{}, "A-1", true);
  save(first);
  auto again = life();
  again.start(Object{}, "A-1", true);
  auto elsewhere = life();
  elsewhere.start(Object{}, "A-1", true, "tenant");
  auto free = life();
  free.start(Object{}, "A-1", false);
  const std::vector<Unit> units{again.unit(), elsewhere.unit(), free.unit()};
  const auto outcomes = store().commit(units);
  ASSERT_TRUE(outcomes);
  ASSERT_FALSE(outcomes->at(0));
  EXPECT_EQ(outcomes->at(0).error().where, "process_instance_business_key_once");
  EXPECT_TRUE(outcomes->at(1));
  EXPECT_TRUE(outcomes->at(2));
  EXPECT_EQ(store().instance_of_business_key("", "order", "A-1").value(), first.id());
  EXPECT_EQ(store().instance_of_business_key("tenant", "order", "A-1").value(), elsewhere.id());
  EXPECT_FALSE(store().instance_of_business_key("", "order", "B-2").value());
}

TEST_P(ConformanceCommit, IdempotencyIsRecordedWithTheUnit) {
  auto order = life();
  order.start();
  auto unit = order.unit();
  unit.idempotency.push_back(record_of("start-1"));
  ASSERT_TRUE(store().commit(std::vector{unit}).value().front());
  EXPECT_EQ(store().idempotency("", "start-1").value(), record_of("start-1"));
  EXPECT_FALSE(store().idempotency("other", "start-1").value());
  // The same key again, with a unit that writes nothing else.
  Unit again;
  again.idempotency.push_back(record_of("start-1"));
  const auto outcomes = store().commit(std::vector{again}).value();
  ASSERT_FALSE(outcomes.front());
  EXPECT_EQ(outcomes.front().error().where, "idempotency_key_key");
}

TEST_P(ConformanceCommit, ExpiredIdempotencyIsDroppedByPortions) {
  Unit unit;
  for (const auto* key : {"a", "b", "c"})
    unit.idempotency.push_back(record_of(key));
  unit.idempotency.back().expires_at = kStart + Duration(5000);
  ASSERT_TRUE(store().commit(std::vector{unit}).value().front());
  EXPECT_EQ(store().purge_idempotency(kStart, 10).value(), 0);
  EXPECT_EQ(store().purge_idempotency(kStart + Duration(1000), 1).value(), 1);
  EXPECT_EQ(store().purge_idempotency(kStart + Duration(1000), 10).value(), 1);
  EXPECT_TRUE(store().idempotency("", "c").value());
}

TEST_P(ConformanceCommit, AuditEntriesAreKept) {
  auto order = life();
  order.start();
  auto unit = order.unit();
  unit.audit.push_back({.id = order.keys.take(),
                        .tenant_id = "",
                        .instance_id = order.id(),
                        .actor = "kim",
                        .action = "retry",
                        .details = Object{{"why", "repaired"}},
                        .occurred_at = kStart});
  EXPECT_TRUE(store().commit(std::vector{unit}).value().front());
  order.saved();
  // The same id again is refused: it was kept.
  auto copy = unit;
  copy.state = nullptr;
  EXPECT_EQ(store().commit(std::vector{copy}).value().front().error().where, "audit_entry_key");
}

TEST_P(ConformanceCommit, NothingIsNoCommit) {
  EXPECT_TRUE(store().commit({}).value().empty());
  EXPECT_TRUE(store().load({}).value().empty());
  const std::vector<Key> unknown{1, 2, 999'999};
  EXPECT_TRUE(store().load(unknown).value().empty());
}

TEST_P(ConformanceCommit, ManyInstancesAreLoadedAtOnceEachOnce) {
  std::vector<Life> lives;
  for (int i = 0; i < 50; ++i) {
    auto& order = lives.emplace_back(life());
    order.start(Object{{"number", i}});
    order.open_work(order.place(order.root, "charge"));
    save(order);
  }
  std::vector<Key> ids{424'242'424};
  for (const auto& order : lives)
    ids.push_back(order.id());
  ids.push_back(lives.front().id());
  const auto states = store().load(ids);
  ASSERT_TRUE(states);
  ASSERT_EQ(states->size(), lives.size());
  std::set<Key> seen;
  for (const auto& state : *states) {
    EXPECT_TRUE(seen.insert(state.instance.id).second);
    const auto found = std::ranges::find(lives, state.instance.id, &Life::id);
    ASSERT_NE(found, lives.end());
    test::expect_equal(state, found->state);
  }
}

TEST_P(ConformanceCommit, ValuesComeBackAsTheyWere) {
  using std::string_literals::operator""s;
  auto order = life();
  Value deep = Object{};
  for (int i = 0; i < 60; ++i)
    deep = Object{{"inner", deep}};
  order.start(Object{{"nul", "a\0b"s},
                     {"quote", R"(' " \ $1 ?1 -- /*)"},
                     {"emoji", "\xF0\x9F\x9A\x80"},
                     {"big", std::int64_t{9'223'372'036'854'775'807}},
                     {"small", std::numeric_limits<std::int64_t>::min()},
                     {"tenth", 0.1},
                     {"huge", 1.7976931348623157e308},
                     {"tiny", 5e-324},
                     {"empty", ""},
                     {"", "no name"},
                     {"null", nullptr},
                     {"deep", deep}},
              "key with ' inside");
  const auto token = order.place(order.root, "n\xC3\xB8rd");
  const auto work = order.open_work(token, "type with ' quote");
  order.lock(work, "");
  order.succeed(work, Value(nullptr));
  const auto silent = order.open_work(token);
  order.lock(silent, "w");
  order.succeed(silent, std::nullopt);
  save(order);
  expect_saved(order);
  const auto steps = reader().steps(order.id()).value();
  EXPECT_EQ(steps.at(0).output_type, facts::OutputType::json);
  EXPECT_EQ(steps.at(0).output, Value(nullptr));
  EXPECT_EQ(steps.at(1).output_type, facts::OutputType::none);
  EXPECT_EQ(steps.at(1).output, std::nullopt);
}

/// A text of PostgreSQL has no NUL, one of SQLite may: never is it cut off in silence.
TEST_P(ConformanceCommit, NulInATextIsKeptOrRefused) {
  using std::string_literals::operator""s;
  auto innocent = life();
  innocent.start();
  auto order = life();
  order.start(Object{}, "key with \0 inside"s);
  const std::vector<Unit> units{innocent.unit(), order.unit()};
  const auto outcomes = store().commit(units).value();
  EXPECT_TRUE(outcomes[0]);
  if (outcomes[1]) {
    expect_saved(order);
  } else {
    EXPECT_EQ(outcomes[1].error().code, ErrorCode::invariant_violated);
    EXPECT_EQ(outcomes[1].error().where, "value_type");
    EXPECT_FALSE(reader().instance(order.id()).value());
  }
}

INSTANTIATE_TEST_SUITE_P(Database, ConformanceCommit, testing::Values(&open_database));

} // namespace
} // namespace perdure::store
