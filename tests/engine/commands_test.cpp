// Commands sent twice, at once, with wrong ids, to instances that are over.
#include <limits>
#include <set>
#include <thread>

#include "base/digest.h"
#include "engine/fixture.h"

namespace perdure::engine {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;

class Commands : public EngineTest {
protected:
  void SetUp() override {
    run();
    deploy(work_model());
  }

  static StartCommand keyed(std::string key, std::string_view body = "b1") {
    return {.process_id = "work",
            .idempotency = Idempotency{.key = std::move(key), .digest = sha256_hex(body)}};
  }
  static StartCommand unique(std::string business_key) {
    return {
        .process_id = "work", .business_key = std::move(business_key), .unique_business_key = true};
  }
};

TEST_F(Commands, ASecondStartWithTheKeyAnswersWithTheFirst) {
  const auto first = try_start(keyed("k"));
  const auto second = try_start(keyed("k"));
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(first->repeated);
  EXPECT_TRUE(second->repeated);
  EXPECT_EQ(first->instance_id, second->instance_id);
  EXPECT_EQ(instances().size(), 1U);
}

TEST_F(Commands, TheKeyWithAnotherBodyIsRefused) {
  ASSERT_TRUE(try_start(keyed("k", "d1")));
  EXPECT_EQ(outcome_of(try_start(keyed("k", "d2"))), "refused IdempotencyKeyReused");
  EXPECT_EQ(instances().size(), 1U);
}

TEST_F(Commands, TheKeyOutlivesTheEngine) {
  const auto first = try_start(keyed("k"));
  run();
  const auto second = try_start(keyed("k"));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->instance_id, second->instance_id);
  EXPECT_TRUE(second->repeated);
}

TEST_F(Commands, AStartThatFailedLeavesItsKeyFree) {
  faults().failing_commits = 1;
  EXPECT_EQ(outcome_of(try_start(keyed("k"))), "unavailable");
  const auto second = try_start(keyed("k"));
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->repeated);
}

TEST_F(Commands, AHundredStartsWithOneKeyAreOneInstance) {
  // All wait in the queue together: they meet in one round.
  faults().commit_gate.close();
  auto blocker = send_start("work");
  faults().commit_gate.await_arrivals(1);
  std::vector<std::future<Answer<Started>>> answers;
  for (int i = 0; i < 100; ++i) {
    auto [reply, future] = promise_reply<Started>();
    engine().start_instance(keyed("k"), std::move(reply));
    answers.push_back(std::move(future));
  }
  faults().commit_gate.open();
  std::set<Key> ids;
  int fresh = 0;
  for (auto& answer : answers) {
    const auto started = take(answer);
    ASSERT_TRUE(started);
    ids.insert(started->instance_id);
    fresh += started->repeated ? 0 : 1;
  }
  EXPECT_TRUE(take(blocker));
  EXPECT_EQ(ids.size(), 1U);
  EXPECT_EQ(fresh, 1);
  EXPECT_EQ(instances().size(), 2U);
  EXPECT_EQ(faults().commits, 2);
}

TEST_F(Commands, ThreadsWithOneKeyGetOneInstance) {
  std::vector<Key> ids(100);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (auto i = t; i < ids.size(); i += 4) {
          const auto started = try_start(keyed("k"));
          ids[i] = started ? started->instance_id : kNoKey;
        }
      });
    }
  }
  EXPECT_NE(ids[0], kNoKey);
  EXPECT_EQ(std::set<Key>(ids.begin(), ids.end()).size(), 1U);
  EXPECT_EQ(instances().size(), 1U);
}

TEST_F(Commands, AUniqueBusinessKeyIsTakenOnce) {
  const auto first = try_start(unique("order-17"));
  ASSERT_TRUE(first);
  const auto second = try_start(unique("order-17"));
  EXPECT_EQ(outcome_of(second), "refused BusinessKeyTaken");
  EXPECT_EQ(second.error().existing_id, first->instance_id);
  EXPECT_TRUE(try_start(unique("order-18")));
  // Who does not ask for uniqueness may share the key.
  EXPECT_TRUE(try_start({.process_id = "work", .business_key = "order-17"}));
  EXPECT_EQ(log().count("commit_refused"), 0);
}

