// Flows on two nodes: a run that only waits goes on wherever something happens to it; one whose
// callback is under way belongs to who calls it, until that one is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "many/many_fixture.h"

namespace perdure::engine {
namespace {

using facts::InstanceStatus;
using testing::ElementsAre;
using testing::SizeIs;

/// Counts what is done in the world, by name.
class World {
public:
  void act(const std::string& what) {
    const std::lock_guard lock(mutex_);
    ++counts_[what];
  }
  [[nodiscard]] int count(const std::string& what) {
    const std::lock_guard lock(mutex_);
    return counts_[what];
  }

private:
  std::mutex mutex_;
  std::map<std::string, int> counts_;
};

TEST_F(TwoNodes, AWaitingRunGoesOnWhereItsEventComes) {
  World world;
  const auto code = code_of("flow", 1, [&world](Flow& flow) -> Task<void> {
    co_await flow.run("first", [&] { world.act("first"); });
    co_await flow.wait("wait", "go");
    co_await flow.run("second", [&] { world.act("second"); });
    co_await flow.wait("again", "end");
  });
  const auto left = make("left", {code});
  const auto right = make("right", {code});
  const auto id = start(*left);
  left->watcher.await(id, "flow_step_opened", 2);
  send(*right, id, "go");
  right->watcher.await(id, "flow_step_opened", 2);
  // The copy that the left one has is old: it is refused, built anew, and goes on.
  send(*left, id, "end");
  ASSERT_TRUE(wait_until([&] {
    left->engine->wake();
    return has_ended(id);
  }));
  EXPECT_EQ(world.count("first"), 1);
  EXPECT_EQ(world.count("second"), 1);
  EXPECT_THAT(attempts(id), ElementsAre("first succeeded left", "second succeeded right"));
  EXPECT_EQ(status(id), InstanceStatus::completed);
}

TEST_F(TwoNodes, WhatALostProcessWasDoingIsInterruptedAndTriedElsewhere) {
  World world;
  Gate gate;
  gate.close();
  std::atomic<int> calls = 0;
  const auto code = code_of("flow", 1, [&](Flow& flow) -> Task<std::string> {
    co_return co_await flow.run("pay", [&]() -> std::string {
      if (++calls > 1) {
        world.act("right");
        return "right";
      }
      gate.pass();
      world.act("left");
      return "left";
    });
  });
  auto left = make("left", {code});
  const auto right = make("right", {code});
  const auto id = start(*left);
  ASSERT_TRUE(wait_until([&] { return calls == 1; }));
  freeze(*left);
  settle(*right);
  EXPECT_THAT(attempts(id), ElementsAre("pay interrupted left"));
  move_clock(Duration(1'000), *right);
  right->watcher.await(id, "flow_ended");
  // The frozen one comes back and reports: nobody hears it.
  thaw(*left);
  gate.open();
  ASSERT_TRUE(wait_until([&] { return world.count("left") == 1; }));
  settle(*left);
  EXPECT_THAT(attempts(id), ElementsAre("pay interrupted left", "pay succeeded right"));
  EXPECT_EQ(*record(id).rows.scopes.slots().front().row.variables.find("output"), Value("right"));
  // It is another worker now, and goes on.
  EXPECT_GE(log().count("flow_host_lost"), 1);
  const auto next = start(*left);
  left->watcher.await(next, "flow_ended");
  EXPECT_THAT(texts("SELECT worker_id FROM flow_host WHERE node_name = 'left'"), SizeIs(1));
}

TEST_F(TwoNodes, AnEventFromTheOtherNodeIsHeardWhileACallbackRuns) {
  World world;
  Gate gate;
  gate.close();
  const auto code = code_of("flow", 1, [&](Flow& flow) -> Task<void> {
    const auto other = [&world](Flow& inner) -> Task<void> {
      co_await inner.wait("wait", "go");
      co_await inner.run("heard", [&] { world.act("heard"); });
    };
    co_await flow.all(flow.run("long",
                               [&] {
                                 gate.pass();
                                 world.act("long");
                               }),
                      flow.run("other", other));
  });
  const auto left = make("left", {code});
  const auto right = make("right", {code});
  const auto id = start(*left);
  left->watcher.await(id, "flow_step_opened", 3);
  send(*right, id, "go");
  clock().move(Duration(200));
  ASSERT_TRUE(wait_until([&] {
    left->engine->wake();
    return world.count("heard") == 1;
  }));
  EXPECT_EQ(world.count("long"), 0);
  gate.open();
  ASSERT_TRUE(wait_until([&] { return has_ended(id); }));
  EXPECT_EQ(status(id), InstanceStatus::completed);
  EXPECT_THAT(attempts(id), ElementsAre("long succeeded left", "heard succeeded left"));
}

// Time leaps, so that each node takes the other for dead again and again, in the midst of its work.
TEST_F(TwoNodes, WhoTakeEachOtherForDeadBreakNothing) {
  const auto code = code_of("flow", 1, [](Flow& flow) -> Task<void> {
    const auto branch = [](std::string name) {
      return [name](Flow& inner) -> Task<void> {
        for (int i = 0; i < 5; ++i) {
          co_await inner.run(name + std::to_string(i), [] { std::this_thread::yield(); },
                             {.max_attempts = 1'000});
        }
      };
    };
    co_await flow.all(flow.run("a", branch("a"), {.max_attempts = 1'000}),
                      flow.run("b", branch("b"), {.max_attempts = 1'000}));
  });
  const auto left = make("left", {code});
  const auto right = make("right", {code});
  std::vector<Key> ids;
  for (int i = 0; i < 6; ++i)
    ids.push_back(start(i % 2 == 0 ? *left : *right));
  int turns = 0;
  ASSERT_TRUE(wait_until([&] {
    // A while of peace between two leaps, so that they come to an end.
    clock().move(++turns % 20 == 0 ? Duration(16'000) : Duration(200));
    left->engine->wake();
    right->engine->wake();
    std::this_thread::yield();
    return std::ranges::all_of(ids, [&](Key id) { return has_ended(id); });
  }));
  for (const auto id : ids) {
    EXPECT_EQ(status(id), InstanceStatus::completed);
    EXPECT_THAT(record(id).rows.incidents.slots(), testing::IsEmpty());
    std::map<std::string, int> succeeded;
    for (const auto& attempt : attempts(id)) {
      if (attempt.find(" succeeded ") != std::string::npos) {
        ++succeeded[attempt.substr(0, attempt.find(' '))];
      }
    }
    EXPECT_THAT(succeeded, SizeIs(10));
    for (const auto& [name, times] : succeeded)
      EXPECT_EQ(times, 1) << name;
  }
}

TEST_F(TwoNodes, ARunThatANodeWithoutItsCodeBeganIsTakenByOneThatHasIt) {
  World world;
  const auto code = code_of("flow", 1, [&world](Flow& flow) -> Task<void> {
    co_await flow.run("work", [&] { world.act("work"); });
  });
  const auto right = make("right", {code});
  const auto left = make("left", {});
  const auto id = start(*left);
  EXPECT_EQ(world.count("work"), 0);
  clock().move(Duration(1'000));
  ASSERT_TRUE(wait_until([&] {
    right->engine->wake();
    return has_ended(id);
  }));
  EXPECT_THAT(attempts(id), ElementsAre("work succeeded right"));
}

TEST_F(TwoNodes, ShareTheStartsAndDoEachThingOnce) {
  World world;
  const auto code = code_of("flow", 1, [&world](Flow& flow, Value input) -> Task<void> {
    const auto name = *input.find("n")->as<std::string>();
    co_await flow.run("a", [&] { world.act("a" + name); });
    co_await flow.run("b", [&] { world.act("b" + name); });
  });
  const auto left = make("left", {code});
  const auto right = make("right", {code});
  constexpr int kRuns = 60;
  for (int i = 0; i < kRuns; ++i) {
    start(i % 2 == 0 ? *left : *right,
          {.process_id = "flow", .variables = Object{{"n", std::to_string(i)}}});
  }
  ASSERT_TRUE(wait_until([&] { return count(InstanceStatus::completed) == kRuns; }));
  for (int i = 0; i < kRuns; ++i) {
    EXPECT_EQ(world.count("a" + std::to_string(i)), 1);
    EXPECT_EQ(world.count("b" + std::to_string(i)), 1);
  }
  std::set<std::string> hosts;
  for (const auto& host : texts("SELECT host FROM flow_run"))
    hosts.insert(host.substr(0, host.find(':')));
  EXPECT_THAT(hosts, ElementsAre("left", "right"));
}

TEST_F(TwoNodes, LetInNoMoreThanMayRunTogether) {
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  auto code = code_of("flow", 1, [&](Flow& flow) -> Task<void> {
    co_await flow.run("work", [&] {
      const int now = ++running;
      int known = most;
      while (known < now && !most.compare_exchange_weak(known, now)) {
      }
      std::this_thread::yield();
      --running;
    });
  });
  code.limit = {.running = 3};
  const auto left = make("left", {code});
  const auto right = make("right", {code});
  constexpr int kRuns = 30;
  for (int i = 0; i < kRuns; ++i)
    start(i % 2 == 0 ? *left : *right);
  ASSERT_TRUE(wait_until([&] {
    clock().move(Duration(50));
    left->engine->wake();
    right->engine->wake();
    EXPECT_LE(slots()["runs"], 3);
    return count(InstanceStatus::completed) == kRuns;
  }));
  EXPECT_LE(most, 3);
}

TEST_F(TwoNodes, StartATimeOfAScheduleOnce) {
  const auto code =
      code_of("flow", 1, [](Flow& flow) -> Task<void> { co_await flow.wait("wait", "go"); });
  const auto left = make("left", {code});
  const auto right = make("right", {code});
  EXPECT_EQ(schedule(*left, {.name = "tick",
                             .process_id = "flow",
                             .input = Object{},
                             .cycle = "R/PT1H",
                             .overlap = store::Overlap::allow}),
            "");
  for (int i = 1; i <= 5; ++i) {
    clock().move(Duration(3'600'000));
    left->engine->wake();
    right->engine->wake();
    ASSERT_TRUE(wait_until([&] { return std::ssize(instances()) >= i; }));
    settle(*left);
    settle(*right);
    EXPECT_THAT(instances(), SizeIs(i));
  }
}

} // namespace
} // namespace perdure::engine
