// The life of a run from its start to its end, with pauses and cancellations on the way.
#include <atomic>

#include "flows/flow_fixture.h"

namespace perdure::engine {
namespace {

using namespace std::chrono_literals;
using facts::InstanceStatus;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

Task<Value> echo_after_event(Flow& flow, Value input) { // NOLINT: a coroutine owns its input
  co_await flow.wait("w", "go");
  co_return input;
}

class LifeCycleTest : public FlowTest {
protected:
  Answer<Started> start_with_id(const std::string& id, Value variables = Object{}) {
    return try_start({.process_id = "flow",
                      .business_key = id,
                      .unique_business_key = true,
                      .variables = std::move(variables)});
  }
  Answer<Done> cancel_for(Key id, std::optional<std::string> reason) {
    return ask<Done>([&](auto reply) {
      engine().cancel({.instance_id = id, .reason = std::move(reason)}, std::move(reply));
    });
  }
  std::optional<std::string> reason_of(Key id) { return record(id).rows.instance.end_reason; }
  void host_echo() {
    host({code_of("flow", 1, [](Flow& flow, Value input) -> Task<std::optional<Value>> {
      co_return co_await echo_after_event(flow, std::move(input));
    })});
  }
};

TEST_F(LifeCycleTest, ARunThatSucceedsIsToldByItsFacts) {
  host([](Flow& flow) -> Task<void> { co_await flow.run("a", [] {}); });
  const auto id = rested_flow();
  EXPECT_THAT(story(id), ElementsAre("instance_started", "flow_placed", "flow_begun",
                                     "flow_step_opened", "flow_step_ended", "flow_ended"));
  const auto& instance = record(id).rows.instance;
  EXPECT_EQ(instance.status, InstanceStatus::completed);
  EXPECT_EQ(instance.created_at, clock().now());
  EXPECT_EQ(instance.end_reason, std::nullopt);
  expect_nothing_left(id);
}

TEST_F(LifeCycleTest, PausesStandBetweenStartAndEnd) {
  host_echo();
  const auto id = rested_flow();
  EXPECT_EQ(outcome_of(pause(id)), "");
  EXPECT_EQ(status_of(id), InstanceStatus::paused);
  EXPECT_EQ(outcome_of(resume(id)), "");
  EXPECT_EQ(status_of(id), InstanceStatus::running);
  send(id, "go");
  rest();
  EXPECT_THAT(story(id), ElementsAre("instance_started", "flow_placed", "flow_begun",
                                     "flow_step_opened", "instance_paused", "instance_resumed",
                                     "flow_step_ended", "flow_step_heard", "flow_ended"));
}

TEST_F(LifeCycleTest, AnExceptionOutsideAnyStepFailsTheRun) {
  host([](Flow& flow) -> Task<void> {
    co_await flow.run("a", [] {});
    throw std::runtime_error("nobody expected this");
  });
  const auto id = rested_flow();
  EXPECT_EQ(status_of(id), InstanceStatus::failed);
  EXPECT_EQ(reason_of(id), "std::runtime_error: nobody expected this");
  EXPECT_THAT(steps(id), ElementsAre("a completed 1"));
}

TEST_F(LifeCycleTest, SoDoesOneThatIsNoStdException) {
  host([](Flow&) -> Task<void> {
    throw 7; // NOLINT: users do
    co_return;
  });
  const auto id = rested_flow();
  EXPECT_EQ(status_of(id), InstanceStatus::failed);
  EXPECT_THAT(reason_of(id).value_or(""), HasSubstr("Unknown"));
}

TEST_F(LifeCycleTest, TheSecondStartWithAnIdReturnsTheFirstRunAndChangesNothing) {
  host_echo();
  const auto first = start_with_id("o-1", Object{{"n", 1}});
  rest();
  const auto before = story(first->instance_id);
  const auto second = start_with_id("o-1", Object{{"n", 2}});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().existing_id, first->instance_id);
  EXPECT_THAT(instances(), SizeIs(1));
  EXPECT_EQ(record(first->instance_id).rows.instance.input, Value(Object{{"n", 1}}));
  EXPECT_EQ(story(first->instance_id), before);
  send(first->instance_id, "go");
  rest();
  EXPECT_EQ(output(first->instance_id), Value(Object{{"n", 1}}));
  const auto third = start_with_id("o-1", Object{{"n", 3}});
  EXPECT_EQ(third.error().existing_id, first->instance_id) << "also when the run has ended";
  EXPECT_EQ(status_of(first->instance_id), InstanceStatus::completed);
  EXPECT_THAT(instances(), SizeIs(1));
}

TEST_F(LifeCycleTest, EveryLifeOfARunSeesTheInputThatItBeganWith) {
  std::mutex mutex;
  std::vector<Value> seen;
  Options options;
  options.flows.resident = 0;
  host({code_of("flow", 1,
                [&](Flow& flow, Value input) -> Task<std::optional<Value>> {
                  {
                    const std::lock_guard lock(mutex);
                    seen.push_back(input);
                  }
                  co_await flow.wait("a", "a");
                  co_await flow.wait("b", "b");
                  co_return std::nullopt;
                })},
       options);
  const auto id = rested_flow(Object{{"n", 1}});
  send(id, "a");
  rest();
  send(id, "b");
  rest();
  EXPECT_EQ(status_of(id), InstanceStatus::completed);
  ASSERT_GE(seen.size(), 3U);
  for (const auto& input : seen)
    EXPECT_EQ(input, Value(Object{{"n", 1}}));
}

TEST_F(LifeCycleTest, AnInputOfNothingIsKeptToo) {
  host_echo();
  const auto id = rested_flow();
  EXPECT_EQ(record(id).rows.instance.input, Value(Object{}));
}

TEST_F(LifeCycleTest, ACancelledRunKeepsTheReason) {
  host_echo();
  const auto with = rested_flow();
  EXPECT_EQ(outcome_of(cancel_for(with, "not wanted any more")), "");
  EXPECT_EQ(status_of(with), InstanceStatus::cancelled);
  EXPECT_EQ(reason_of(with), "not wanted any more");
  expect_nothing_left(with);
  const auto without = rested_flow();
  EXPECT_EQ(outcome_of(cancel_for(without, std::nullopt)), "");
  EXPECT_EQ(status_of(without), InstanceStatus::cancelled);
  EXPECT_EQ(reason_of(without), std::nullopt);
}

TEST_F(LifeCycleTest, ARunThatNobodyHasBegunIsCancelled) {
  host_echo();
  rest();
  end();
  create(); // whose process does not define it: nobody begins it
  begin();
  const auto id = rested_flow();
  EXPECT_THAT(story(id), ElementsAre("instance_started", "flow_placed"));
  EXPECT_EQ(outcome_of(cancel_for(id, "a mistake")), "");
  EXPECT_EQ(status_of(id), InstanceStatus::cancelled);
  EXPECT_EQ(reason_of(id), "a mistake");
  EXPECT_THAT(story(id), ElementsAre("instance_started", "flow_placed", "flow_ended"));
  expect_nothing_left(id);
}

TEST_F(LifeCycleTest, ARunIsCancelledWhilePaused) {
  host_echo();
  const auto id = rested_flow();
  EXPECT_EQ(outcome_of(pause(id)), "");
  EXPECT_EQ(outcome_of(cancel(id)), "");
  rest();
  EXPECT_EQ(status_of(id), InstanceStatus::cancelled);
  expect_nothing_left(id);
}

TEST_F(LifeCycleTest, TheCodeSeesACancellationAtItsNextStepAndCannotSwallowIt) {
  std::atomic<int> after = 0;
  std::atomic<int> caught = 0;
  host([&](Flow& flow) -> Task<int> {
    co_await flow.run("a", [] {});
    flow.compensate("undo a", [] {}); // so that the code is told
    try {
      co_await flow.wait("w", "go");
    } catch (...) {
      ++caught;
    }
    co_await flow.run("b", [&] { ++after; });
    co_return 1;
  });
  const auto id = rested_flow();
  EXPECT_EQ(outcome_of(cancel_for(id, "enough")), "");
  rest();
  EXPECT_EQ(status_of(id), InstanceStatus::cancelled);
  EXPECT_EQ(reason_of(id), "enough");
  EXPECT_EQ(caught, 1);
  EXPECT_EQ(after, 0);
  EXPECT_THAT(steps(id), ElementsAre("a completed 1", "w cancelled 1", "undo a completed 1"));
}

TEST_F(LifeCycleTest, ASecondCancellationWhileTheFirstIsUnderWayChangesNothing) {
  Gate gate;
  gate.close();
  host([&](Flow& flow) -> Task<void> {
    co_await flow.run("a", [] {});
    flow.compensate("undo a", [&gate] { gate.pass(); });
    co_await flow.wait("w", "go");
  });
  const auto id = rested_flow();
  EXPECT_EQ(outcome_of(cancel_for(id, "first")), "");
  gate.await_arrivals(1);
  EXPECT_EQ(outcome_of(cancel_for(id, "second")), "");
  gate.open();
  rest();
  EXPECT_EQ(status_of(id), InstanceStatus::cancelled);
  EXPECT_EQ(reason_of(id), "first");
  EXPECT_THAT(steps(id), ElementsAre("a completed 1", "w cancelled 1", "undo a completed 1"));
}

TEST_F(LifeCycleTest, APauseHasAnEffectFromRunningOnly) {
  host_echo();
  const auto id = rested_flow();
  EXPECT_EQ(outcome_of(pause(id)), "");
  const auto once = story(id);
  EXPECT_EQ(outcome_of(pause(id)), "");
  EXPECT_EQ(story(id), once);
  EXPECT_EQ(outcome_of(resume(id)), "");
  send(id, "go");
  rest();
  const auto ended = story(id);
  EXPECT_EQ(outcome_of(pause(id)), "") << "a run that has ended is not running";
  EXPECT_EQ(story(id), ended);
  EXPECT_EQ(status_of(id), InstanceStatus::completed);
}

TEST_F(LifeCycleTest, AResumeOfWhatIsNotPausedNamesBothStates) {
  host_echo();
  const auto id = rested_flow();
  const auto running = resume(id);
  ASSERT_FALSE(running);
  EXPECT_THAT(running.error().message, HasSubstr("running"));
  EXPECT_THAT(running.error().message, HasSubstr("paused"));
  send(id, "go");
  rest();
  const auto completed = resume(id);
  ASSERT_FALSE(completed);
  EXPECT_THAT(completed.error().message, HasSubstr("completed"));
  EXPECT_THAT(completed.error().message, HasSubstr("paused"));
}

TEST_F(LifeCycleTest, NoTimerRunsWhileARunIsPaused) {
  host([](Flow& flow) -> Task<void> { co_await flow.sleep("nap", 1h); });
  const auto id = rested_flow();
  EXPECT_EQ(outcome_of(pause(id)), "");
  pass(Duration(10 * 3'600'000));
  EXPECT_EQ(status_of(id), InstanceStatus::paused);
  EXPECT_THAT(steps(id), ElementsAre("nap waiting 1"));
  EXPECT_EQ(outcome_of(resume(id)), "");
  rest();
  EXPECT_EQ(status_of(id), InstanceStatus::completed);
}

TEST_F(LifeCycleTest, APauseDuringABackOffHoldsTheNextAttempt) {
  std::atomic<int> calls = 0;
  host([&calls](Flow& flow) -> Task<void> {
    co_await flow.run("call", [&calls] {
      if (++calls == 1) throw StepError("Busy", "try later");
    });
  });
  const auto id = rested_flow();
  EXPECT_EQ(outcome_of(pause(id)), "");
  pass(Duration(60'000));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(outcome_of(resume(id)), "");
  rest();
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(status_of(id), InstanceStatus::completed);
}

TEST_F(LifeCycleTest, APausedRunOutlivesItsProcess) {
  host_echo();
  const auto id = rested_flow(Object{{"n", 1}});
  EXPECT_EQ(outcome_of(pause(id)), "");
  send(id, "go");
  rest();
  crash();
  host_echo();
  rest();
  EXPECT_EQ(status_of(id), InstanceStatus::paused);
  EXPECT_THAT(steps(id), ElementsAre("w waiting 1"));
  EXPECT_EQ(outcome_of(resume(id)), "");
  rest();
  EXPECT_EQ(status_of(id), InstanceStatus::completed);
  EXPECT_EQ(output(id), Value(Object{{"n", 1}}));
}

TEST_F(LifeCycleTest, ACallbackThatEndsWhileItsRunIsPausedIsNotLost) {
  Gate gate;
  gate.close();
  Options options;
  options.flows.resident = 0;
  host(
      [&gate](Flow& flow) -> Task<int> {
        co_return co_await flow.run("a", [&gate] {
          gate.pass();
          return 5;
        });
      },
      options);
  const auto id = begin_flow();
  gate.await_arrivals(1);
  EXPECT_EQ(outcome_of(pause(id)), "");
  gate.open();
  rest();
  EXPECT_EQ(status_of(id), InstanceStatus::paused);
  EXPECT_EQ(outcome_of(resume(id)), "");
  rest();
  EXPECT_EQ(output(id), Value(5));
  EXPECT_EQ(gate.arrived(), 1);
}

} // namespace
} // namespace perdure::engine
