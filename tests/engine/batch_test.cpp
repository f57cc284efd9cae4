// The ring under trouble: batches, units that the database refuses, conflicts, outages, bugs, loops
// without end, stops.
#include <thread>

#include "app/compile.h"
#include "engine/fixture.h"
#include "store/sqlite/sqlite.h"

namespace perdure::engine {
namespace {

using facts::AttemptState;
using facts::InstanceStatus;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Error broken_rule() {
  return {ErrorCode::invariant_violated, "The database refused a row.", "token_open_once"};
}
Error lost_race() { return {ErrorCode::conflict, "Somebody was faster.", ""}; }

Faults::Refuse of_instance(Key id, Error error) {
  return [=](const store::Unit& unit) {
    return unit.state->instance.id == id ? std::optional(error) : std::nullopt;
  };
}

class Batch : public EngineTest {
protected:
  void SetUp() override {
    run();
    deploy(work_model());
  }

  /// Blocks the writer at the disk with a start of its own.
  void block() {
    faults().commit_gate.close();
    const auto arrived = faults().commit_gate.arrived();
    blocker_ = send_start("work");
    faults().commit_gate.await_arrivals(arrived + 1);
  }
  void unblock() {
    faults().commit_gate.open();
    EXPECT_TRUE(take(blocker_));
  }
  [[nodiscard]] std::future<Answer<Done>> send_complete(const Job& job) {
    auto [reply, future] = promise_reply<Done>();
    engine().complete_task({.task_id = job.task_id, .worker_id = job.worker_id}, std::move(reply));
    return std::move(future);
  }
  /// So many instances, each with its task locked by w1.
  std::vector<Job> locked_jobs(int count) {
    for (int i = 0; i < count; ++i)
      start("work");
    return fetch("work", "w1", count);
  }

private:
  std::future<Answer<Started>> blocker_;
};

TEST_F(Batch, AReportThatCameInTimeIsInTimeHoweverLongTheDiskTook) {
  const auto jobs = locked_jobs(3);
  block();
  auto done = send_complete(jobs[0]);
  auto failed = promise_reply<Done>();
  engine().fail_task({.task_id = jobs[1].task_id, .worker_id = "w1", .retry_delay = Duration(0)},
                     std::move(failed.first));
  clock().move(Duration(60'000)); // the leases are over
  auto late = send_complete(jobs[2]);
  unblock();
  EXPECT_EQ(outcome_of(take(done)), "");
  EXPECT_EQ(outcome_of(take(failed.second)), "");
  EXPECT_EQ(outcome_of(take(late)), "refused ExternalTaskLeaseConflict");
  EXPECT_THAT(attempt_states(jobs[0].instance_id), ElementsAre(AttemptState::succeeded));
  EXPECT_EQ(attempts(jobs[0].instance_id)[0].ended_at, jobs[0].lock_expires_at - Duration(30'000));
}

TEST_F(Batch, AnOperatorsRetryBesideTheLastFailureIsCommittedAfterIt) {
  const auto job = locked_jobs(1).front();
  block();
  auto failed = promise_reply<Done>();
  engine().fail_task({.task_id = job.task_id, .worker_id = "w1", .retries = 0},
                     std::move(failed.first));
  auto retried = promise_reply<Done>();
  engine().retry({.instance_id = job.instance_id, .retries = 7}, std::move(retried.first));
  unblock();
  EXPECT_EQ(outcome_of(take(failed.second)), "");
  EXPECT_EQ(outcome_of(take(retried.second)), "");
  EXPECT_EQ(task(job.instance_id).retries, 7);
  EXPECT_EQ(log().count("commit_refused"), 0);
}

TEST_F(Batch, WhatGathersWhileOneCommitWaitsIsOneCommit) {
  block();
  const auto commits = faults().commits.load();
  std::vector<std::future<Answer<Started>>> sent;
  for (int i = 0; i < 200; ++i)
    sent.push_back(send_start("work"));
  unblock();
  for (auto& future : sent)
    EXPECT_TRUE(take(future));
  EXPECT_EQ(faults().commits, commits + 1);
  EXPECT_EQ(engine().counters().batches, 2);
  EXPECT_EQ(instances().size(), 201U);
}

TEST_F(Batch, ABatchHasItsLimit) {
  run({.max_batch = 50});
  block();
  const auto commits = faults().commits.load();
  std::vector<std::future<Answer<Started>>> sent;
  for (int i = 0; i < 200; ++i)
    sent.push_back(send_start("work"));
  unblock();
  for (auto& future : sent)
    EXPECT_TRUE(take(future));
  EXPECT_EQ(faults().commits, commits + 4);
}

TEST_F(Batch, AUnitThatTheDatabaseRefusesHarmsNoOther) {
  const auto jobs = locked_jobs(3);
  const auto bad = jobs[1].instance_id;
  const auto before = record(bad);
  faults().refuse(of_instance(bad, broken_rule()));
  block();
  std::vector<std::future<Answer<Done>>> sent;
  for (const auto& job : jobs)
    sent.push_back(send_complete(job));
  unblock();
  EXPECT_EQ(outcome_of(take(sent[0])), "");
  EXPECT_EQ(outcome_of(take(sent[1])), "refused token_open_once");
  EXPECT_EQ(outcome_of(take(sent[2])), "");
  EXPECT_EQ(status(jobs[0].instance_id), InstanceStatus::completed);
  EXPECT_EQ(record(bad).history, before.history);
  EXPECT_EQ(log().count("commit_refused"), 1);
  faults().refuse({});
  EXPECT_EQ(outcome_of(complete(jobs[1].task_id)), "");
}

TEST_F(Batch, OneBadCommandDoesNotTakeTheOthersOfItsInstanceWithIt) {
  const auto jobs = locked_jobs(1);
  // The completion is what the database refuses; the heartbeat in the same unit is good.
  faults().refuse([](const store::Unit& unit) {
    const bool completes = std::ranges::any_of(unit.facts, [](const facts::Fact& fact) {
      return std::holds_alternative<facts::AttemptSucceeded>(fact.data);
    });
    return completes ? std::optional(broken_rule()) : std::nullopt;
  });
  block();
  auto [reply, extended] = promise_reply<Instant>();
  engine().extend_lock(
      {.task_id = jobs[0].task_id, .worker_id = "w1", .lock_duration = Duration(60'000)},
      std::move(reply));
  auto completed = send_complete(jobs[0]);
  unblock();
  EXPECT_TRUE(take(extended));
  EXPECT_EQ(outcome_of(take(completed)), "refused token_open_once");
  EXPECT_EQ(task(jobs[0].instance_id).lock_expires_at, clock().now() + Duration(60'000));
}

TEST_F(Batch, NobodySeesALostRace) {
  const auto jobs = locked_jobs(1);
  int left = 2;
  faults().refuse(
      [&](const store::Unit&) { return left-- > 0 ? std::optional(lost_race()) : std::nullopt; });
  const auto loads = faults().loads.load();
  EXPECT_EQ(outcome_of(complete(jobs[0].task_id)), "");
  EXPECT_EQ(faults().loads, loads + 2);
  EXPECT_EQ(engine().counters().conflicts, 2);
  EXPECT_EQ(status(jobs[0].instance_id), InstanceStatus::completed);
}

TEST_F(Batch, WhoLosesEveryRaceMayTryAgain) {
  const auto jobs = locked_jobs(1);
  faults().refuse(of_instance(jobs[0].instance_id, lost_race()));
  EXPECT_EQ(outcome_of(complete(jobs[0].task_id)), "unavailable");
  faults().refuse({});
  EXPECT_EQ(outcome_of(complete(jobs[0].task_id)), "");
}

TEST_F(Batch, ALockLostInARaceIsOfferedAgain) {
  int left = 1;
  faults().refuse(
      [&](const store::Unit&) { return left-- > 0 ? std::optional(lost_race()) : std::nullopt; });
  auto parked = park({.worker_id = "w1", .task_types = {"work"}, .wait = Duration(60'000)});
  const auto id = start("work");
  const auto jobs = take(parked);
  ASSERT_TRUE(jobs);
  ASSERT_THAT(*jobs, SizeIs(1));
  EXPECT_EQ(jobs->front().instance_id, id);
  EXPECT_THAT(attempt_states(id), ElementsAre(AttemptState::started));
}

TEST_F(Batch, AnotherEngineOnTheFileMovedTheInstance) {
  const auto jobs = locked_jobs(2);
  auto database = store::sqlite::open({.path = path()}, clock());
  ASSERT_TRUE(database);
  Engine other(std::move(database->store), app::compile, clock(), log(), {.node_name = "other"});
  ASSERT_TRUE(other.start());
  EXPECT_EQ(outcome_of(ask<Done>([&](auto reply) {
              other.complete_task({.task_id = jobs[0].task_id, .worker_id = "w1"},
                                  std::move(reply));
            })),
            "");
  EXPECT_EQ(
      outcome_of(ask<Instant>([&](auto reply) {
        other.extend_lock(
            {.task_id = jobs[1].task_id, .worker_id = "w1", .lock_duration = Duration(60'000)},
            std::move(reply));
      })),
      "");
  other.stop();
  // This one still believes in the states that it keeps.
  EXPECT_EQ(outcome_of(complete(jobs[0].task_id)), "refused TokenFinalizedTwice");
  EXPECT_EQ(engine().counters().conflicts, 1);
  EXPECT_EQ(outcome_of(complete(jobs[1].task_id)), "");
  EXPECT_EQ(engine().counters().conflicts, 2);
}

TEST_F(Batch, AnOutageIsToldToEveryCallerAndChangesNothing) {
  const auto jobs = locked_jobs(3);
  std::vector<store::InstanceRecord> before;
  for (const auto& job : jobs)
    before.push_back(record(job.instance_id));
  block();
  std::vector<std::future<Answer<Done>>> sent;
  for (const auto& job : jobs)
    sent.push_back(send_complete(job));
  auto started = send_start("work");
  faults().failing_commits = 2; // the blocker's own, and the batch
  faults().commit_gate.open();
  for (auto& future : sent)
    EXPECT_EQ(outcome_of(take(future)), "unavailable");
  EXPECT_EQ(outcome_of(take(started)), "unavailable");
  EXPECT_EQ(instances().size(), 3U);
  for (std::size_t i = 0; i < jobs.size(); ++i)
    EXPECT_EQ(record(jobs[i].instance_id).history, before[i].history);
  // What memory thought of them is gone with it.
  const auto loads = faults().loads.load();
  for (const auto& job : jobs)
    EXPECT_EQ(outcome_of(complete(job.task_id)), "");
  EXPECT_EQ(faults().loads, loads + 3);
  EXPECT_EQ(log().count("commit_failed"), 2);
}

TEST_F(Batch, AParkedFetchSurvivesAnOutage) {
  auto parked = park({.worker_id = "w1", .task_types = {"work"}, .wait = Duration(60'000)});
  settle();
  faults().failing_commits = 1;
  EXPECT_EQ(outcome_of(try_start({.process_id = "work"})), "unavailable");
  const auto id = start("work");
  const auto jobs = take(parked);
  ASSERT_TRUE(jobs);
  ASSERT_THAT(*jobs, SizeIs(1));
  EXPECT_EQ(jobs->front().instance_id, id);
}

TEST_F(Batch, ABacklogThatCouldNotBeLockedIsOfferedAgain) {
  start("work");
  faults().failing_commits = 1;
  auto parked =
      park({.worker_id = "w1", .task_types = {"work"}, .max_tasks = 5, .wait = Duration(60'000)});
  wait_until([&] { return faults().failing_commits == 0; });
  settle();
  EXPECT_THAT(*take(parked), SizeIs(1));
}

TEST_F(Batch, AHandlersResultIsKeptUntilTheDatabaseTakesIt) {
  Gate gate;
  gate.close();
  create();
  std::atomic<int> ran{0};
  engine().handle("work", [&](const Job&) -> JobResult {
    ++ran;
    gate.pass();
    return Value();
  });
  begin();
  const auto id = start("work");
  gate.await_arrivals(1);
  faults().failing_commits = 3;
  gate.open();
  for (int left = 2; left >= 0; --left) {
    wait_until([&] { return faults().failing_commits == left; });
    settle();
  }
  watcher().await(id, "instance_completed");
  EXPECT_EQ(ran, 1);
  EXPECT_THAT(attempt_states(id), ElementsAre(AttemptState::succeeded));
}

TEST_F(Batch, WhatCannotBeReadIsUnavailableAndNotUnknown) {
  const auto job = locked_jobs(1)[0];
  run();
  faults().failing_lookups = 1;
  EXPECT_EQ(outcome_of(complete(job.task_id)), "unavailable");
  faults().failing_loads = 1;
  EXPECT_EQ(outcome_of(complete(job.task_id)), "unavailable");
  faults().failing_definitions = 1;
  EXPECT_EQ(outcome_of(complete(job.task_id)), "unavailable");
  faults().failing_definitions = 1;
  EXPECT_EQ(outcome_of(try_start({.process_id = "work"})), "unavailable");
  faults().failing_keys = 1;
  EXPECT_EQ(outcome_of(try_start({.process_id = "work"})), "unavailable");
  faults().failing_keys = 1;
  EXPECT_EQ(outcome_of(complete(job.task_id)), "unavailable");
  faults().failing_deployments = 1;
  EXPECT_EQ(outcome_of(ask<Deployed>([&](auto reply) {
              engine().deploy({.resources = {{"m", review_model()}}}, std::move(reply));
            })),
            "unavailable");
  EXPECT_EQ(log().count("bug_found"), 0);
  EXPECT_EQ(outcome_of(complete(job.task_id)), "");
}

TEST_F(Batch, ASweepThatFailsIsRepeated) {
  deploy(timer_model());
  const auto id = start("nap");
  settle();
  faults().failing_sweeps = 2;
  const auto sweeps = faults().sweeps.load();
  advance(Duration(10'000));
  wait_until([&] { return faults().sweeps > sweeps; });
  advance(Duration(1'000));
  wait_until([&] { return faults().sweeps > sweeps + 1; });
  advance(Duration(1'000));
  watcher().await(id, "instance_completed");
}

TEST_F(Batch, ATimerThatCannotBeWrittenFiresWhenItCan) {
  deploy(timer_model());
  const auto id = start("nap");
  settle();
  faults().failing_commits = 1;
  advance(Duration(10'000));
  wait_until([&] { return faults().failing_commits == 0; });
  settle();
  watcher().await(id, "instance_completed");
  EXPECT_EQ(watcher().count(id, "timer_fired"), 1);
}

TEST_F(Batch, ABugSetsTheInstanceAsideAndTheOthersGoOn) {
  const auto jobs = locked_jobs(2);
  const auto bad = jobs[0].instance_id;
  run({.cached_instances = 0});
  faults().corrupt([=](facts::InstanceState& state) {
    if (state.instance.id == bad) state.steps = {};
  });
  EXPECT_EQ(outcome_of(complete(jobs[0].task_id)), "internal");
  watcher().await(bad, "incident_opened");
  EXPECT_EQ(incidents(bad).at(0).kind, facts::IncidentKind::engine_error);
  EXPECT_EQ(outcome_of(complete(jobs[1].task_id)), "");
  faults().corrupt({});
  EXPECT_EQ(outcome_of(retry(bad)), "");
  EXPECT_EQ(outcome_of(complete(jobs[0].task_id)), "");
  EXPECT_EQ(status(bad), InstanceStatus::completed);
}

TEST_F(Batch, ABugThatWasOnlyInMemoryIsNotSeen) {
  const auto job = locked_jobs(1)[0];
  run();
  std::atomic<int> left{1};
  faults().corrupt([&](facts::InstanceState& state) {
    if (left-- > 0) state.steps = {};
  });
  EXPECT_EQ(outcome_of(complete(job.task_id)), "");
  EXPECT_EQ(log().count("bug_found"), 1);
}

TEST_F(Batch, WhatNobodyAskedForAndTheDatabaseRefusesBecomesAnIncident) {
  deploy(timer_model());
  const auto id = start("nap");
  faults().refuse([](const store::Unit& unit) {
    const bool fires = std::ranges::any_of(unit.facts, [](const facts::Fact& fact) {
      return std::holds_alternative<facts::TimerFired>(fact.data);
    });
    return fires ? std::optional(broken_rule()) : std::nullopt;
  });
  advance(Duration(10'000));
  watcher().await(id, "incident_opened");
  EXPECT_EQ(incidents(id).at(0).kind, facts::IncidentKind::engine_error);
  settle();
  settle();
  EXPECT_THAT(incidents(id), SizeIs(1));
  faults().refuse({});
  settle();
  watcher().await(id, "instance_completed");
}

TEST_F(Batch, ALoopWithoutEndStarvesNobodyAndCanBeCancelled) {
  run({.policy = {.max_moves = 20}});
  deploy(runaway_model());
  const auto loop = start("runaway", Object{{"again", true}});
  watcher().await(loop, "token_moved", 200);
  const auto id = start("work");
  EXPECT_EQ(outcome_of(complete(fetch_one("work").task_id)), "");
  EXPECT_EQ(status(id), InstanceStatus::completed);
  EXPECT_EQ(status(loop), InstanceStatus::running);

  run({.policy = {.max_moves = 20}});
  watcher().await(loop, "token_moved", 200);
  EXPECT_EQ(outcome_of(cancel(loop)), "");
  EXPECT_EQ(status(loop), InstanceStatus::cancelled);
  const auto length = record(loop).history.size();
  settle();
  EXPECT_EQ(record(loop).history.size(), length);
}

TEST_F(Batch, EveryCommandIsAnsweredOnceWhenTheEngineStops) {
  block();
  std::atomic<int> done{0};
  std::atomic<int> refused{0};
  constexpr int kSent = 100;
  std::vector<std::atomic<int>> answers(kSent);
  const auto send = [&](int i) {
    engine().start_instance({.process_id = "work"}, [&, i](const Answer<Started>& answer) {
      ++answers[static_cast<std::size_t>(i)];
      ++(answer ? done : refused);
    });
  };
  for (int i = 0; i < kSent / 2; ++i)
    send(i);
  auto parked = park({.worker_id = "w", .task_types = {"none"}, .wait = Duration(60'000)});
  std::jthread stopping([&] { engine().stop(); });
  for (int i = kSent / 2; i < kSent; ++i)
    send(i);
  unblock();
  stopping.join();
  EXPECT_THAT(*take(parked), IsEmpty());
  for (const auto& count : answers)
    EXPECT_EQ(count, 1);
  EXPECT_GE(done, kSent / 2);
  EXPECT_EQ(done + refused, kSent);
  EXPECT_EQ(instances().size(), static_cast<std::size_t>(done) + 1);

  EXPECT_EQ(outcome_of(try_start({.process_id = "work"})), "unavailable");
  EXPECT_EQ(outcome_of(cancel(1)), "unavailable");
  auto late = park({.worker_id = "w", .task_types = {"none"}});
  EXPECT_EQ(outcome_of(take(late)), "unavailable");
  EXPECT_EQ(outcome_of(ask<Deployed>([&](auto reply) {
              engine().deploy({.resources = {{"m", review_model()}}}, std::move(reply));
            })),
            "unavailable");
  engine().stop();
}

TEST_F(Batch, ACommandMayBeSentFromAnAnswer) {
  auto [done, future] = promise_reply<Done>();
  engine().start_instance({.process_id = "work"},
                          [this, reply = std::move(done)](const Answer<Started>& answer) mutable {
                            engine().cancel({.instance_id = answer->instance_id}, std::move(reply));
                          });
  EXPECT_EQ(outcome_of(take(future)), "");
}

TEST_F(Batch, WithoutACacheTheDatabaseAloneIsEnough) {
  run({.cached_instances = 0});
  const auto jobs = locked_jobs(3);
  ASSERT_THAT(jobs, SizeIs(3));
  for (const auto& job : jobs)
    EXPECT_EQ(outcome_of(complete(job.task_id)), "");
}

} // namespace
} // namespace perdure::engine
