// Repair: new runs in the place of failed ones, steps that are skipped, and what is told of it.
#include <atomic>
#include <mutex>

#include "flows/flow_fixture.h"

namespace perdure::engine {
namespace {

using namespace std::chrono_literals;
using facts::InstanceStatus;
using flow::RestartPoint;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// What callbacks did in the world, in order.
class World {
public:
  void did(std::string what) {
    const std::lock_guard lock(mutex_);
    done_.push_back(std::move(what));
  }
  [[nodiscard]] std::vector<std::string> done() {
    const std::lock_guard lock(mutex_);
    return done_;
  }

private:
  std::mutex mutex_;
  std::vector<std::string> done_;
};

class RepairTest : public FlowTest {
protected:
  [[nodiscard]] Answer<Started> restart(RestartFlowCommand command) {
    return ask<Started>(
        [&](auto reply) { engine().restart_flow(std::move(command), std::move(reply)); });
  }
  Key restart_from(Key id, const std::string& step) {
    const auto started =
        restart({.instance_id = id, .from = {RestartPoint::Kind::step, step}, .actor = "kim"});
    EXPECT_TRUE(started) << started.error().message;
    return started ? started->instance_id : kNoKey;
  }
  Key retry_failed(Key id) {
    const auto started = restart({.instance_id = id, .from = {RestartPoint::Kind::failure}});
    EXPECT_TRUE(started) << started.error().message;
    return started ? started->instance_id : kNoKey;
  }
  [[nodiscard]] Answer<Done> skip(Key id, const std::string& step,
                                  std::optional<Value> output = {}) {
    return ask<Done>([&](auto reply) {
      engine().skip_step(
          {.instance_id = id, .step = step, .output = std::move(output), .reason = "broken"},
          std::move(reply));
    });
  }
  [[nodiscard]] facts::AuditEntry last_audit() {
    const auto entries = reader().audit({}, {.limit = 1});
    EXPECT_TRUE(entries && !entries->empty());
    return entries->front();
  }
  [[nodiscard]] std::optional<Key> previous_of(Key id) {
    return record(id).rows.flow_runs.slots().front().row.previous_instance_id;
  }

