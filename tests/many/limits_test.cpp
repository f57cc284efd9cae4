// What runs of a name may do together: how many run, how many begin in a time, who is first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "flow/restart.h"
#include "many/many_fixture.h"

namespace perdure::engine {
namespace {

using facts::InstanceStatus;
using testing::ElementsAre;
using testing::Pair;
using testing::UnorderedElementsAre;

using Limits = EveryDatabase;
INSTANTIATE_TEST_SUITE_P(, Limits, testing::Values(Database::sqlite, Database::postgres),
                         [](const auto& given) {
                           return given.param == Database::sqlite ? "sqlite" : "postgres";
                         });

/// A flow that waits for the event "go", with those limits.
FlowCode waiting(store::FlowLimit limit) {
  auto code =
      code_of("flow", 1, [](Flow& flow) -> Task<void> { co_await flow.wait("wait", "go"); });
  code.limit = std::move(limit);
  return code;
}

StartCommand with(std::int64_t priority, std::optional<std::string> key = {}) {
  return {.process_id = "flow",
          .variables = Object{},
          .priority = priority,
          .limit_key = std::move(key)};
}

TEST_P(Limits, NoMoreRunThanMayAndTheEndOfOneLetsInTheNext) {
  const auto node = make("a", {waiting({.running = 2})});
  std::vector<Key> ids;
  for (int i = 0; i < 4; ++i)
    ids.push_back(start(*node));
  node->watcher.await(ids[0], "flow_begun");
  node->watcher.await(ids[1], "flow_begun");
  settle(*node);
  EXPECT_EQ(status(ids[2]), InstanceStatus::pending);
  EXPECT_THAT(slots(), UnorderedElementsAre(Pair("runs", 2), Pair("waits", 2)));
  send(*node, ids[1], "go");
  node->watcher.await(ids[2], "flow_begun");
  EXPECT_EQ(status(ids[3]), InstanceStatus::pending);
  EXPECT_TRUE(record(ids[2]).rows.flow_runs.slots().front().row.admitted_at);
  for (const auto i : {0, 2, 3}) {
    send(*node, ids[i], "go");
    node->watcher.await(ids[i], "flow_ended");
  }
  settle(*node);
  EXPECT_EQ(count(InstanceStatus::completed), 4);
  EXPECT_THAT(slots(), ElementsAre()); // none counts any more
}

TEST_P(Limits, OfThoseThatWaitTheMostImportantIsFirstThenTheOldest) {
  const auto node = make("a", {waiting({.running = 1})});
  const auto first = start(*node, with(0));
  node->watcher.await(first, "flow_begun");
  const auto low = start(*node, with(-1));
  const auto usual = start(*node, with(0));
  const auto younger = start(*node, with(0));
  const auto high = start(*node, with(7));
  auto running = first;
  for (const auto next : {high, usual, younger, low}) {
    send(*node, running, "go");
    node->watcher.await(next, "flow_begun");
    EXPECT_EQ(slots()["runs"], 1);
    running = next;
  }
}

TEST_P(Limits, AKeyHasLimitsOfItsOwn) {
  const auto node = make("a", {waiting({.running = 3, .running_per_key = 1})});
  const auto first = start(*node, with(0, "k"));
  const auto second = start(*node, with(5, "k"));
  const auto other = start(*node, with(0, "l"));
  const auto without = start(*node, with(0));
  const auto more = start(*node, with(0));
  for (const auto id : {first, other, without})
    node->watcher.await(id, "flow_begun");
  settle(*node);
  EXPECT_EQ(status(second), InstanceStatus::pending); // its key has no room
  EXPECT_EQ(status(more), InstanceStatus::pending);   // nobody has
  send(*node, other, "go");
  node->watcher.await(more, "flow_begun");
  settle(*node);
  EXPECT_EQ(status(second), InstanceStatus::pending);
  send(*node, first, "go");
  node->watcher.await(second, "flow_begun");
}

TEST_P(Limits, NoMoreBeginInATimeThanMay) {
  const auto node = make("a", {waiting({.starts = 2, .starts_period = 1'000})});
  std::vector<Key> ids;
  for (int i = 0; i < 5; ++i)
    ids.push_back(start(*node));
  node->watcher.await(kNoKey, "flow_begun", 2);
  move_clock(Duration(999), *node);
  EXPECT_EQ(count(InstanceStatus::pending), 3);
  move_clock(Duration(1), *node);
  node->watcher.await(kNoKey, "flow_begun", 4);
  settle(*node);
  EXPECT_EQ(count(InstanceStatus::pending), 1);
  // Whoever ended still counts until its time is over.
  for (int i = 0; i < 4; ++i)
    send(*node, ids[i], "go");
  node->watcher.await(kNoKey, "flow_ended", 4);
  settle(*node);
  EXPECT_EQ(status(ids[4]), InstanceStatus::pending);
  move_clock(Duration(1'000), *node);
  node->watcher.await(ids[4], "flow_begun");
}

TEST_P(Limits, TheStartsOfAKeyAreCountedToo) {
  const auto node = make("a", {waiting({.starts_per_key = 1, .starts_per_key_period = 60'000})});
  const auto first = start(*node, with(0, "k"));
  const auto second = start(*node, with(0, "k"));
  const auto other = start(*node, with(0, "l"));
  node->watcher.await(first, "flow_begun");
  node->watcher.await(other, "flow_begun");
  settle(*node);
  EXPECT_EQ(status(second), InstanceStatus::pending);
  move_clock(Duration(60'000), *node);
  node->watcher.await(second, "flow_begun");
}

TEST_P(Limits, WhoIsCancelledBeforeItBeganRunsNoCode) {
  std::atomic<int> runs = 0;
  auto code = code_of("flow", 1, [&runs](Flow& flow) -> Task<void> {
    ++runs;
    co_await flow.wait("wait", "go");
  });
  code.limit = {.running = 1};
  const auto node = make("a", {code});
  const auto first = start(*node);
  node->watcher.await(first, "flow_begun");
  const auto second = start(*node);
  const auto third = start(*node);
  EXPECT_EQ(cancel(*node, second), "");
  EXPECT_EQ(status(second), InstanceStatus::cancelled);
  EXPECT_FALSE(record(second).rows.instance.started_at);
  EXPECT_EQ(cancel(*node, first), "");
  node->watcher.await(third, "flow_begun");
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(attempts(second), std::vector<std::string>{});
}

TEST_P(Limits, ThoseThatWaitAreLetInAfterARestartAlsoWithoutLimits) {
  std::vector<Key> ids;
  {
    const auto node = make("a", {waiting({.running = 1})});
    for (int i = 0; i < 4; ++i)
      ids.push_back(start(*node));
    node->watcher.await(ids[0], "flow_begun");
  }
  {
    const auto node = make("a", {waiting({.running = 2})});
    node->watcher.await(ids[1], "flow_begun");
    settle(*node);
    EXPECT_EQ(status(ids[2]), InstanceStatus::pending);
  }
  auto code = waiting({});
  code.limit.reset();
  const auto node = make("a", {code});
  node->watcher.await(ids[2], "flow_begun");
  node->watcher.await(ids[3], "flow_begun");
  EXPECT_THAT(texts("SELECT process_id FROM flow_limit"), ElementsAre());
}

TEST_P(Limits, ARunThatGoesOnAsANewOneLeavesAndWaitsInItsTurn) {
  auto code = code_of("flow", 1, [](Flow& flow, Value input) -> Task<void> {
    co_await flow.wait("wait", "go");
    if (input.find("input") == nullptr) co_await flow.continue_as_new(std::string("again"));
  });
  code.limit = {.running = 1};
  const auto node = make("a", {code});
  const auto first = start(*node, with(3, "k"));
  node->watcher.await(first, "flow_begun");
  send(*node, first, "go");
  node->watcher.await(kNoKey, "flow_begun", 2);
  const auto ids = instances();
  ASSERT_EQ(ids.size(), 2U);
  const auto run = record(ids.back()).rows.flow_runs.slots().front().row;
  EXPECT_EQ(run.priority, 3);
  EXPECT_EQ(run.limit_key, "k");
  EXPECT_EQ(run.previous_instance_id, first);
}

TEST_P(Limits, WhoWaitsHasNothingToPauseAndIsLetInAllTheSame) {
  const auto node = make("a", {waiting({.running = 1})});
  const auto first = start(*node);
  node->watcher.await(first, "flow_begun");
  const auto second = start(*node);
  const auto before = record(second).history.size();
  EXPECT_EQ(outcome_of(ask<Done>([&](auto reply) {
              node->engine->pause({.instance_id = second}, std::move(reply));
            })),
            "");
  EXPECT_EQ(status(second), InstanceStatus::pending);
  EXPECT_EQ(record(second).history.size(), before);
  const auto resumed = ask<Done>(
      [&](auto reply) { node->engine->resume({.instance_id = second}, std::move(reply)); });
  EXPECT_EQ(outcome_of(resumed), "refused TokenInvalidTransition");
  EXPECT_THAT(resumed.error().message, testing::HasSubstr("is pending, expected was paused"));
  EXPECT_THAT(slots(), UnorderedElementsAre(Pair("runs", 1), Pair("waits", 1)));
  send(*node, first, "go");
  node->watcher.await(second, "flow_begun");
  EXPECT_EQ(status(second), InstanceStatus::running);
}

TEST_P(Limits, WhoIsPausedKeepsHisPlaceAndGivesItBackWhenHeIsCancelled) {
  const auto node = make("a", {waiting({.running = 1})});
  const auto first = start(*node);
  node->watcher.await(first, "flow_begun");
  const auto second = start(*node);
  EXPECT_EQ(outcome_of(ask<Done>([&](auto reply) {
              node->engine->pause({.instance_id = first}, std::move(reply));
            })),
            "");
  settle(*node);
  EXPECT_EQ(status(first), InstanceStatus::paused);
  EXPECT_EQ(status(second), InstanceStatus::pending);
  EXPECT_EQ(cancel(*node, first), "");
  node->watcher.await(second, "flow_begun");
  EXPECT_EQ(status(first), InstanceStatus::cancelled);
}

TEST_P(Limits, WhoIsCancelledWhileHeWaitsLeavesNothing) {
  const auto node = make("a", {waiting({.running = 1, .starts = 2, .starts_period = 60'000})});
  const auto first = start(*node);
  node->watcher.await(first, "flow_begun");
  const auto second = start(*node, with(9));
  const auto third = start(*node);
  const auto told = ask<Correlated>([&](auto reply) {
    node->engine->send_message({.name = "go",
                                .variables = Object{},
                                .starts_nothing = true,
                                .run_id = second,
                                .idempotency = {}},
                               std::move(reply));
  });
  EXPECT_EQ(told->fate, Correlated::Fate::buffered);
  EXPECT_EQ(outcome_of(ask<Done>([&](auto reply) {
              node->engine->cancel({.instance_id = second, .reason = "too late"}, std::move(reply));
            })),
            "");
  const auto rows = record(second).rows;
  EXPECT_EQ(rows.instance.status, InstanceStatus::cancelled);
  EXPECT_EQ(rows.instance.end_reason, "too late");
  EXPECT_FALSE(rows.instance.started_at);
  EXPECT_TRUE(rows.steps.slots().empty());
  EXPECT_FALSE(rows.flow_runs.slots().front().row.admitted_at);
  EXPECT_THAT(texts("SELECT name FROM inbound_event"), ElementsAre());
  EXPECT_EQ(cancel(*node, second), "refused InstanceFinished");
  settle(*node);
  EXPECT_THAT(slots(), UnorderedElementsAre(Pair("runs", 1), Pair("waits", 1)));
  // He was not let in, so that his start does not count.
  send(*node, first, "go");
  node->watcher.await(third, "flow_begun");
  settle(*node);
  EXPECT_EQ(status(second), InstanceStatus::cancelled);
}

/// Does "work", waits for "go", then does "more".
FlowCode working(std::atomic<int>& works) {
  auto code = code_of("flow", 1, [&works](Flow& flow) -> Task<void> {
    co_await flow.run("work", [&works] { ++works; });
    co_await flow.wait("wait", "go");
    co_await flow.run("more", [] {});
  });
  code.limit = {.running = 1};
  return code;
}

/// A run in the place of one that ended, from a step on.
Answer<Started> restart(FlowNode& node, Key id, const std::string& step) {
  auto [reply, future] = promise_reply<Started>();
  node.engine->restart_flow({.instance_id = id, .from = {flow::RestartPoint::Kind::step, step}},
                            std::move(reply));
  return take(future);
}

TEST_P(Limits, ARunInThePlaceOfAnotherWaitsFirstAndThenHasWhatThatDid) {
  std::atomic<int> works = 0;
  Key third = kNoKey;
  Key second = kNoKey;
  {
    const auto node = make("a", {working(works)});
    const auto first = start(*node);
    node->watcher.await(first, "flow_step_opened", 2);
    EXPECT_EQ(cancel(*node, first), "");
    second = start(*node);
    node->watcher.await(second, "flow_step_opened", 2);
    const auto restarted = restart(*node, first, "wait");
    ASSERT_EQ(outcome_of(restarted), "");
    third = restarted->instance_id;
    settle(*node);
    const auto waits = record(third);
    EXPECT_EQ(waits.rows.instance.status, InstanceStatus::pending);
    EXPECT_EQ(waits.rows.instance.step_count, 0);
    EXPECT_TRUE(waits.rows.steps.slots().empty());
    EXPECT_TRUE(waits.rows.attempts.slots().empty());
    EXPECT_EQ(waits.rows.flow_runs.slots().front().row.previous_instance_id, first);
    EXPECT_THAT(slots(), UnorderedElementsAre(Pair("runs", 1), Pair("waits", 1)));
  }
  const auto node = make("a", {working(works)}); // what it begins with outlives the process
  EXPECT_EQ(cancel(*node, second), "");
  node->watcher.await(third, "flow_begun");
  ASSERT_TRUE(wait_until([&] {
    settle(*node);
    return record(third).rows.steps.size() == 2;
  }));
  EXPECT_EQ(status(third), InstanceStatus::running);
  send(*node, third, "go");
  node->watcher.await(third, "flow_ended");
  EXPECT_EQ(works, 2);
  std::vector<std::string> lines;
  const auto rows = record(third);
  for (const auto& slot : rows.rows.steps.slots())
    lines.push_back(slot.row.slug + " " + std::string(name_of(slot.row.status)));
  EXPECT_THAT(lines, ElementsAre("work completed", "wait completed", "more completed"));
  std::vector<std::string> story;
  for (std::size_t i = 0; i < 5; ++i)
    story.push_back(rows.history[i].event_type);
  EXPECT_THAT(story, ElementsAre("instance_started", "flow_placed", "flow_inherited",
                                 "flow_admitted", "flow_begun"));
}

} // namespace
} // namespace perdure::engine
