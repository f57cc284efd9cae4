// Schedules: each time is started once, whatever runs, whoever was there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "many/many_fixture.h"

namespace perdure::engine {
namespace {

using facts::InstanceStatus;
using store::Misfire;
using store::Overlap;
using testing::ElementsAre;
using testing::SizeIs;

constexpr Duration kHour{3'600'000};

using Schedules = EveryDatabase;
INSTANTIATE_TEST_SUITE_P(, Schedules, testing::Values(Database::sqlite, Database::postgres),
                         [](const auto& given) {
                           return given.param == Database::sqlite ? "sqlite" : "postgres";
                         });

FlowCode waiting() {
  return code_of("flow", 1, [](Flow& flow) -> Task<void> { co_await flow.wait("wait", "go"); });
}

ScheduleCommand hourly(Overlap overlap = Overlap::skip, Misfire misfire = Misfire::fire_once) {
  return {.name = "report",
          .process_id = "flow",
          .input = Object{{"input", "x"}},
          .cycle = "R/PT1H",
          .overlap = overlap,
          .misfire = misfire};
}

TEST_P(Schedules, EachTimeIsARunWithItsTimeInItsId) {
  const auto node = make("a", {waiting()});
  EXPECT_EQ(schedule(*node, hourly(Overlap::allow)), "");
  settle(*node);
  const auto before = instances().size();
  for (int i = 0; i < 3; ++i) {
    move_clock(kHour, *node);
    settle(*node);
  }
  const auto ids = instances();
  ASSERT_THAT(ids, SizeIs(before + 3));
  std::set<std::string> names;
  for (const auto id : ids) {
    const auto instance = record(id).rows.instance;
    EXPECT_TRUE(instance.business_key->starts_with("report@20")) << *instance.business_key;
    EXPECT_EQ(*instance.input.find("input"), Value("x"));
    names.insert(*instance.business_key);
  }
  EXPECT_THAT(names, SizeIs(ids.size()));
}

TEST_P(Schedules, ATimeIsPassedOverWhileTheRunBeforeGoesOn) {
  const auto node = make("a", {waiting()});
  EXPECT_EQ(schedule(*node, hourly(Overlap::skip)), "");
  move_clock(kHour, *node);
  ASSERT_THAT(instances(), SizeIs(1));
  const auto first = instances().front();
  move_clock(kHour, *node);
  settle(*node);
  EXPECT_THAT(instances(), SizeIs(1));
  send(*node, first, "go");
  node->watcher.await(first, "flow_ended");
  settle(*node);
  EXPECT_THAT(instances(), SizeIs(1)); // what was passed over does not come back
  move_clock(kHour, *node);
  settle(*node);
  EXPECT_THAT(instances(), SizeIs(2));
}

TEST_P(Schedules, ATimeWaitsUntilTheRunBeforeHasEnded) {
  const auto node = make("a", {waiting()});
  EXPECT_EQ(schedule(*node, hourly(Overlap::queue)), "");
  move_clock(kHour, *node);
  ASSERT_THAT(instances(), SizeIs(1));
  const auto first = instances().front();
  move_clock(kHour, *node);
  settle(*node);
  EXPECT_THAT(instances(), SizeIs(1));
  send(*node, first, "go");
  node->watcher.await(kNoKey, "flow_placed", 2);
  EXPECT_EQ(count(InstanceStatus::running), 1);
}

TEST_P(Schedules, TheRunBeforeIsCancelled) {
  const auto node = make("a", {waiting()});
  EXPECT_EQ(schedule(*node, hourly(Overlap::cancel_previous)), "");
  move_clock(kHour, *node);
  ASSERT_THAT(instances(), SizeIs(1));
  const auto first = instances().front();
  move_clock(kHour, *node);
  node->watcher.await(first, "flow_ended");
  const auto instance = record(first).rows.instance;
  EXPECT_EQ(instance.status, InstanceStatus::cancelled);
  EXPECT_EQ(instance.end_reason, "The schedule \"report\" has started the next run.");
  EXPECT_EQ(count(InstanceStatus::running), 1);
}

/// Goes on as a new run at the event "turn", again and again, and ends at "go".
FlowCode turning() {
  return code_of("flow", 1, [](Flow& flow) -> Task<void> {
    auto next = co_await flow.any(flow.wait("turn", "turn"), flow.wait("wait", "go"));
    if (next.index() == 0) co_await flow.continue_as_new(std::string("y"));
  });
}

TEST_P(Schedules, ARunThatGoesOnAsANewOneIsStillTheRunBefore) {
  for (const auto overlap : {Overlap::skip, Overlap::queue}) {
    const auto node = make("a", {turning()});
    const auto before = instances().size();
    auto command = hourly(overlap);
    command.name = std::string(name_of(overlap));
    EXPECT_EQ(schedule(*node, command), "");
    move_clock(kHour, *node);
    ASSERT_THAT(instances(), SizeIs(before + 1));
    auto last = instances().back();
    for (std::size_t i = 2; i <= 3; ++i) {
      node->watcher.await(last, "flow_step_opened", 2);
      send(*node, last, "turn");
      node->watcher.await(last, "flow_ended");
      ASSERT_TRUE(wait_until([&] {
        settle(*node);
        return instances().size() == before + i;
      }));
      last = instances().back();
      EXPECT_TRUE(record(last).rows.flow_runs.slots().front().row.previous_instance_id);
      move_clock(kHour, *node);
      settle(*node);
      EXPECT_THAT(instances(), SizeIs(before + i)) << command.name;
    }
    EXPECT_EQ(count(InstanceStatus::running), 1);
    // Its end is the end that the schedule waits for.
    node->watcher.await(last, "flow_step_opened", 2);
    send(*node, last, "go");
    node->watcher.await(last, "flow_ended");
    settle(*node);
    if (overlap == Overlap::skip) move_clock(kHour, *node);
    settle(*node);
    ASSERT_THAT(instances(), SizeIs(before + 4)) << command.name;
    EXPECT_FALSE(
        record(instances().back()).rows.flow_runs.slots().front().row.previous_instance_id);
    EXPECT_EQ(cancel(*node, instances().back()), "");
    EXPECT_EQ(unschedule(*node, command.name), "");
  }
}

TEST_P(Schedules, TheRunThatTheOneBeforeHasBecomeIsCancelled) {
  const auto node = make("a", {turning()});
  EXPECT_EQ(schedule(*node, hourly(Overlap::cancel_previous)), "");
  move_clock(kHour, *node);
  ASSERT_THAT(instances(), SizeIs(1));
  const auto first = instances().front();
  node->watcher.await(first, "flow_step_opened", 2);
  send(*node, first, "turn");
  ASSERT_TRUE(wait_until([&] {
    settle(*node);
    return instances().size() == 2;
  }));
  const auto second = instances().back();
  node->watcher.await(second, "flow_step_opened", 2);
  move_clock(kHour, *node);
  node->watcher.await(second, "flow_ended");
  EXPECT_EQ(status(first), InstanceStatus::completed);
  EXPECT_EQ(status(second), InstanceStatus::cancelled);
  EXPECT_EQ(record(second).rows.instance.end_reason,
            "The schedule \"report\" has started the next run.");
  EXPECT_THAT(instances(), SizeIs(3));
  EXPECT_EQ(count(InstanceStatus::running), 1);
}

TEST_P(Schedules, TimesAtWhichNobodyWasThere) {
  const std::map<Misfire, std::size_t> expected{
      {Misfire::fire_once, 1}, {Misfire::fire_all, 5}, {Misfire::skip, 0}};
  for (const auto& [misfire, runs] : expected) {
    const auto before = instances().size();
    const auto name = std::string(name_of(misfire));
    {
      const auto node = make("a", {waiting()});
      auto command = hourly(Overlap::allow, misfire);
      command.name = name;
      EXPECT_EQ(schedule(*node, command), "");
    }
    clock().move(5 * kHour + Duration(600'000));
    const auto node = make("a", {waiting()});
    for (int i = 0; i < 6; ++i)
      settle(*node);
    EXPECT_THAT(instances(), SizeIs(before + runs)) << name;
    move_clock(kHour - Duration(600'000), *node);
    settle(*node);
    EXPECT_THAT(instances(), SizeIs(before + runs + 1)) << name;
    EXPECT_EQ(unschedule(*node, name), "");
  }
}

TEST_P(Schedules, TheSameOnceMoreChangesNothingAndAnotherTakesItsPlace) {
  const auto node = make("a", {waiting()});
  EXPECT_EQ(schedule(*node, hourly(Overlap::allow)), "");
  const auto row = texts("SELECT id || ' ' || occurrence FROM flow_schedule");
  move_clock(kHour / 2, *node);
  EXPECT_EQ(schedule(*node, hourly(Overlap::allow)), "");
  EXPECT_EQ(texts("SELECT id || ' ' || occurrence FROM flow_schedule"), row);
  move_clock(kHour / 2, *node);
  settle(*node);
  EXPECT_THAT(instances(), SizeIs(1)); // an hour after the first word
  auto other = hourly(Overlap::allow);
  other.cycle = "R/PT2H";
  EXPECT_EQ(schedule(*node, other), "");
  EXPECT_THAT(texts("SELECT cycle FROM flow_schedule"), ElementsAre("R/PT2H"));
  move_clock(kHour, *node);
  settle(*node);
  EXPECT_THAT(instances(), SizeIs(1));
  EXPECT_EQ(unschedule(*node, "report"), "");
  EXPECT_EQ(unschedule(*node, "report"), "");
  move_clock(5 * kHour, *node);
  settle(*node);
  EXPECT_THAT(instances(), SizeIs(1));
}

TEST_P(Schedules, FollowTheClockOfAZone) {
  const auto node = make("a", {waiting()});
  auto command = hourly(Overlap::allow);
  command.cycle = "CRON_TZ=Europe/Berlin 0 0 3 * * *";
  EXPECT_EQ(schedule(*node, command), "");
  for (int i = 0; i < 24; ++i)
    move_clock(kHour, *node);
  settle(*node);
  ASSERT_THAT(instances(), SizeIs(1));
  const auto name = *record(instances().front()).rows.instance.business_key;
  EXPECT_THAT(name, testing::EndsWith("T02:00:00.000Z")); // it is January
}

TEST_P(Schedules, WhatCannotBeDoneIsSaidAtOnce) {
  const auto node = make("a", {waiting()});
  auto command = hourly();
  command.cycle = "every now and then";
  EXPECT_EQ(schedule(*node, command), "invalid_input");
  command = hourly();
  command.name = "";
  EXPECT_EQ(schedule(*node, command), "invalid_input");
  EXPECT_THAT(texts("SELECT name FROM flow_schedule"), ElementsAre());
}

TEST_P(Schedules, OfWhatIsNotThereALineIsWrittenAndTheTimeIsOver) {
  const auto node = make("a", {waiting()});
  auto command = hourly();
  command.process_id = "nothing";
  EXPECT_EQ(schedule(*node, command), "");
  move_clock(kHour, *node);
  settle(*node);
  EXPECT_EQ(log().count("start_failed"), 1);
  EXPECT_THAT(texts("SELECT CAST(occurrence AS text) FROM flow_schedule"), ElementsAre("2"));
}

} // namespace
} // namespace perdure::engine
