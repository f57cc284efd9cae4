// What has ended is removed when its time is over, a little at a time.
#include "engine/fixture.h"

namespace perdure::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Duration kDay{24 * 3'600'000};

class Retained : public EngineTest {
protected:
  /// Lets time pass until so many instances were removed.
  void await_purged(std::int64_t count) {
    for (int i = 0; i < 2'000 && engine().counters().instances_purged < count; ++i) {
      advance(Duration(1'000));
      settle();
    }
    EXPECT_EQ(engine().counters().instances_purged, count);
  }

  /// An instance at its end, and its task.
  std::pair<Key, Key> ended() {
    const auto id = start("work");
    const auto task_id = fetch_one("work").task_id;
    EXPECT_TRUE(complete(task_id));
    return {id, task_id};
  }
};

TEST_F(Retained, WhatHasEndedGoesAfterThirtyDaysAndWhatRunsStays) {
  run();
  deploy(work_model());
  deploy(review_model());
  const auto [gone, task_id] = ended();
  const auto runs = start("review");
  advance(30 * kDay - Duration(60'000));
  const auto [stays, other_task] = ended();
  EXPECT_EQ(engine().counters().instances_purged, 0);
  advance(Duration(60'000));
  await_purged(1);
  EXPECT_THAT(instances(), ElementsAre(runs, stays));
  EXPECT_GT(engine().counters().rows_purged, 10);
  const auto late = complete(task_id);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, Failure::Kind::not_found);
}

TEST_F(Retained, AProcessHasATimeOfItsOwn) {
  run({.retention = {.standard = std::nullopt, .by_process = {{"work", kDay}}}});
  deploy(work_model());
  deploy(timer_model());
  const auto kept = start("nap");
  advance(Duration(10'000));
  watcher().await(kept, "instance_completed");
  ended();
  advance(kDay);
  await_purged(1);
  EXPECT_THAT(instances(), ElementsAre(kept));
}

TEST_F(Retained, OffRemovesNothing) {
  run({.retention = {.standard = std::nullopt}});
  deploy(work_model());
  const auto [id, task_id] = ended();
  for (int i = 0; i < 10; ++i) {
    advance(100 * kDay);
    settle();
  }
  EXPECT_THAT(instances(), ElementsAre(id));
}

TEST_F(Retained, ManyGoInManySteps) {
  run({.retention = {.standard = kDay}});
  deploy(work_model());
  deploy(review_model());
  const auto first = start("review");
  for (int i = 0; i < 120; ++i)
    ended();
  const auto batches = engine().counters().batches.load();
  advance(kDay);
  await_purged(120);
  EXPECT_THAT(instances(), testing::SizeIs(1));
  EXPECT_EQ(engine().counters().batches, batches);
  EXPECT_EQ(status(first), facts::InstanceStatus::running);
}

TEST_F(Retained, AFailureIsToldAndTriedAgain) {
  run({.retention = {.standard = kDay}});
  deploy(work_model());
  ended();
  faults().failing_purges = 1;
  advance(kDay);
  await_purged(1);
  EXPECT_EQ(log().count("retention_failed"), 1);
  EXPECT_THAT(instances(), IsEmpty());
}

} // namespace
} // namespace perdure::engine