  World world;
};

TEST_F(RepairTest, ANewRunGoesOnFromAStepAndDoesNothingAgain) {
  std::atomic<bool> broken = true;
  host([&](Flow& flow) -> Task<int> {
    const auto chance = flow.random();
    const int a = co_await flow.run("reserve", [&] {
      world.did("reserve");
      return 40;
    });
    flow.set_attribute("customer", std::string("c-1"));
    const int b = co_await flow.run("charge", [&] {
      world.did("charge");
      if (broken) throw NonRetryable("no funds", "CardDeclined");
      return 2;
    });
    co_await flow.run("ship", [&] { world.did("ship"); });
    co_return flow.random() == chance ? 0 : a + b;
  });
  const auto old = run_flow(Object{{"order", 7}});
  EXPECT_EQ(status_of(old), InstanceStatus::failed);
  broken = false;
  const auto id = restart_from(old, "charge");
  await_end(id);
  EXPECT_EQ(status_of(id), InstanceStatus::completed);
  EXPECT_EQ(output(id), Value(42));
  EXPECT_THAT(world.done(), ElementsAre("reserve", "charge", "charge", "ship"));
  EXPECT_THAT(steps(id),
              ElementsAre("reserve completed 1", "charge completed 1", "ship completed 1"));
  EXPECT_EQ(attempts(id).front().worker_id, "restart of " + key_text(old));
  EXPECT_EQ(record(id).rows.instance.input, Value(Object{{"order", 7}}));
  EXPECT_EQ(*record(id).rows.scopes.slots().front().row.variables.find("customer"), Value("c-1"));
  EXPECT_EQ(previous_of(id), old);
  EXPECT_EQ(record(id).rows.instance.definition_id, record(old).rows.instance.definition_id);
  const auto audit = last_audit();
  EXPECT_EQ(audit.action, "restart_flow");
  EXPECT_EQ(audit.actor, "kim");
  EXPECT_EQ(audit.instance_id, id);
  EXPECT_EQ(audit.details,
            Value(Object{{"restart_of", key_text(old)}, {"from", "step"}, {"step", "charge"}}));
}

TEST_F(RepairTest, ARetryOfAFailedRunDoesOnlyWhatFailedAgain) {
  std::atomic<bool> broken = true;
  host([&](Flow& flow) -> Task<int> {
    auto [a, b] = co_await flow.all(flow.run("quick",
                                             [&] {
                                               world.did("quick");
                                               return 1;
                                             }),
                                    flow.run("outer", [&](Flow& in) -> Task<int> {
                                      const int first = co_await in.run("first", [&] {
                                        world.did("first");
                                        return 1;
                                      });
                                      co_await in.wait("go", "go");
                                      co_return first + co_await in.run("second", [&] {
                                        world.did("second");
                                        if (broken) throw NonRetryable("no", "Broken");
                                        return 40;
                                      });
                                    }));
    co_return a + b;
  });
  const auto old = begin_flow();
  watcher().await(old, "flow_step_opened", 4);
  wait_until([&] { return world.done().size() == 2; });
  send(old, "go");
  await_end(old);
  EXPECT_EQ(status_of(old), InstanceStatus::failed);
  broken = false;
  const auto id = retry_failed(old);
  await_end(id);
  EXPECT_EQ(output(id), Value(42));
  auto done = world.done();
  std::ranges::sort(done.begin(), done.begin() + 2);
  EXPECT_THAT(done, ElementsAre("first", "quick", "second", "second"));
}

TEST_F(RepairTest, AFailureOfTheCodeItselfIsPassedAgainWithTheSameHistory) {
  const auto code = [this](bool broken) {
    return [this, broken](Flow& flow) -> Task<int> {
      const int a = co_await flow.run("a", [this] {
        world.did("a");
        return 7;
      });
      if (broken) throw std::runtime_error("a bug");
      co_return a;
    };
  };
  host(code(true));
  const auto old = run_flow();
  EXPECT_EQ(status_of(old), InstanceStatus::failed);
  end();
  host(code(false));
  const auto id = retry_failed(old);
  await_end(id);
  EXPECT_EQ(output(id), Value(7));
  EXPECT_THAT(world.done(), ElementsAre("a"));
}

TEST_F(RepairTest, WhatWasOpenAtThatPlaceIsOpenInTheNewRun) {
  std::atomic<bool> broken = true;
  host({code_of("flow", 1,
                [&](Flow& flow) -> Task<int> {
                  auto [event, nap, child, rest] = co_await flow.all(
                      flow.wait<int>("event", "e", {.timeout = 1h}), flow.sleep("nap", 2h),
                      flow.call<int>("child", "five", Object{{"x", 1}}),
                      flow.run("chain", [&](Flow& in) -> Task<int> {
                        const int a = co_await in.run("a", [&] {
                          world.did("a");
                          return 1;
                        });
                        co_return a + co_await in.run("b", [&] {
                          world.did("b");
                          if (broken) throw NonRetryable("no", "Broken");
                          return 2;
                        });
                      }));
                  (void)nap;
                  co_return event + child + rest;
                }),
        code_of("five", 1, [](Flow& flow, Value) -> Task<std::optional<Value>> {
          co_await flow.wait("never", "never");
          co_return Value(5);
        })});
  const auto old = begin_flow();
  await_end(old);
  const auto began = clock().now();
  advance(Duration(60'000));
  broken = false;
  const auto id = restart_from(old, "b");
  watcher().await(id, "flow_step_ended", 3); // a, b, chain
  EXPECT_THAT(world.done(), ElementsAre("a", "b", "b"));
  const auto rows = record(id).rows;
  ASSERT_EQ(rows.timers.slots().size(), 2U);
  auto timer = rows.timers.slots().begin();
  EXPECT_EQ(timer->row.due_at, began + Duration(61 * 60'000)); // waits its hour
  EXPECT_EQ((++timer)->row.due_at, began + Duration(2 * 3'600'000));
  ASSERT_EQ(rows.subscriptions.slots().size(), 1U);
  EXPECT_EQ(rows.subscriptions.slots().front().row.correlation_key, key_text(id));
  send(id, "e", Object{{"payload", 34}});
  const auto child = *reader().steps(id).value()[2].called_instance_id;
  wait_until([&] { return reader().instance(child).value().has_value(); });
  EXPECT_EQ(record(child).rows.instance.input, Value(Object{{"x", 1}}));
  watcher().await(child, "flow_step_opened");
  send(child, "never");
  advance(Duration(2 * 3'600'000));
  await_end(id);
  EXPECT_EQ(output(id), Value(42));
}

TEST_F(RepairTest, ACallThatHasEndedIsNotMadeAgain) {
  std::atomic<bool> broken = true;
  host({code_of("flow", 1,
                [&](Flow& flow) -> Task<int> {
                  const int five = co_await flow.call<int>("child", "five");
                  co_await flow.run("b", [&] {
                    if (broken) throw NonRetryable("no", "Broken");
                  });
                  co_return five;
                }),
        code_of("five", 1, [](Flow&) -> Task<int> { co_return 5; })});
  const auto old = run_flow();
  const auto before = instances().size();
  broken = false;
  const auto id = restart_from(old, "b");
  await_end(id);
  EXPECT_EQ(output(id), Value(5));
  EXPECT_EQ(instances().size(), before + 1);
  EXPECT_EQ(reader().steps(id).value()[0].called_instance_id,
            reader().steps(old).value()[0].called_instance_id);
}

TEST_F(RepairTest, TriesOfANestedRunComeAlong) {
  std::atomic<bool> broken = true;
  host([&](Flow& flow) -> Task<int> {
    const auto begun = flow.now();
    const int a = co_await flow.run("outer", [&, begun](Flow& in) -> Task<int> {
      const int kept = co_await in.run("inner", [&] {
        world.did("inner");
        return 3;
      });
      if (in.now() < begun + 750ms) throw std::runtime_error("again");
      co_return kept;
    });
    co_await flow.run("last", [&] {
      if (broken) throw NonRetryable("no", "Broken");
    });
    co_return a;
  });
  const auto old = begin_flow();
  watcher().await(old, "flow_attempt_failed");
  advance(Duration(250));
  watcher().await(old, "flow_attempt_failed", 2);
  advance(Duration(500));
  await_end(old);
  EXPECT_EQ(status_of(old), InstanceStatus::failed);
  broken = false;
  const auto id = restart_from(old, "last");
  await_end(id);
  EXPECT_EQ(output(id), Value(3));
  EXPECT_THAT(world.done(), ElementsAre("inner"));
  EXPECT_THAT(steps(id), ElementsAre("outer completed 3", "inner completed 1", "last completed 1"));
}

TEST_F(RepairTest, ARetryDoesTheStepAgainThatEveryTryOfTheRunAroundItMet) {
  std::atomic<bool> broken = true;
  host([&](Flow& flow) -> Task<int> {
    co_return co_await flow.run("outer", [&](Flow& in) -> Task<int> {
      const int a = co_await in.run("a", [&] {
        world.did("a");
        return 40;
      });
      auto b = co_await in
                   .run("b",
                        [&]() -> int {
                          world.did("b");
                          if (broken) throw StepError("Busy", "later");
                          return 2;
                        },
                        {.max_attempts = 1})
                   .outcome();
      if (b.failed()) throw StepError("Again", "b has failed");
      co_return a + std::move(b).value();
    });
  });
  const auto old = begin_flow();
  watcher().await(old, "flow_attempt_failed");
  advance(Duration(250));
  watcher().await(old, "flow_attempt_failed", 2);
  advance(Duration(500));
  await_end(old);
  EXPECT_EQ(status_of(old), InstanceStatus::failed);
  broken = false;
  const auto id = retry_failed(old);
  await_end(id);
  EXPECT_EQ(output(id), Value(42));
  EXPECT_THAT(world.done(), ElementsAre("a", "b", "b"));
}

TEST_F(RepairTest, CompensationsThatWereRegisteredComeAlong) {
  host([&](Flow& flow) -> Task<void> {
    co_await flow.run("book", [&] { world.did("book"); });
    flow.compensate("unbook", [&] { world.did("unbook"); });
    co_await flow.run("pay", [&] {
      world.did("pay");
      throw NonRetryable("no", "Broken");
    });
  });
  const auto old = run_flow();
  EXPECT_THAT(world.done(), ElementsAre("book", "pay", "unbook"));
  const auto id = retry_failed(old);
  await_end(id);
  EXPECT_EQ(status_of(id), InstanceStatus::failed);
  EXPECT_THAT(world.done(), ElementsAre("book", "pay", "unbook", "pay", "unbook"));
  EXPECT_THAT(steps(id),
              ElementsAre("book completed 1", "pay failed 1 Broken", "unbook completed 1"));
  const auto rows = record(id).rows;
  EXPECT_EQ(rows.compensations.slots().front().row.status, facts::CompensationStatus::completed);
}

TEST_F(RepairTest, ARunThatSurvivesACrashRightAfterItsRestartGoesOn) {
  std::atomic<bool> broken = true;
  const auto code = [&](Flow& flow) -> Task<int> {
    const int a = co_await flow.run("a", [&] {
      world.did("a");
      return 1;
    });
    co_await flow.run("b", [&] {
      if (broken) throw NonRetryable("no", "Broken");
    });
    co_return a;
  };
  host(code);
  const auto old = run_flow();
  end();
  host(std::vector<FlowCode>()); // a program without the code, such as a server
  const auto id = restart_from(old, "b");
  EXPECT_EQ(record(id).rows.tokens.slots().front().row.state, facts::TokenState::ready);
  end();
  broken = false;
  host(code);
  pass_grace();
  await_end(id);
  EXPECT_EQ(output(id), Value(1));
  EXPECT_THAT(world.done(), ElementsAre("a"));
}

TEST_F(RepairTest, OtherInputIsForTheBeginningUnlessOneInsists) {
  host([&](Flow& flow, Value input) -> Task<std::optional<Value>> {
    co_await flow.run("a", [&] { world.did("a"); });
    co_await flow.run("b", [&] { world.did("b"); });
    co_return *input.find("n");
  });
  const auto old = run_flow(Object{{"n", 1}});
  const Value input = Object{{"n", 2}};
  EXPECT_EQ(outcome_of(restart(
                {.instance_id = old, .from = {RestartPoint::Kind::step, "b"}, .input = input})),
            "invalid_input");
  const auto insisted = restart({.instance_id = old,
                                 .from = {RestartPoint::Kind::step, "b"},
                                 .input = input,
                                 .insist = true});
  ASSERT_TRUE(insisted) << insisted.error().message;
  await_end(insisted->instance_id);
  EXPECT_EQ(output(insisted->instance_id), Value(2));
  const auto anew =
      restart({.instance_id = old, .from = {}, .input = input, .reason = "a typing error"});
  ASSERT_TRUE(anew) << anew.error().message;
  await_end(anew->instance_id);
  EXPECT_EQ(output(anew->instance_id), Value(2));
  EXPECT_EQ(last_audit().details, Value(Object{{"restart_of", key_text(old)},
                                               {"from", "beginning"},
                                               {"input", input},
                                               {"reason", "a typing error"}}));
  EXPECT_THAT(world.done(), ElementsAre("a", "b", "b", "a", "b"));
}

TEST_F(RepairTest, TheLatestVersionIsTakenWhenAskedForAndParksWhenItDoesNotFit) {
  const auto code = [this](int version, const char* step) {
    return code_of("flow", version, [this, step](Flow& flow) -> Task<void> {
      co_await flow.run(step, [this, step] { world.did(step); });
      co_await flow.run("last", [] {});
    });
  };
  host({code(1, "a")});
  const auto old = run_flow();
  end();
  host({code(1, "a"), code(2, "b")});
  const auto parked =
      restart({.instance_id = old, .from = {RestartPoint::Kind::step, "last"}, .latest = true});
  ASSERT_TRUE(parked);
  watcher().await(parked->instance_id, "incident_opened");
  EXPECT_EQ(incidents(parked->instance_id).front().kind, facts::IncidentKind::flow_diverged);
  const auto fits = restart({.instance_id = old, .from = {}, .latest = true});
  ASSERT_TRUE(fits);
  await_end(fits->instance_id);
  EXPECT_THAT(world.done(), ElementsAre("a", "b"));
}

TEST_F(RepairTest, WhatCannotBeRestartedIsRefusedWithTheReason) {
  host([&](Flow& flow) -> Task<void> {
    co_await flow.run("a", [] {});
    flow.compensate("undo", [] {});
    co_await flow.wait("w", "e");
  });
  const auto id = begin_flow();
  watcher().await(id, "flow_step_opened", 2);
  EXPECT_EQ(outcome_of(restart({.instance_id = id, .from = {}})), "refused TokenInvalidTransition");
  EXPECT_EQ(outcome_of(cancel(id)), "");
  await_end(id);
  EXPECT_EQ(outcome_of(restart({.instance_id = id, .from = {RestartPoint::Kind::failure}})),
            "refused NothingToRetry");
  EXPECT_EQ(outcome_of(restart({.instance_id = id, .from = {RestartPoint::Kind::step, "x"}})),
            "not_found NotFound");
  EXPECT_EQ(outcome_of(restart({.instance_id = id, .from = {RestartPoint::Kind::step, "undo"}})),
            "refused BadModification");
  EXPECT_EQ(outcome_of(restart({.instance_id = 999'999, .from = {}})), "not_found NotFound");
  const auto again = restart_from(id, "w");
  watcher().await(again, "flow_step_opened", 2);
  send(again, "e");
  await_end(again);
  EXPECT_EQ(status_of(again), InstanceStatus::completed);
}

// ---- skipping ---------------------------------------------------------------------------------

TEST_F(RepairTest, AStepThatIsSkippedGivesWhatTheOperatorSays) {
  host([&](Flow& flow) -> Task<int> {
    const int a = co_await flow.run("flaky", [&]() -> int {
      world.did("flaky");
      throw StepError("Busy", "try later");
    });
    co_return a + co_await flow.wait<int>("event", "e");
  });
  const auto id = begin_flow();
  watcher().await(id, "flow_attempt_failed");
  EXPECT_EQ(outcome_of(skip(id, "flaky", Value(40))), "");
  const auto audit = last_audit();
  EXPECT_EQ(audit.action, "skip_step");
  EXPECT_EQ(audit.details, Value(Object{{"step", "flaky"}, {"result", 40}, {"reason", "broken"}}));
  watcher().await(id, "flow_step_opened", 2);
  EXPECT_EQ(outcome_of(skip(id, "event", Value(2))), "");
  await_end(id);
  EXPECT_EQ(output(id), Value(42));
  EXPECT_THAT(world.done(), ElementsAre("flaky"));
  EXPECT_THAT(steps(id), ElementsAre("flaky completed 1", "event completed 1"));
  EXPECT_EQ(record(id).rows.timers.slots().front().row.status, facts::TimerStatus::cancelled);
  EXPECT_EQ(outcome_of(skip(id, "event")), "refused InstanceFinished");
}

TEST_F(RepairTest, WhatTheCallbackOfASkippedStepReportsIsNotHeard) {
  Gate gate;
  gate.close();
  host([&](Flow& flow) -> Task<int> {
    const int a = co_await flow.run("outer", [&](Flow& in) -> Task<int> {
      const int slow = co_await in.run("slow", [&] {
        gate.pass();
        return 1;
      });
      co_await in.wait("w", "e");
      co_return slow;
    });
    co_return a;
  });
  const auto id = begin_flow();
  gate.await_arrivals(1);
  EXPECT_EQ(outcome_of(skip(id, "outer", Value(0))), "refused BadModification");
  EXPECT_EQ(outcome_of(skip(id, "slow", Value(42))), "");
  watcher().await(id, "flow_step_opened", 3);
  gate.open();
  settle();
  send(id, "e");
  await_end(id);
  EXPECT_EQ(output(id), Value(42));
  EXPECT_EQ(status_of(id), InstanceStatus::completed);
  EXPECT_THAT(incidents(id), IsEmpty());
}

TEST_F(RepairTest, ASleepThatIsSkippedHasNotFired) {
  host([](Flow& flow) -> Task<void> { co_await flow.sleep("nap", 24h); });
  const auto id = begin_flow();
  watcher().await(id, "flow_step_opened");
  EXPECT_EQ(outcome_of(skip(id, "nap")), "");
  await_end(id);
  EXPECT_EQ(record(id).rows.timers.slots().front().row.status, facts::TimerStatus::cancelled);
}

TEST_F(RepairTest, TheChildOfASkippedCallIsCancelled) {
  host({code_of(
            "flow", 1,
            [](Flow& flow) -> Task<int> { co_return co_await flow.call<int>("child", "waiting"); }),
        code_of("waiting", 1, [](Flow& flow) -> Task<void> { co_await flow.wait("w", "e"); })});
  const auto id = begin_flow();
  watcher().await(kNoKey, "flow_step_opened", 2);
  const auto child = *reader().steps(id).value().front().called_instance_id;
  EXPECT_EQ(outcome_of(skip(id, "child", Value(9))), "");
  await_end(id);
  EXPECT_EQ(output(id), Value(9));
  watcher().await(child, "flow_ended");
  EXPECT_EQ(status_of(child), InstanceStatus::cancelled);
}

} // namespace
} // namespace perdure::engine
