// What a flow does, seen in the rows.
#include <atomic>

#include "flows/flow_fixture.h"

namespace perdure::engine {
namespace {

using namespace std::chrono_literals;
using facts::AttemptState;
using facts::InstanceStatus;
using testing::ElementsAre;

TEST_F(FlowTest, RunsItsStepsAndKeepsWhatTheyGave) {
  host([](Flow& flow) -> Task<int> {
    const auto a = co_await flow.run("a", [] { return 20; });
    const auto b = co_await flow.run("b", [] { return 22; });
    co_await flow.run("log", [] {});
    co_return a + b;
  });
  const auto id = run_flow(Object{{"order", "o-17"}});
  EXPECT_EQ(status_of(id), InstanceStatus::completed);
  EXPECT_EQ(output(id), Value(42));
  EXPECT_THAT(steps(id), ElementsAre("a completed 1", "b completed 1", "log completed 1"));
  const auto rows = reader().steps(id).value();
  EXPECT_EQ(rows[0].type, facts::StepType::run);
  EXPECT_EQ(rows[0].output, Value(20));
  EXPECT_EQ(rows[2].output_type, facts::OutputType::none);
  EXPECT_EQ(record(id).rows.instance.input, Value(Object{{"order", "o-17"}}));
  EXPECT_EQ(record(id).rows.flow_runs.slots().front().row.unheard, 0);
}

TEST_F(FlowTest, SleepsWithoutATimerButTheRow) {
  host([](Flow& flow) -> Task<void> {
    co_await flow.sleep("a month", 30 * 24h);
    co_await flow.run("after", [] {});
  });
  const auto id = begin_flow();
  watcher().await(id, "flow_step_opened");
  const auto timer = record(id).rows.timers.slots().front().row;
  EXPECT_EQ(timer.status, facts::TimerStatus::scheduled);
  EXPECT_EQ(timer.due_at - timer.created_at, Duration(30LL * 24 * 3'600'000));
  EXPECT_EQ(record(id).rows.tokens.slots().front().row.state, facts::TokenState::waiting);
  advance(Duration(30LL * 24 * 3'600'000 - 1));
  settle();
  EXPECT_THAT(steps(id), ElementsAre("a month waiting 1"));
  advance(Duration(1));
  await_end(id);
  EXPECT_THAT(steps(id), ElementsAre("a month completed 1", "after completed 1"));
  EXPECT_EQ(record(id).rows.timers.slots().front().row.status, facts::TimerStatus::fired);
}

TEST_F(FlowTest, TakesAnEventThatComesAndOneThatCameBefore) {
  host([](Flow& flow) -> Task<int> {
    const int first = co_await flow.wait<int>("first", "paid");
    const int second = co_await flow.wait<int>("second", "shipped");
    co_return first * 10 + second;
  });
  const auto id = begin_flow();
  watcher().await(id, "flow_step_opened");
  send(id, "shipped", Object{{"payload", 2}});
  send(id, "paid", Object{{"payload", 4}});
  await_end(id);
  EXPECT_EQ(output(id), Value(42));
  EXPECT_THAT(steps(id), ElementsAre("first completed 1", "second completed 1"));
}

TEST_F(FlowTest, AWaitTimesOutOnceAndTheCodeMayCatchIt) {
  host([](Flow& flow) -> Task<std::string> {
    auto paid = co_await flow.wait<int>("pay", "paid", {.timeout = 1h}).outcome();
    if (paid.timed_out()) co_return "late";
    co_return "paid";
  });
  const auto id = begin_flow();
  watcher().await(id, "flow_step_opened");
  advance(Duration(3'600'000));
  await_end(id);
  EXPECT_EQ(output(id), Value("late"));
  EXPECT_THAT(steps(id), ElementsAre("pay failed 1 TimedOut"));
  const auto rows = record(id).rows;
  EXPECT_EQ(rows.subscriptions.slots().front().row.state, facts::SubscriptionState::cancelled);
  EXPECT_EQ(rows.timers.slots().front().row.status, facts::TimerStatus::fired);
}

TEST_F(FlowTest, TriesAgainWithThePausesOfTheLadder) {
  std::atomic<int> calls = 0;
  host([&calls](Flow& flow) -> Task<int> {
    co_return co_await flow.run("flaky", [&calls] {
      if (++calls < 3) throw StepError("Busy", "try later");
      return 7;
    });
  });
  const auto id = begin_flow();
  watcher().await(id, "flow_attempt_failed");
  auto attempt = attempts(id).front();
  EXPECT_EQ(attempt.state, AttemptState::failed);
  EXPECT_EQ(attempt.error_name, "Busy");
  EXPECT_EQ(*attempt.next_attempt_at - *attempt.ended_at, Duration(250));
  EXPECT_EQ(record(id).rows.steps.slots().front().row.status, facts::StepStatus::pending);
  advance(Duration(250));
  watcher().await(id, "flow_attempt_failed", 2);
  advance(Duration(500));
  await_end(id);
  EXPECT_EQ(output(id), Value(7));
  EXPECT_THAT(attempt_states(id),
              ElementsAre(AttemptState::failed, AttemptState::failed, AttemptState::succeeded));
}

TEST_F(FlowTest, AnErrorThatIsNotToBeRetriedFailsStepAndFlow) {
  host([](Flow& flow) -> Task<void> {
    co_await flow.run("charge", [] { throw NonRetryable("no funds", "CardDeclined"); });
  });
  const auto id = run_flow();
  EXPECT_EQ(status_of(id), InstanceStatus::failed);
  EXPECT_EQ(record(id).rows.instance.end_reason, "CardDeclined: no funds");
  EXPECT_THAT(steps(id), ElementsAre("charge failed 1 CardDeclined"));
  EXPECT_EQ(attempts(id).front().next_attempt_at, std::nullopt);
}

TEST_F(FlowTest, StepsInsideARunNameItAsTheirParent) {
  host([](Flow& flow) -> Task<int> {
    co_return co_await flow.run("outer", [](Flow& in) -> Task<int> {
      co_await in.sleep("nap", 1s);
      co_return co_await in.run("inner", [] { return 5; });
    });
  });
  const auto id = begin_flow();
  watcher().await(id, "flow_step_opened", 2);
  EXPECT_THAT(steps(id), ElementsAre("outer running 1", "nap waiting 1"));
  advance(Duration(1'000));
  await_end(id);
  const auto rows = reader().steps(id).value();
  EXPECT_EQ(rows[1].parent_step_id, rows[0].id);
  EXPECT_EQ(rows[2].parent_step_id, rows[0].id);
  EXPECT_EQ(rows[0].output, Value(5));
}

TEST_F(FlowTest, BranchesRunSideBySideAndALoserIsCancelled) {
  host([](Flow& flow) -> Task<int> {
    auto [a, b] =
        co_await flow.all(flow.run("a", [] { return 1; }), flow.run("b", [] { return 2; }));
    auto first = co_await flow.any(flow.wait<int>("event", "e"), flow.sleep("timeout", 24h));
    co_return a + b + std::get<0>(first);
  });
  const auto id = begin_flow();
  watcher().await(id, "flow_step_opened", 4);
  send(id, "e", Object{{"payload", 39}});
  await_end(id);
  EXPECT_EQ(output(id), Value(42));
  EXPECT_THAT(steps(id), ElementsAre("a completed 1", "b completed 1", "event completed 1",
                                     "timeout cancelled 1"));
}

TEST_F(FlowTest, ACancelledFlowUndoesWhatItDid) {
  std::vector<std::string> done;
  host([&done](Flow& flow) -> Task<void> {
    co_await flow.run("book", [&done] { done.emplace_back("book"); });
    flow.compensate("unbook", [&done] { done.emplace_back("unbook"); });
    co_await flow.wait("end", "e");
  });
  const auto id = begin_flow();
  watcher().await(id, "flow_step_opened", 2);
  EXPECT_EQ(outcome_of(cancel(id)), "");
  await_end(id);
  EXPECT_EQ(status_of(id), InstanceStatus::cancelled);
  EXPECT_THAT(done, ElementsAre("book", "unbook"));
  EXPECT_THAT(steps(id), ElementsAre("book completed 1", "end cancelled 1", "unbook completed 1"));
  EXPECT_EQ(record(id).rows.compensations.slots().front().row.status,
            facts::CompensationStatus::completed);
}

TEST_F(FlowTest, ACancelledFlowWithNothingToUndoEndsAtOnce) {
  host([](Flow& flow) -> Task<void> { co_await flow.wait("end", "e"); });
  const auto id = begin_flow();
  watcher().await(id, "flow_step_opened");
  EXPECT_EQ(outcome_of(cancel(id)), "");
  EXPECT_EQ(status_of(id), InstanceStatus::cancelled);
  EXPECT_THAT(steps(id), ElementsAre("end cancelled 1"));
  EXPECT_EQ(outcome_of(cancel(id)), "refused InstanceFinished");
}

TEST_F(FlowTest, WhatHappensToAPausedFlowWaitsUntilItIsResumed) {
  host([](Flow& flow) -> Task<int> { co_return co_await flow.wait<int>("w", "e"); });
  const auto id = begin_flow();
  watcher().await(id, "flow_step_opened");
  EXPECT_EQ(outcome_of(resume(id)), "refused TokenInvalidTransition");
  EXPECT_EQ(outcome_of(pause(id)), "");
  EXPECT_EQ(outcome_of(pause(id)), "");
  send(id, "e", Object{{"payload", 5}});
  settle();
  EXPECT_EQ(status_of(id), InstanceStatus::paused);
  EXPECT_THAT(steps(id), ElementsAre("w waiting 1"));
  EXPECT_EQ(outcome_of(resume(id)), "");
  await_end(id);
  EXPECT_EQ(output(id), Value(5));
}

TEST_F(FlowTest, AStepThatComesWhileItIsPausedIsTriedWhenItIsResumed) {
  Gate gate;
  gate.close();
  host([&gate](Flow& flow) -> Task<void> {
    co_await flow.run("a", [&gate] { gate.pass(); });
    co_await flow.run("b", [] {});
  });
  const auto id = begin_flow();
  gate.await_arrivals(1);
  EXPECT_EQ(outcome_of(pause(id)), "");
  gate.open();
  watcher().await(id, "flow_step_opened", 2);
  EXPECT_THAT(steps(id), ElementsAre("a completed 1", "b pending 0"));
  EXPECT_EQ(outcome_of(resume(id)), "");
  await_end(id);
  EXPECT_THAT(steps(id), ElementsAre("a completed 1", "b completed 1"));
}

TEST_F(FlowTest, GoesOnAfterTheProcessWasKilled) {
  std::atomic<int> done = 0;
  Gate gate;
  const auto code = [&](Flow& flow) -> Task<int> {
    const int a = co_await flow.run("a", [&done] { return ++done; });
    co_await flow.sleep("nap", 1h);
    const int b = co_await flow.run("b", [&done] { return ++done; });
    co_return a * 10 + b;
  };
  host(code);
  const auto id = begin_flow();
  watcher().await(id, "flow_step_opened", 2);
  crash();
  host(code);
  advance(Duration(3'600'000));
  await_end(id);
  EXPECT_EQ(output(id), Value(12));
  EXPECT_THAT(steps(id), ElementsAre("a completed 1", "nap completed 1", "b completed 1"));
}

TEST_F(FlowTest, AnAttemptThatWasCutOffIsInterruptedAndCounts) {
  std::atomic<int> calls = 0;
  Gate gate;
  gate.close();
  const auto code = [&](Flow& flow) -> Task<int> {
    co_return co_await flow.run("a", [&] {
      gate.pass();
      return ++calls;
    });
  };
  host(code);
  const auto id = begin_flow();
  gate.await_arrivals(1);
  faults().dead = true;
  gate.open();
  crash();
  host(code);
  watcher().await(id, "flow_attempt_failed");
  EXPECT_THAT(attempt_states(id), ElementsAre(AttemptState::interrupted));
  advance(Duration(250));
  await_end(id);
  EXPECT_THAT(attempt_states(id), ElementsAre(AttemptState::interrupted, AttemptState::succeeded));
  EXPECT_EQ(output(id), Value(2));
}

TEST_F(FlowTest, ARunsThatWaitGoFromMemoryAndComeBack) {
  Options options;
  options.flows.resident = 2;
  host(
      [](Flow& flow) -> Task<int> {
        const int a = co_await flow.run("a", [] { return 40; });
        co_return a + co_await flow.wait<int>("w", "e");
      },
      options);
  std::vector<Key> ids;
  for (int i = 0; i < 20; ++i)
    ids.push_back(begin_flow());
  for (const auto id : ids)
    watcher().await(id, "flow_step_opened", 2);
  for (const auto id : ids)
    send(id, "e", Object{{"payload", 2}});
  for (const auto id : ids) {
    await_end(id);
    EXPECT_EQ(output(id), Value(42));
  }
}

TEST_F(FlowTest, CodeThatPartsFromItsHistoryParksTheRunAndShowsTheDifference) {
  const auto code = [](const char* name) {
    return [name](Flow& flow) -> Task<void> {
      co_await flow.run(name, [] {});
      co_await flow.wait("w", "e");
    };
  };
  host(code("reserve"));
  const auto id = begin_flow();
  watcher().await(id, "flow_step_opened", 2);
  end();
  host(code("hold"));
  send(id, "e");
  watcher().await(id, "incident_opened");
  const auto incident = incidents(id).front();
  EXPECT_EQ(incident.kind, facts::IncidentKind::flow_diverged);
  EXPECT_EQ(incident.details,
            Value(Object{{"asked", "run \"hold\""}, {"recorded", "run \"reserve\""}}));
  EXPECT_EQ(status_of(id), InstanceStatus::running);
  end();
  host(code("reserve"));
  EXPECT_EQ(outcome_of(retry(id)), "");
  await_end(id);
  EXPECT_EQ(status_of(id), InstanceStatus::completed);
}

TEST_F(FlowTest, RunsStayOnTheVersionThatTheyBeganWith) {
  const auto code = [](int version, int result) {
    return code_of("flow", version, [result](Flow& flow) -> Task<int> {
      co_await flow.wait("w", "e");
      co_return result;
    });
  };
  host({code(1, 1)});
  const auto old = begin_flow();
  watcher().await(old, "flow_step_opened");
  end();
  host({code(1, 1), code(2, 2)});
  const auto fresh = begin_flow();
  watcher().await(fresh, "flow_step_opened");
  send(old, "e");
  send(fresh, "e");
  await_end(old);
  await_end(fresh);
  EXPECT_EQ(output(old), Value(1));
  EXPECT_EQ(output(fresh), Value(2));
}

TEST_F(FlowTest, ARunWhoseVersionNobodyDefinesWaitsForOneWhoDoes) {
  const auto code = [](int version) {
    return code_of("flow", version, [](Flow& flow) -> Task<void> { co_await flow.wait("w", "e"); });
  };
  host({code(1)});
  const auto id = begin_flow();
  watcher().await(id, "flow_step_opened");
  end();
  host({code(2)});
  send(id, "e");
  watcher().await(id, "flow_step_ended");
  EXPECT_EQ(status_of(id), InstanceStatus::running);
  EXPECT_EQ(record(id).rows.tokens.slots().front().row.state, facts::TokenState::ready);
  end();
  host({code(1), code(2)});
  pass_grace();
  await_end(id);
  EXPECT_EQ(status_of(id), InstanceStatus::completed);
}

TEST_F(FlowTest, CallsAFlowAndHearsItsEnd) {
  host({code_of("flow", 1,
                [](Flow& flow) -> Task<int> {
                  const int a = co_await flow.call<int>("child", "twice", Object{{"number", 4}});
                  auto bad = co_await flow.call<int>("bad", "failing").outcome();
                  co_return a + (bad.failed() && bad.error_name() == "Broken" ? 100 : 0);
                }),
        code_of("twice", 1,
                [](Flow&, Value input) -> Task<std::optional<Value>> {
                  co_return Value(2 * *input.find("number")->as<std::int64_t>());
                }),
        code_of("failing", 1, [](Flow& flow) -> Task<void> {
          co_await flow.run("x", [] { throw NonRetryable("no", "Broken"); });
        })});
  const auto id = run_flow();
  EXPECT_EQ(output(id), Value(108));
  EXPECT_THAT(steps(id), ElementsAre("child completed 1", "bad failed 1 Broken"));
}

TEST_F(FlowTest, GoesOnAsANewRun) {
  host([](Flow& flow, Value input) -> Task<std::optional<Value>> {
    const auto left = *input.find("left")->as<std::int64_t>();
    co_await flow.run("work", [] {});
    if (left > 0) co_await flow.continue_as_new(Object{{"left", left - 1}});
    co_return Value("done");
  });
  const auto id = run_flow(Object{{"left", 2}});
  watcher().await(kNoKey, "flow_ended", 3);
  const auto all = instances();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(status_of(id), InstanceStatus::completed);
  EXPECT_EQ(output(*std::ranges::max_element(all)), Value("done"));
}

TEST_F(FlowTest, AttributesAreVariablesOfTheRun) {
  host([](Flow& flow) -> Task<void> {
    flow.set_attribute("customer", std::string("c-1"));
    co_await flow.run("a", [] {});
  });
  const auto id = run_flow();
  EXPECT_EQ(*record(id).rows.scopes.slots().front().row.variables.find("customer"), Value("c-1"));
}

TEST_F(FlowTest, AnAttributeCannotTakeThePlaceOfTheResult) {
  std::atomic<int> ends = 0;
  host([&ends](Flow& flow) -> Task<int> {
    try {
      flow.set_attribute("output", std::string("c-1"));
    } catch (const NonRetryable& wrong) {
      flow.set_attribute("said", std::string(wrong.what()));
    }
    if (ends++ == 0) flow.set_attribute("output", 2);
    co_return 7;
  });
  const auto failed = run_flow();
  EXPECT_EQ(status_of(failed), InstanceStatus::failed);
  EXPECT_THAT(record(failed).rows.instance.end_reason.value_or(""),
              testing::HasSubstr("An attribute cannot be named \"output\""));
  EXPECT_EQ(output(failed), Value());
  const auto good = run_flow();
  EXPECT_EQ(status_of(good), InstanceStatus::completed);
  EXPECT_EQ(output(good), Value(7));
  EXPECT_THAT(
      *record(good).rows.scopes.slots().front().row.variables.find("said")->as<std::string>(),
      testing::HasSubstr("choose another one"));
  for (const auto id : {failed, good})
    EXPECT_EQ(std::ranges::count(story(id), "flow_attribute_set"), 1);
}

} // namespace
} // namespace perdure::engine
