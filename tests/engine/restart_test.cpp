// Engines that die at any moment, and what the next one on the same file makes of it.
#include <map>
#include <mutex>
#include <thread>

#include "engine/fixture.h"

namespace perdure::engine {
namespace {

using facts::AttemptState;
using facts::InstanceStatus;
using ::testing::ElementsAre;

class Restart : public EngineTest {
protected:
  void create_with_workers() {
    create();
    for (const auto* type : {"payment", "stock", "shipping"})
      engine().handle(type, [](const Job&) -> JobResult { return Value(); });
  }
};

/// Dies at one commit after another, with that commit lost or written.
class DyingAt : public Restart, public ::testing::WithParamInterface<std::tuple<int, bool>> {};

TEST_P(DyingAt, NothingIsLostAndNothingHappensTwice) {
  run();
  deploy(order_model());
  create_with_workers();
  faults().dies_at_commit = std::get<0>(GetParam());
  faults().dies_after_writing = std::get<1>(GetParam());
  begin();
  std::vector<std::future<Answer<Started>>> sent;
  std::vector<Key> acknowledged;
  for (int i = 0; i < 3; ++i)
    sent.push_back(send_start("order"));
  for (auto& future : sent) {
    if (const auto started = take(future)) acknowledged.push_back(started->instance_id);
  }
  wait_until([&] { return faults().dead || engine().counters().instances_completed == 3; });
  crash();

  create_with_workers();
  begin();
  const auto found = instances();
  for (const auto id : acknowledged)
    EXPECT_TRUE(std::ranges::binary_search(found, id)) << id;
  // The clock stands still: what the dead one had leased is free at once.
  for (const auto id : found)
    wait_until([&] { return status(id) == InstanceStatus::completed; });
  for (const auto id : found) {
    const auto states = attempt_states(id);
    EXPECT_EQ(std::ranges::count(states, AttemptState::succeeded), 3);
    EXPECT_EQ(std::ranges::count(states, AttemptState::failed), 0);
    EXPECT_EQ(record(id).rows.steps.size(), 3U);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryCommit, DyingAt,
                         ::testing::Combine(::testing::Range(1, 9), ::testing::Bool()));

TEST_F(Restart, LocksOfDeadHandlersAreFreeAtOnce) {
  Gate gate;
  gate.close();
  create();
  engine().handle("work", [&](const Job&) -> JobResult {
    gate.pass();
    return Value(Object{{"by", "the dead"}});
  });
  begin();
  deploy(work_model());
  const auto id = start("work");
  gate.await_arrivals(1);
  faults().dead = true;
  gate.open();
  crash();

  create();
  engine().handle("work", [](const Job&) -> JobResult { return Value(Object{{"by", "me"}}); });
  begin();
  watcher().await(id, "instance_completed");
  EXPECT_THAT(attempt_states(id), ElementsAre(AttemptState::interrupted, AttemptState::succeeded));
  EXPECT_EQ(step(id, "Work").output, Value(Object{{"by", "me"}}));
}

TEST_F(Restart, AHandlerThatRunsAtTheStopIsHeard) {
  Gate gate;
  gate.close();
  create({.handler_threads = 1});
  engine().handle("work", [&](const Job&) -> JobResult {
    gate.pass();
    return Value();
  });
  begin();
  deploy(work_model());
  const auto id = start("work");
  gate.await_arrivals(1);
  std::jthread stopping([&] { engine().stop(); });
  gate.open();
  stopping.join();
  EXPECT_EQ(status(id), InstanceStatus::completed);
}

TEST_F(Restart, TasksThatWaitForAHandlerAtTheStopLoseNoAttempt) {
  std::vector<Key> ids;
  const auto stop_while_one_runs = [&] {
    Gate gate;
    gate.close();
    create({.handler_threads = 1, .handler_capacity = 3});
    engine().handle("work", [&](const Job&) -> JobResult {
      gate.pass();
      return Value();
    });
    begin();
    if (ids.empty()) {
      deploy(work_model());
      for (int i = 0; i < 6; ++i)
        ids.push_back(start("work"));
    }
    gate.await_arrivals(1);
    std::jthread stopping([&] { engine().stop(); });
    // They are free before the running one has ended.
    wait_until([&] {
      return std::ranges::count_if(
                 ids, [&](Key id) { return task(id).state == facts::TaskState::locked; }) == 1;
    });
    gate.open();
    stopping.join();
  };
  for (int i = 0; i < 4; ++i)
    stop_while_one_runs();
  create();
  engine().handle("work", [](const Job&) -> JobResult { return Value(); });
  begin();
  for (const auto id : ids) {
    wait_until([&] { return status(id) == InstanceStatus::completed; });
    auto states = attempt_states(id);
    EXPECT_EQ(states.back(), AttemptState::succeeded);
    states.pop_back();
    EXPECT_THAT(states, ::testing::Each(AttemptState::released));
  }
}

TEST_F(Restart, WhatWasReadyIsReadyWhenTheClockIsSetBack) {
  run();
  deploy(work_model());
  const auto id = start("work");
  crash();
  clock().move(Duration(-3'600'000));
  create();
  engine().handle("work", [](const Job&) -> JobResult { return Value(); });
  begin();
  watcher().await(id, "instance_completed");
}

TEST_F(Restart, AWorkerFromOutsideKeepsItsLock) {
  run();
  deploy(work_model());
  const auto id = start("work");
  const auto job = fetch_one("work", "w1");
  crash();
  run();
  settle();
  EXPECT_EQ(task(id).worker_id, "w1");
  EXPECT_EQ(outcome_of(complete(job.task_id, "w1")), "");
  EXPECT_THAT(attempt_states(id), ElementsAre(AttemptState::succeeded));
}

TEST_F(Restart, ALockThatRanOutWhileNobodyLooked) {
  run();
  deploy(work_model());
  const auto id = start("work");
  fetch_one("work", "w1");
  crash();
  clock().move(Duration(30'000));
  run();
  const auto job = fetch_one("work", "w2");
  EXPECT_EQ(job.instance_id, id);
  EXPECT_EQ(job.attempt, 2);
}

TEST_F(Restart, BackOffGoesOn) {
  run();
  deploy(work_model());
  const auto id = start("work");
  EXPECT_EQ(outcome_of(fail_task(fetch_one("work").task_id)), "");
  crash();
  create();
  engine().handle("work", [](const Job&) -> JobResult { return Value(); });
  begin();
  settle();
  EXPECT_EQ(status(id), InstanceStatus::running);
  advance(Duration(250));
  watcher().await(id, "instance_completed");
}

TEST_F(Restart, AnEngineWithoutHandlersLeavesTheWorkToTheNext) {
  run();
  deploy(order_model());
  std::vector<Key> ids;
  for (int i = 0; i < 5; ++i)
    ids.push_back(start("order", Object{{"amount", 1}}));
  create_with_workers();
  begin();
  for (const auto id : ids)
    watcher().await(id, "instance_completed");
}

TEST_F(Restart, ADatabaseThatCannotServeRefusesTheStart) {
  create();
  faults().dead = true;
  const auto started = engine().start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, ErrorCode::unavailable);
  EXPECT_EQ(outcome_of(try_start({.process_id = "work"})), "unavailable");
  faults().dead = false;
  begin();
  deploy(work_model());
  start("work");
}

} // namespace
} // namespace perdure::engine