TEST_F(Commands, TwoStartsWithOneBusinessKeyInOneBatch) {
  faults().commit_gate.close();
  auto blocker = send_start("work");
  faults().commit_gate.await_arrivals(1);
  auto [reply1, future1] = promise_reply<Started>();
  auto [reply2, future2] = promise_reply<Started>();
  engine().start_instance(unique("k"), std::move(reply1));
  engine().start_instance(unique("k"), std::move(reply2));
  auto innocent = send_start("work");
  faults().commit_gate.open();
  const auto first = take(future1);
  const auto second = take(future2);
  ASSERT_TRUE(first);
  EXPECT_EQ(outcome_of(second), "refused BusinessKeyTaken");
  EXPECT_EQ(second.error().existing_id, first->instance_id);
  EXPECT_TRUE(take(innocent));
}

TEST_F(Commands, ACompletionWithAKeyMayBeSentTwice) {
  const auto id = start("work");
  const auto job = fetch_one("work");
  const auto send = [&](std::string_view body) {
    return ask<Done>([&](auto reply) {
      engine().complete_task({.task_id = job.task_id,
                              .worker_id = "w1",
                              .idempotency = Idempotency{.key = "c", .digest = sha256_hex(body)}},
                             std::move(reply));
    });
  };
  EXPECT_EQ(outcome_of(send("d")), "");
  const auto version = record(id).rows.instance.version;
  EXPECT_EQ(outcome_of(send("d")), "");
  EXPECT_EQ(outcome_of(send("other")), "refused IdempotencyKeyReused");
  EXPECT_EQ(outcome_of(complete(job.task_id)), "refused TokenFinalizedTwice");
  EXPECT_EQ(record(id).rows.instance.version, version);
}

TEST_F(Commands, UnknownIds) {
  constexpr Key kNowhere = 4711;
  EXPECT_EQ(outcome_of(complete(kNowhere)), "not_found");
  EXPECT_EQ(outcome_of(fail_task(kNowhere)), "not_found");
  EXPECT_EQ(outcome_of(cancel(kNowhere)), "not_found");
  EXPECT_EQ(outcome_of(retry(kNowhere)), "not_found");
  EXPECT_EQ(outcome_of(ask<Done>(
                [&](auto reply) { engine().retry({.incident_id = kNowhere}, std::move(reply)); })),
            "not_found");
  EXPECT_EQ(outcome_of(ask<Done>([&](auto reply) {
              engine().complete_user_task({.task_id = kNowhere}, std::move(reply));
            })),
            "not_found");
  EXPECT_EQ(outcome_of(ask<Instant>([&](auto reply) {
              engine().extend_lock({.task_id = kNowhere,
                                    .instance_id = kNowhere + 1,
                                    .worker_id = "w1",
                                    .lock_duration = Duration(1)},
                                   std::move(reply));
            })),
            "not_found");
  EXPECT_EQ(outcome_of(try_start({.process_id = "unheard-of"})), "not_found");
  EXPECT_EQ(outcome_of(try_start({.definition_id = kNowhere})), "not_found");
}

TEST_F(Commands, AWrongHintOfTheInstanceDoesNoHarm) {
  const auto other = start("work");
  const auto others = fetch_one("work");
  const auto id = start("work");
  const auto job = fetch_one("work");
  ASSERT_EQ(job.instance_id, id);
  ASSERT_EQ(others.instance_id, other);
  const auto with_hint = [&](Key task_id, Key hint) {
    return ask<Done>([&](auto reply) {
      engine().complete_task({.task_id = task_id, .instance_id = hint, .worker_id = "w1"},
                             std::move(reply));
    });
  };
  EXPECT_EQ(outcome_of(with_hint(4711, id)), "not_found");
  EXPECT_EQ(outcome_of(with_hint(job.task_id, other)), "");
  EXPECT_EQ(status(id), facts::InstanceStatus::completed);
  EXPECT_EQ(status(other), facts::InstanceStatus::running);
  EXPECT_EQ(outcome_of(with_hint(job.task_id, id)), "refused TokenFinalizedTwice");
  EXPECT_EQ(outcome_of(with_hint(others.task_id, 4711)), "");
}

