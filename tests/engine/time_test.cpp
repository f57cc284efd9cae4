// Timers, leases of handlers that take long, and clocks that jump.
#include "engine/fixture.h"

namespace perdure::engine {
namespace {

using facts::AttemptState;
using facts::InstanceStatus;
using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr Duration kHour{3'600'000};

class Times : public EngineTest {};

TEST_F(Times, ATimerFiresWhenItIsDueAndNotBefore) {
  run();
  deploy(timer_model());
  const auto began = clock().now();
  const auto id = start("nap");
  ASSERT_EQ(record(id).rows.timers.size(), 1U);
  EXPECT_EQ(record(id).rows.timers.slots().front().row.due_at, began + Duration(10'000));
  advance(Duration(9'999));
  settle();
  EXPECT_EQ(status(id), InstanceStatus::running);
  advance(Duration(1));
  watcher().await(id, "instance_completed");
  EXPECT_EQ(record(id).rows.timers.slots().front().row.status, facts::TimerStatus::fired);
}

TEST_F(Times, ATimerThatIsDueHidesNoneThatComesAfterIt) {
  run();
  deploy(timer_model());
  const auto first = start("nap");
  clock().move(Duration(5'000));
  const auto second = start("nap");
  advance(Duration(5'000));
  watcher().await(first, "instance_completed");
  // The clock moves and nobody tells: the engine itself must look again.
  clock().move(Duration(5'000));
  watcher().await(second, "instance_completed");
}

TEST_F(Times, ATimerDueWhileTheEngineWasDown) {
  run();
  deploy(timer_model());
  const auto id = start("nap");
  end();
  clock().move(kHour);
  run();
  watcher().await(id, "instance_completed");
  const auto history = record(id).history;
  const auto fired = std::ranges::find(history, "timer_fired", &facts::HistoryEvent::event_type);
  ASSERT_NE(fired, history.end());
  EXPECT_EQ(*fired->payload.find("lateness_ms"), Value(kHour.count() - 10'000));
}

TEST_F(Times, RowsThatAreNotDueOrNotThereChangeNothing) {
  run();
  deploy(timer_model());
  deploy(work_model());
  const auto id = start("nap");
  const auto timer_id = record(id).rows.timers.slots().front().row.id;
  const auto other = start("work");
  const auto job = fetch_one("work");
  const auto before = record(id);
  const auto others = record(other);
  using Kind = store::DueRow::Kind;
  faults().add_due({Kind::timer, timer_id, id});           // early
  faults().add_due({Kind::timer, timer_id, other});        // another's
  faults().add_due({Kind::timer, 4711, id});               // no such timer
  faults().add_due({Kind::timer, timer_id, 4711});         // no such instance
  faults().add_due({Kind::task_lock, job.task_id, other}); // still held
  faults().add_due({Kind::task_lock, 4711, other});
  faults().add_due({Kind::ready_token, 4711, id});
  settle();
  settle();
  EXPECT_EQ(record(id).history, before.history);
  EXPECT_EQ(record(other).history, others.history);
  EXPECT_EQ(log().count("bug_found"), 0);
}

TEST_F(Times, AHandlerThatTakesLongKeepsItsTask) {
  Gate gate;
  gate.close();
  create({.handler_lease = Duration(10'000)});
  engine().handle("work", [&](const Job&) -> JobResult {
    gate.pass();
    return Value();
  });
  begin();
  deploy(work_model());
  const auto id = start("work");
  gate.await_arrivals(1);
  const auto first = task(id).lock_expires_at;
  for (int i = 0; i < 10; ++i) {
    advance(Duration(4'000));
    settle();
    EXPECT_GT(task(id).lock_expires_at, clock().now());
  }
  EXPECT_GT(task(id).lock_expires_at, first);
  gate.open();
  watcher().await(id, "instance_completed");
  EXPECT_THAT(attempt_states(id), ElementsAre(AttemptState::succeeded));
}

TEST_F(Times, AHandlerSlowerThanItsLeaseDoesNotSpeakForTheNextAttempt) {
  Gate first;
  Gate second;
  first.close();
  second.close();
  create({.handler_threads = 2, .handler_lease = Duration(10'000)});
  engine().handle("work", [&](const Job& job) -> JobResult {
    (job.attempt == 1 ? first : second).pass();
    return Value(Object{{"by", job.attempt}});
  });
  begin();
  deploy(work_model());
  const auto id = start("work");
  first.await_arrivals(1);
  // As if the machine had slept: no chance to renew.
  advance(Duration(11'000));
  second.await_arrivals(1);
  EXPECT_THAT(attempt_states(id), ElementsAre(AttemptState::interrupted, AttemptState::started));
  const auto refusals = engine().counters().refusals.load();
  first.open();
  wait_until([&] { return engine().counters().refusals > refusals; });
  // The lease of the attempt that runs is renewed all the same.
  for (int i = 0; i < 4; ++i) {
    advance(Duration(4'000));
    settle();
  }
  EXPECT_EQ(status(id), InstanceStatus::running);
  second.open();
  watcher().await(id, "instance_completed");
  EXPECT_THAT(attempt_states(id), ElementsAre(AttemptState::interrupted, AttemptState::succeeded));
  EXPECT_EQ(step(id, "Work").output, Value(Object{{"by", 2}}));
}

TEST_F(Times, AClockSetBackStopsNobody) {
  Gate gate;
  gate.close();
  create();
  engine().handle("payment", [&](const Job&) -> JobResult {
    gate.pass();
    return Value();
  });
  engine().handle("stock", [](const Job& job) -> JobResult {
    if (job.attempt == 1) return std::unexpected(JobFailure{.error_name = "Busy"});
    return Value();
  });
  begin();
  deploy(order_model());
  deploy(work_model());
  deploy(timer_model());
  const auto id = start("order", Object{{"amount", 1}});
  gate.await_arrivals(1);
  const auto waiting = start("work");
  clock().move(-kHour);
  engine().wake();

  // What was there before.
  EXPECT_EQ(outcome_of(complete(fetch_one("work").task_id)), "");
  EXPECT_EQ(status(waiting), InstanceStatus::completed);
  gate.open();
  watcher().await(id, "attempt_failed");
  advance(Duration(2 * 250));
  watcher().await(id, "attempt_succeeded", 2);
  EXPECT_EQ(outcome_of(complete(fetch_one("shipping").task_id)), "");
  EXPECT_EQ(status(id), InstanceStatus::completed);
  // What begins now: late by at most as long again.
  const auto nap = start("nap");
  advance(Duration(2 * 10'000));
  watcher().await(nap, "instance_completed");
  auto parked = park({.worker_id = "w", .task_types = {"none"}, .wait = Duration(1'000)});
  advance(Duration(2'000));
  EXPECT_THAT(*take(parked), SizeIs(0));
  EXPECT_EQ(log().text(), "");
}

TEST_F(Times, AClockSetBackWhileTheEngineWasDown) {
  run();
  deploy(order_model());
  const auto id = start("order", Object{{"amount", 1}});
  const auto job = fetch_one("payment");
  end();
  clock().move(-kHour);
  create();
  std::atomic<int> ran{0};
  for (const auto* type : {"stock", "shipping"}) {
    engine().handle(type, [&](const Job&) -> JobResult {
      ++ran;
      return Value();
    });
  }
  begin();
  EXPECT_EQ(outcome_of(complete(job.task_id)), "");
  watcher().await(id, "instance_completed");
  EXPECT_EQ(ran, 2);
  EXPECT_EQ(log().text(), "");
}

TEST_F(Times, AClockThatLeapsAheadIsNoHarm) {
  run();
  deploy(timer_model());
  const auto id = start("nap");
  advance(kHour * 24 * 365 * 100);
  watcher().await(id, "instance_completed");
}

} // namespace
} // namespace perdure::engine
