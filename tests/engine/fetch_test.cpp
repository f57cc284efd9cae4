// Workers from outside: parked fetches, who gets what, locks that run out, completions that race.
#include <thread>

#include "engine/fixture.h"

namespace perdure::engine {
namespace {

using facts::AttemptState;
using facts::InstanceStatus;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Duration kMinute{60'000};

class Fetch : public EngineTest {
protected:
  void SetUp() override {
    run();
    deploy(work_model());
  }

  static FetchCommand waiting(std::string worker, std::vector<std::string> types = {"work"},
                              std::int64_t max_tasks = 1) {
    return {.worker_id = std::move(worker),
            .task_types = std::move(types),
            .max_tasks = max_tasks,
            .lock_duration = Duration(30'000),
            .wait = kMinute};
  }
  static bool is_ready(const std::future<Answer<std::vector<Job>>>& future) {
    return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  [[nodiscard]] Answer<Instant> extend(Key task_id, std::string_view worker, Duration by) {
    return ask<Instant>([&](auto reply) {
      engine().extend_lock(
          {.task_id = task_id, .worker_id = std::string(worker), .lock_duration = by},
          std::move(reply));
    });
  }
};

TEST_F(Fetch, AParkedFetchGetsTheTaskInTheCommitThatOpensIt) {
  auto parked = park(waiting("w1"));
  const auto commits = faults().commits.load();
  const auto id = start("work", Object{{"n", 5}});
  const auto jobs = take(parked);
  ASSERT_TRUE(jobs);
  ASSERT_THAT(*jobs, SizeIs(1));
  const auto& job = jobs->front();
  EXPECT_EQ(faults().commits, commits + 1);
  EXPECT_EQ(job.instance_id, id);
  EXPECT_EQ(job.type, "work");
  EXPECT_EQ(job.node_id, "Work");
  EXPECT_EQ(job.worker_id, "w1");
  EXPECT_EQ(job.attempt, 1);
  EXPECT_EQ(job.retries, 3);
  EXPECT_EQ(job.variables, Value(Object{{"n", 5}}));
  EXPECT_EQ(job.lock_expires_at, clock().now() + Duration(30'000));
  EXPECT_EQ(task(id).worker_id, "w1");
  EXPECT_EQ(outcome_of(complete(job.task_id)), "");
  EXPECT_EQ(status(id), InstanceStatus::completed);
}

TEST_F(Fetch, TasksThatNeverReachedTheirWorkerAreAvailableAtOnce) {
  const auto id = start("work");
  const auto lost = fetch_one("work", "w1");
  engine().give_back({lost});
  const auto job = fetch_one("work", "w2");
  EXPECT_EQ(job.attempt, 2);
  EXPECT_EQ(job.retries, lost.retries);
  EXPECT_EQ(outcome_of(complete(lost.task_id, "w1")), "refused ExternalTaskLeaseConflict");
  // Given back too late: the lease is that of another attempt.
  engine().give_back({lost});
  settle();
  EXPECT_EQ(outcome_of(complete(job.task_id, "w2")), "");
  EXPECT_THAT(attempt_states(id), ElementsAre(AttemptState::released, AttemptState::succeeded));
}

TEST_F(Fetch, WorkerIdsOfTheEngineAreItsOwn) {
  auto parked = park(waiting("node:7"));
  const auto answer = take(parked);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, Failure::Kind::invalid_input);
}

TEST_F(Fetch, TheOldestParkedFetchIsServedFirst) {
  auto first = park(waiting("w1"));
  auto second = park(waiting("w2"));
  settle();
  const auto id = start("work");
  EXPECT_EQ(take(first)->at(0).instance_id, id);
  settle();
  EXPECT_FALSE(is_ready(second));
  const auto next = start("work");
  EXPECT_EQ(take(second)->at(0).instance_id, next);
}

TEST_F(Fetch, AFetchWhoseClientIsGoneGetsNothing) {
  PollHandle handle;
  auto gone = park(waiting("w1"), &handle);
  auto there = park(waiting("w2"));
  settle();
  handle.wanted->store(false);
  const auto id = start("work");
  const auto jobs = take(there);
  ASSERT_TRUE(jobs);
  ASSERT_THAT(*jobs, SizeIs(1));
  EXPECT_THAT(*take(gone), IsEmpty());
  EXPECT_EQ(task(id).worker_id, "w2");
}

TEST_F(Fetch, AFetchEndsEmptyWhenItsTimeIsOver) {
  auto parked = park(waiting("w1"));
  advance(kMinute - Duration(1));
  settle();
  EXPECT_FALSE(is_ready(parked));
  advance(Duration(1));
  EXPECT_THAT(*take(parked), IsEmpty());
  start("work");
  EXPECT_THAT(fetch("work"), SizeIs(1));
}

TEST_F(Fetch, NoMoreThanAskedFor) {
  for (int i = 0; i < 5; ++i)
    start("work");
  EXPECT_THAT(fetch("work", "w1", 2), SizeIs(2));
  EXPECT_THAT(fetch("work", "w1", 10), SizeIs(3));
  EXPECT_THAT(fetch("work", "w1", 10), IsEmpty());
}

TEST_F(Fetch, SeveralTypesAtOnce) {
  deploy(work_model("other", "cleaning"));
  auto parked = park(waiting("w1", {"cooking", "cleaning", "work"}, 5));
  settle();
  const auto id = start("other");
  const auto jobs = take(parked);
  ASSERT_TRUE(jobs);
  ASSERT_THAT(*jobs, SizeIs(1));
  EXPECT_EQ(jobs->front().instance_id, id);
  start("other");
  start("work");
  auto both = park(waiting("w1", {"cleaning", "work"}, 5));
  EXPECT_THAT(*take(both), SizeIs(2));
}

TEST_F(Fetch, TheBacklogIsOfferedByPriority) {
  deploy(priority_model("slow", 1));
  deploy(priority_model("fast", 9));
  const auto slow = start("slow");
  const auto plain = start("work");
  const auto fast = start("fast");
  EXPECT_EQ(fetch_one("work").instance_id, fast);
  EXPECT_EQ(fetch_one("work").instance_id, slow);
  EXPECT_EQ(fetch_one("work").instance_id, plain);
}

TEST_F(Fetch, AFailedAttemptIsOfferedAfterItsBackOff) {
  const auto id = start("work");
  const auto job = fetch_one("work");
  auto parked = park(waiting("w2"));
  EXPECT_EQ(outcome_of(fail_task(job.task_id)), "");
  settle();
  EXPECT_FALSE(is_ready(parked));
  advance(Duration(250));
  const auto jobs = take(parked);
  ASSERT_TRUE(jobs);
  ASSERT_THAT(*jobs, SizeIs(1));
  EXPECT_EQ(jobs->front().attempt, 2);
  EXPECT_EQ(jobs->front().retries, 2);
  EXPECT_THAT(attempt_states(id), ElementsAre(AttemptState::failed, AttemptState::started));
}

TEST_F(Fetch, ALockThatRunsOutCountsAndTheLateCompletionIsRefused) {
  const auto id = start("work");
  const auto job = fetch_one("work", "w1");
  advance(Duration(29'999));
  EXPECT_THAT(fetch("work", "w2"), IsEmpty());
  advance(Duration(1));
  EXPECT_EQ(outcome_of(complete(job.task_id, "w1")), "refused ExternalTaskLeaseConflict");
  const auto second = fetch_one("work", "w2");
  EXPECT_EQ(second.task_id, job.task_id);
  EXPECT_EQ(second.attempt, 2);

  const auto before = record(id);
  EXPECT_EQ(outcome_of(complete(job.task_id, "w1", Value(Object{{"by", 1}}))),
            "refused ExternalTaskLeaseConflict");
  EXPECT_EQ(outcome_of(fail_task(job.task_id, "w1")), "refused ExternalTaskLeaseConflict");
  EXPECT_EQ(outcome_of(extend(job.task_id, "w1", kMinute)), "refused ExternalTaskLeaseConflict");
  EXPECT_EQ(record(id).history, before.history);

  EXPECT_EQ(outcome_of(complete(job.task_id, "w2", Value(Object{{"by", 2}}))), "");
  EXPECT_EQ(outcome_of(complete(job.task_id, "w1")), "refused TokenFinalizedTwice");
  EXPECT_EQ(step(id, "Work").output, Value(Object{{"by", 2}}));
  EXPECT_THAT(attempt_states(id), ElementsAre(AttemptState::interrupted, AttemptState::succeeded));
}

TEST_F(Fetch, LocksThatRunOutUseUpTheAttempts) {
  const auto id = start("work");
  for (int attempt = 1; attempt <= 3; ++attempt) {
    EXPECT_EQ(fetch_one("work").attempt, attempt);
    advance(Duration(30'000));
    settle();
  }
  EXPECT_THAT(fetch("work"), IsEmpty());
  ASSERT_THAT(incidents(id), SizeIs(1));
  EXPECT_EQ(incidents(id)[0].kind, facts::IncidentKind::retries_exhausted);
  EXPECT_EQ(outcome_of(retry(id)), "");
  EXPECT_EQ(outcome_of(complete(fetch_one("work").task_id)), "");
}

TEST_F(Fetch, AHeartbeatKeepsTheLock) {
  const auto id = start("work");
  const auto job = fetch_one("work");
  advance(Duration(20'000));
  const auto until = extend(job.task_id, "w1", Duration(30'000));
  ASSERT_TRUE(until);
  EXPECT_EQ(*until, clock().now() + Duration(30'000));
  EXPECT_EQ(task(id).lock_expires_at, *until);
  advance(Duration(29'999));
  EXPECT_THAT(fetch("work", "w2"), IsEmpty());
  EXPECT_EQ(outcome_of(extend(job.task_id, "w2", kMinute)), "refused ExternalTaskLeaseConflict");
  EXPECT_EQ(outcome_of(extend(job.task_id, "w1", Duration(0))), "invalid_input");
  EXPECT_EQ(outcome_of(complete(job.task_id)), "");
  EXPECT_THAT(attempt_states(id), ElementsAre(AttemptState::succeeded));
}

TEST_F(Fetch, OfRacingCompletionsExactlyOneWins) {
  for (int round = 0; round < 20; ++round) {
    const auto id = start("work");
    const auto job = fetch_one("work");
    std::vector<std::string> outcomes(8);
    {
      std::vector<std::jthread> threads;
      for (std::size_t t = 0; t < outcomes.size(); ++t) {
        threads.emplace_back([&, t] {
          outcomes[t] = outcome_of(
              complete(job.task_id, "w1", Value(Object{{"by", static_cast<std::int64_t>(t)}})));
        });
      }
    }
    EXPECT_EQ(std::ranges::count(outcomes, ""), 1);
    EXPECT_EQ(std::ranges::count(outcomes, "refused TokenFinalizedTwice"), 7);
    const auto winner = std::ranges::find(outcomes, "") - outcomes.begin();
    EXPECT_EQ(step(id, "Work").output, Value(Object{{"by", static_cast<std::int64_t>(winner)}}));
    EXPECT_EQ(watcher().count(id, "attempt_succeeded"), 1);
    EXPECT_EQ(status(id), InstanceStatus::completed);
  }
}

TEST_F(Fetch, CancellingTakesTheTaskFromTheBacklog) {
  const auto id = start("work");
  EXPECT_EQ(outcome_of(cancel(id)), "");
  EXPECT_THAT(fetch("work"), IsEmpty());
}

} // namespace
} // namespace perdure::engine