TEST_F(Commands, ToAnInstanceThatIsOver) {
  const auto id = start("work");
  const auto job = fetch_one("work");
  EXPECT_EQ(outcome_of(retry(id)), "refused NothingToRetry");
  EXPECT_EQ(outcome_of(cancel(id)), "");
  const auto before = record(id);
  EXPECT_EQ(before.rows.instance.status, facts::InstanceStatus::cancelled);
  EXPECT_EQ(outcome_of(cancel(id)), "refused InstanceFinished");
  EXPECT_EQ(outcome_of(retry(id)), "refused InstanceFinished");
  EXPECT_EQ(outcome_of(complete(job.task_id)), "refused TokenFinalizedTwice");
  EXPECT_EQ(outcome_of(fail_task(job.task_id)), "refused TokenFinalizedTwice");
  EXPECT_EQ(record(id).history, before.history);
}

TEST_F(Commands, UserTasksAreCompletedOnce) {
  deploy(review_model());
  const auto id = start("review");
  const auto open = reader().user_tasks({}, {});
  ASSERT_TRUE(open && open->size() == 1);
  const auto send = [&](Value variables) {
    return ask<Done>([&](auto reply) {
      engine().complete_user_task({.task_id = open->front().id, .variables = std::move(variables)},
                                  std::move(reply));
    });
  };
  EXPECT_EQ(outcome_of(send("no object")), "refused BadVariables");
  EXPECT_EQ(outcome_of(send(Object{{"ok", true}})), "");
  EXPECT_EQ(outcome_of(send(Object{{"ok", false}})), "refused TokenFinalizedTwice");
  EXPECT_EQ(step(id, "Review").output, Value(Object{{"ok", true}}));
}

TEST_F(Commands, ATaskCompletedByHand) {
  const auto id = start("work");
  const auto by_hand = [&](Key task_id) {
    return ask<Done>([&](auto reply) {
      engine().complete_task({.task_id = task_id, .actor = "ann"}, std::move(reply));
    });
  };
  const auto job = fetch_one("work");
  EXPECT_EQ(outcome_of(by_hand(job.task_id)), "refused ExternalTaskLeaseConflict");
  EXPECT_EQ(outcome_of(fail_task(job.task_id)), "");
  EXPECT_EQ(outcome_of(by_hand(job.task_id)), "");
  EXPECT_EQ(status(id), facts::InstanceStatus::completed);
  EXPECT_EQ(step(id, "Work").attempt_count, 2);
}

TEST_F(Commands, WrongInput) {
  EXPECT_EQ(outcome_of(try_start({.process_id = "work", .variables = Value(7)})), "invalid_input");
  const auto bad = ask<Deployed>(
      [&](auto reply) { engine().deploy({.resources = {{"x", "<a/>"}}}, std::move(reply)); });
  EXPECT_EQ(outcome_of(bad), "invalid_input");
  EXPECT_THAT(bad.error().diagnostics, Not(IsEmpty()));
  const auto fetching = [&](FetchCommand command) {
    auto future = park(std::move(command));
    return outcome_of(take(future));
  };
  EXPECT_EQ(fetching({.worker_id = "", .task_types = {"work"}}), "invalid_input");
  EXPECT_EQ(fetching({.worker_id = "w", .task_types = {}}), "invalid_input");
  EXPECT_EQ(fetching({.worker_id = "w", .task_types = {"work"}, .max_tasks = 0}), "invalid_input");
  EXPECT_EQ(fetching({.worker_id = "w", .task_types = {"work"}, .lock_duration = Duration(0)}),
            "invalid_input");
  EXPECT_EQ(fetching({.worker_id = "w", .task_types = {"work"}, .wait = Duration(-1)}),
            "invalid_input");
}

TEST_F(Commands, TimesWithoutEndAreBounded) {
  start("work");
  auto parked = park({.worker_id = "w1",
                      .task_types = {"work"},
                      .max_tasks = std::numeric_limits<std::int64_t>::max(),
                      .lock_duration = Duration::max(),
                      .wait = Duration::max()});
  const auto jobs = take(parked);
  ASSERT_TRUE(jobs && jobs->size() == 1);
  const auto until = ask<Instant>([&](auto reply) {
    engine().extend_lock(
        {.task_id = jobs->front().task_id, .worker_id = "w1", .lock_duration = Duration::max()},
        std::move(reply));
  });
  ASSERT_TRUE(until);
  EXPECT_GT(*until, clock().now());
  EXPECT_EQ(task(jobs->front().instance_id).lock_expires_at, *until);
}

} // namespace
} // namespace perdure::engine
