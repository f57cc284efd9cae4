// How a run is tried again, and what its attempts leave in the rows.
#include <atomic>

#include "flows/flow_fixture.h"

namespace perdure::engine {
namespace {

using namespace std::chrono_literals;
using facts::AttemptState;
using facts::InstanceStatus;
using facts::OutputType;
using testing::ElementsAre;
using testing::SizeIs;

/// A flow of one run that always fails.
auto failing(RunOptions options, std::function<int()> callback) {
  return [options, callback](Flow& flow) -> Task<int> {
    co_return co_await flow.run("call", callback, options);
  };
}

int busy() { throw StepError("Busy", "try later"); }

class RetryTest : public FlowTest {
protected:
  /// Pauses between the attempts; -1: none follows.
  std::vector<std::int64_t> pauses(Key id) {
    std::vector<std::int64_t> list;
    for (const auto& attempt : attempts_of(id, "call")) {
      list.push_back(
          attempt.next_attempt_at ? (*attempt.next_attempt_at - *attempt.ended_at).count() : -1);
    }
    return list;
  }
  /// Lets time pass until the flow has ended.
  void exhaust(Key id) {
    for (int i = 0; i < 30 && !facts::is_terminal(status_of(id)); ++i)
      pass(Duration(10'000));
  }
};

TEST_F(RetryTest, ThreeAttemptsUnlessSaidOtherwise) {
  host(failing({}, busy));
  const auto id = rested_flow();
  EXPECT_EQ(step_of(id, "call").max_attempts, 3);
  exhaust(id);
  EXPECT_THAT(pauses(id), ElementsAre(250, 500, -1));
  EXPECT_EQ(status_of(id), InstanceStatus::failed);
  EXPECT_EQ(record(id).rows.instance.end_reason, "Busy: try later");
  EXPECT_THAT(steps(id), ElementsAre("call failed 3 Busy"));
  expect_nothing_left(id);
}

TEST_F(RetryTest, TheLadderDoublesUpToTenSecondsAndStaysThere) {
  host(failing({.max_attempts = 10}, busy));
  const auto id = rested_flow();
  EXPECT_EQ(step_of(id, "call").max_attempts, 10);
  exhaust(id);
  EXPECT_THAT(pauses(id),
              ElementsAre(250, 500, 1'000, 2'000, 4'000, 8'000, 10'000, 10'000, 10'000, -1));
  std::int64_t number = 0;
  for (const auto& attempt : attempts_of(id, "call")) {
    EXPECT_EQ(attempt.number, ++number);
    EXPECT_EQ(attempt.state, AttemptState::failed);
    EXPECT_EQ(attempt.error_name, "Busy");
    EXPECT_EQ(attempt.error_message, "try later");
    EXPECT_EQ(attempt.result_type, OutputType::none);
  }
}

TEST_F(RetryTest, AnAttemptBeginsAtItsTimeAndNotBefore) {
  host(failing({.max_attempts = 2, .initial = 7s}, busy));
  const auto id = rested_flow();
  pass(Duration(6'999));
  EXPECT_THAT(attempts_of(id, "call"), SizeIs(1));
  EXPECT_EQ(step_of(id, "call").status, facts::StepStatus::pending);
  pass(Duration(1));
  const auto attempts = attempts_of(id, "call");
  ASSERT_THAT(attempts, SizeIs(2));
  EXPECT_EQ(attempts[1].started_at, attempts[0].next_attempt_at);
}

TEST_F(RetryTest, AStepMayHaveAPolicyOfItsOwn) {
  host(failing({.max_attempts = 4, .initial = 10ms, .factor = 3, .cap = 50ms}, busy));
  const auto id = rested_flow();
  exhaust(id);
  EXPECT_THAT(pauses(id), ElementsAre(10, 30, 50, -1));
}

TEST_F(RetryTest, OneAttemptIsAllThatOneAttemptGives) {
  host(failing({.max_attempts = 1}, busy));
  const auto id = rested_flow();
  EXPECT_THAT(pauses(id), ElementsAre(-1));
  EXPECT_EQ(status_of(id), InstanceStatus::failed);
}

TEST_F(RetryTest, AnErrorThatIsNotToBeRetriedHasOneAttempt) {
  host(failing({.max_attempts = 5}, []() -> int { throw NonRetryable("no funds", "Declined"); }));
  const auto id = rested_flow();
  EXPECT_THAT(pauses(id), ElementsAre(-1));
  EXPECT_THAT(steps(id), ElementsAre("call failed 1 Declined"));
  EXPECT_EQ(attempts_of(id, "call").front().error_name, "Declined");
  EXPECT_EQ(record(id).rows.instance.end_reason, "Declined: no funds");
}

TEST_F(RetryTest, NamesOfErrorsThatAreNotRetried) {
  std::atomic<int> calls = 0;
  host(failing({.max_attempts = 5, .non_retryable = {"Gone", "Declined"}}, [&calls]() -> int {
    if (++calls == 1) throw StepError("Busy", "try later");
    throw StepError("Declined", "no funds");
  }));
  const auto id = rested_flow();
  pass(Duration(250));
  EXPECT_EQ(status_of(id), InstanceStatus::failed);
  EXPECT_THAT(pauses(id), ElementsAre(250, -1));
  EXPECT_EQ(attempts_of(id, "call")[0].error_name, "Busy");
  EXPECT_EQ(attempts_of(id, "call")[1].error_name, "Declined");
}

TEST_F(RetryTest, OtherExceptionsHaveTheNamesOfTheirTypes) {
  std::atomic<int> calls = 0;
  host(failing({}, [&calls]() -> int {
    switch (++calls) {
      case 1: throw std::out_of_range("too far");
      case 2: throw 5;                    // NOLINT: users do
      default: throw std::string("text"); // NOLINT
    }
  }));
  const auto id = rested_flow();
  exhaust(id);
  const auto attempts = attempts_of(id, "call");
  ASSERT_THAT(attempts, SizeIs(3));
  EXPECT_EQ(attempts[0].error_name, "std::out_of_range");
  EXPECT_EQ(attempts[0].error_message, "too far");
  EXPECT_EQ(attempts[1].error_name, "Unknown");
  EXPECT_EQ(attempts[2].error_name, "Unknown");
  EXPECT_FALSE(attempts[2].error_message->empty());
  EXPECT_EQ(status_of(id), InstanceStatus::failed);
}

TEST_F(RetryTest, AFailureAndThenASuccessAreTwoAttempts) {
  std::atomic<int> calls = 0;
  host(failing({}, [&calls] { return ++calls == 1 ? busy() : 7; }));
  const auto id = rested_flow();
  pass(Duration(250));
  EXPECT_EQ(output(id), Value(7));
  const auto attempts = attempts_of(id, "call");
  ASSERT_THAT(attempts, SizeIs(2));
  EXPECT_EQ(attempts[0].state, AttemptState::failed);
  EXPECT_EQ(attempts[1].state, AttemptState::succeeded);
  EXPECT_EQ(attempts[1].result, Value(7));
  EXPECT_EQ(attempts[1].error_name, std::nullopt);
  EXPECT_EQ(step_of(id, "call").error_name, std::nullopt);
  expect_nothing_left(id);
}

TEST_F(RetryTest, ABackOffOutlivesTheProcess) {
  const auto code = failing({.max_attempts = 2, .initial = 1min, .cap = 1min}, busy);
  host(code);
  const auto id = rested_flow();
  const auto next = attempts_of(id, "call").front().next_attempt_at;
  crash();
  pass_unhosted(Duration(59'999));
  host(code);
  rest();
  EXPECT_THAT(attempts_of(id, "call"), SizeIs(1));
  EXPECT_EQ(attempts_of(id, "call").front().next_attempt_at, next);
  pass(Duration(1));
  EXPECT_THAT(attempts_of(id, "call"), SizeIs(2));
  EXPECT_EQ(attempts_of(id, "call")[1].started_at, next);
}

TEST_F(RetryTest, AnInterruptedAttemptCountsAndTheLastOneFailsTheStep) {
  Gate gate;
  gate.close();
  const auto code = failing({.max_attempts = 2}, [&gate] {
    gate.pass();
    return 1;
  });
  host(code);
  const auto id = begin_flow();
  for (int life = 1; life <= 2; ++life) {
    gate.await_arrivals(life);
    faults().dead = true;
    gate.let_through(1);
    crash();
    host(code);
    if (life == 1) {
      watcher().await(id, "flow_attempt_failed");
      advance(Duration(250));
    }
  }
  rest();
  EXPECT_THAT(attempt_states(id),
              ElementsAre(AttemptState::interrupted, AttemptState::interrupted));
  EXPECT_THAT(steps(id), ElementsAre("call failed 2 Interrupted"));
  EXPECT_EQ(status_of(id), InstanceStatus::failed);
  gate.open();
}

TEST_F(RetryTest, ACancelledBackOffEndsTheRunWithoutAnotherAttempt) {
  host(failing({.max_attempts = 5}, busy));
  const auto id = rested_flow();
  EXPECT_EQ(outcome_of(cancel(id)), "");
  pass(Duration(60'000));
  EXPECT_EQ(status_of(id), InstanceStatus::cancelled);
  EXPECT_THAT(attempts_of(id, "call"), SizeIs(1));
  EXPECT_THAT(steps(id), ElementsAre("call cancelled 1"));
  expect_nothing_left(id);
}

} // namespace
} // namespace perdure::engine
