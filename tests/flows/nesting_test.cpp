// Runs with steps in them, and branches side by side.
#include <atomic>

#include "flows/flow_fixture.h"

namespace perdure::engine {
namespace {

using namespace std::chrono_literals;
using facts::AttemptState;
using facts::InstanceStatus;
using testing::ElementsAre;
using testing::SizeIs;

class NestingTest : public FlowTest {
protected:
  /// "step < run around it"
  std::vector<std::string> parents(Key id) {
    std::vector<std::string> lines;
    const auto rows = reader().steps(id).value();
    for (const auto& step : rows) {
      std::string line = step.slug;
      for (const auto& other : rows) {
        if (step.parent_step_id == other.id) line += " < " + other.slug;
      }
      lines.push_back(std::move(line));
    }
    return lines;
  }
  std::vector<AttemptState> states(Key id, std::string_view step) {
    std::vector<AttemptState> list;
    for (const auto& attempt : attempts_of(id, step))
      list.push_back(attempt.state);
    return list;
  }
};

TEST_F(NestingTest, ParentsChainOverThreeLevels) {
  host([](Flow& flow) -> Task<int> {
    co_await flow.run("one", [](Flow& one) -> Task<int> {
      co_return co_await one.run("two", [](Flow& two) -> Task<int> {
        co_await two.sleep("nap", 1s);
        co_await two.wait("w", "go");
        co_return co_await two.run("three", [] { return 3; });
      });
    });
    co_return co_await flow.run("root", [] { return 4; });
  });
  const auto id = rested_flow();
  pass(Duration(1'000));
  send(id, "go");
  rest();
  EXPECT_EQ(output(id), Value(4));
  EXPECT_THAT(parents(id),
              ElementsAre("one", "two < one", "nap < two", "w < two", "three < two", "root"));
  EXPECT_EQ(step_of(id, "one").output, Value(3));
  EXPECT_EQ(step_of(id, "two").output, Value(3));
}

TEST_F(NestingTest, AWaitInsideARunIsNoFailureOfIt) {
  host([](Flow& flow) -> Task<int> {
    co_return co_await flow.run(
        "outer", [](Flow& in) -> Task<int> { co_return co_await in.wait<int>("w", "paid"); });
  });
  const auto id = rested_flow();
  EXPECT_THAT(steps(id), ElementsAre("outer running 1", "w waiting 1"));
  EXPECT_THAT(states(id, "outer"), ElementsAre(AttemptState::started));
  pass(Duration(24 * 3'600'000));
  EXPECT_THAT(states(id, "outer"), ElementsAre(AttemptState::started));
  send(id, "paid", Object{{"payload", 6}});
  rest();
  EXPECT_EQ(output(id), Value(6));
  EXPECT_THAT(states(id, "outer"), ElementsAre(AttemptState::succeeded));
}

TEST_F(NestingTest, ABackOffOfAnInnerRunIsNoFailureOfTheOuter) {
  std::atomic<int> calls = 0;
  host([&calls](Flow& flow) -> Task<int> {
    co_return co_await flow.run("outer", [&calls](Flow& in) -> Task<int> {
      co_return co_await in.run("inner", [&calls] {
        if (++calls < 3) throw StepError("Busy", "try later");
        return 8;
      });
    });
  });
  const auto id = rested_flow();
  pass(Duration(250));
  pass(Duration(500));
  EXPECT_EQ(output(id), Value(8));
  EXPECT_THAT(states(id, "outer"), ElementsAre(AttemptState::succeeded));
  EXPECT_THAT(states(id, "inner"),
              ElementsAre(AttemptState::failed, AttemptState::failed, AttemptState::succeeded));
}

TEST_F(NestingTest, AnInnerRunThatIsExhaustedFailsTheOuterAndTheFlow) {
  host([](Flow& flow) -> Task<void> {
    co_await flow.run("outer", [](Flow& in) -> Task<void> {
      co_await in.run("inner", [] { throw StepError("Busy", "try later"); }, {.max_attempts = 2});
    });
  });
  const auto id = rested_flow();
  pass(Duration(250));
  EXPECT_EQ(status_of(id), InstanceStatus::failed);
  EXPECT_EQ(record(id).rows.instance.end_reason, "Busy: try later");
  EXPECT_THAT(steps(id), ElementsAre("outer failed 1 Busy", "inner failed 2 Busy"));
  EXPECT_EQ(attempts_of(id, "outer").front().error_name, "Busy");
  EXPECT_EQ(attempts_of(id, "outer").front().next_attempt_at, std::nullopt);
  expect_nothing_left(id);
}

TEST_F(NestingTest, SoDoesOneThatIsNotToBeRetried) {
  host([](Flow& flow) -> Task<void> {
    co_await flow.run("outer", [](Flow& in) -> Task<void> {
      co_await in.run("inner", [] { throw NonRetryable("no funds", "Declined"); });
    });
  });
  const auto id = rested_flow();
  EXPECT_EQ(status_of(id), InstanceStatus::failed);
  EXPECT_THAT(steps(id), ElementsAre("outer failed 1 Declined", "inner failed 1 Declined"));
}

TEST_F(NestingTest, AnOuterThatThrowsAfterItsInnerSucceededLeavesThatSucceeded) {
  std::atomic<int> inner = 0;
  host([&inner](Flow& flow) -> Task<void> {
    co_await flow.run("outer",
                      [&inner](Flow& in) -> Task<void> {
                        co_await in.run("inner", [&inner] { return ++inner; });
                        throw StepError("Own", "my own trouble");
                      },
                      {.max_attempts = 2});
  });
  const auto id = rested_flow();
  EXPECT_THAT(steps(id), ElementsAre("outer pending 1", "inner completed 1"));
  pass(Duration(250));
  EXPECT_EQ(status_of(id), InstanceStatus::failed);
  EXPECT_THAT(steps(id), ElementsAre("outer failed 2 Own", "inner completed 1"));
  EXPECT_EQ(step_of(id, "outer").error_message, "my own trouble");
  EXPECT_EQ(step_of(id, "inner").output, Value(1));
  EXPECT_EQ(inner, 1) << "the second try of the outer has its result";
}

TEST_F(NestingTest, AnOuterMayCatchWhatItsInnerThrows) {
  host([](Flow& flow) -> Task<std::string> {
    co_return co_await flow.run("outer", [](Flow& in) -> Task<std::string> {
      try {
        co_await in.run("inner", [] { throw NonRetryable("no", "Declined"); });
      } catch (const StepFailed& failed) {
        co_return failed.step() + " " + failed.name() + " " + failed.what();
      }
      co_return "";
    });
  });
  const auto id = rested_flow();
  EXPECT_EQ(output(id), Value("inner Declined no"));
}

TEST_F(NestingTest, BranchesWithNestedRunsHaveParentsOfTheirOwn) {
  host([](Flow& flow) -> Task<int> {
    const auto branch = [&flow](std::string name) {
      return flow.run("outer " + name, [name](Flow& in) -> Task<int> {
        co_return co_await in.run("inner " + name, [] { return 1; });
      });
    };
    auto [a, b] = co_await flow.all(branch("a"), branch("b"));
    co_return a + b;
  });
  const auto id = rested_flow();
  EXPECT_EQ(output(id), Value(2));
  EXPECT_THAT(parents(id), testing::UnorderedElementsAre("outer a", "inner a < outer a", "outer b",
                                                         "inner b < outer b"));
  for (const auto& attempt : attempts(id))
    EXPECT_EQ(attempt.state, AttemptState::succeeded);
}

TEST_F(NestingTest, AllOfARunAndAWaitStaysRunningUntilTheEvent) {
  host([](Flow& flow) -> Task<int> {
    auto [a, b] = co_await flow.all(flow.run("a", [] { return 1; }), flow.wait<int>("w", "e"));
    co_return a + b;
  });
  const auto id = rested_flow();
  EXPECT_EQ(status_of(id), InstanceStatus::running);
  EXPECT_THAT(steps(id), ElementsAre("a completed 1", "w waiting 1"));
  send(id, "e", Object{{"payload", 2}});
  rest();
  EXPECT_EQ(output(id), Value(3));
}

TEST_F(NestingTest, NobodyGoesOnPastAWaitByCatchingEverything) {
  std::atomic<int> caught = 0;
  host([&caught](Flow& flow) -> Task<void> {
    try {
      co_await flow.all(flow.wait("w", "e"), flow.run("a", [] { throw NonRetryable("no"); }));
    } catch (...) {
      ++caught;
    }
    try {
      co_await flow.wait("last", "e");
    } catch (...) {
      ++caught;
    }
  });
  const auto id = rested_flow();
  EXPECT_EQ(status_of(id), InstanceStatus::running);
  EXPECT_EQ(caught, 1) << "the failure of the branch, and no suspension";
  EXPECT_THAT(steps(id), ElementsAre("w cancelled 1", "a failed 1 NonRetryable", "last waiting 1"));
}

TEST_F(NestingTest, ALoserIsCancelledAndRecordedWhileItsCallbackRuns) {
  Gate gate;
  gate.close();
  std::atomic<bool> stopped = false;
  host([&](Flow& flow) -> Task<int> {
    auto first =
        co_await flow.any(flow.wait<int>("event", "e"), flow.run("slow", [&](std::stop_token stop) {
          gate.pass();
          stopped = stop.stop_requested();
          return 1;
        }));
    co_return std::get<0>(first);
  });
  const auto id = begin_flow();
  gate.await_arrivals(1);
  send(id, "e", Object{{"payload", 5}});
  watcher().await(id, "flow_step_dropped");
  EXPECT_THAT(steps(id), ElementsAre("event completed 1", "slow cancelled 1"));
  EXPECT_EQ(status_of(id), InstanceStatus::running) << "what the branch began has not ended";
  gate.open();
  rest();
  EXPECT_TRUE(stopped);
  EXPECT_EQ(output(id), Value(5));
  EXPECT_EQ(step_of(id, "slow").output, std::nullopt) << "what it gave afterwards counts no more";
  expect_nothing_left(id);
}

TEST_F(NestingTest, LosersWhoseCallbacksWereCutOffDoNotHoldTheRunUp) {
  Gate gate;
  gate.close();
  const auto code = [&](Flow& flow) -> Task<int> {
    const auto slow = [&gate] {
      gate.pass();
      return 1;
    };
    auto first = co_await flow.any(flow.wait<int>("event", "e"), flow.run("slow 1", slow),
                                   flow.run("slow 2", slow), flow.run("slow 3", slow));
    co_return std::get<0>(first);
  };
  host(code);
  const auto id = begin_flow();
  gate.await_arrivals(3);
  send(id, "e", Object{{"payload", 5}});
  watcher().await(id, "flow_step_dropped", 3);
  faults().dead = true;
  gate.open();
  crash();
  host(code);
  pass_grace();
  EXPECT_EQ(output(id), Value(5));
  EXPECT_THAT(steps(id), ElementsAre("event completed 1", "slow 1 cancelled 1",
                                     "slow 2 cancelled 1", "slow 3 cancelled 1"));
  expect_nothing_left(id);
}

TEST_F(NestingTest, TheFirstFailureOfAllCancelsTheOthers) {
  host([](Flow& flow) -> Task<void> {
    co_await flow.all(flow.sleep("nap", 24h), flow.wait("w", "e"),
                      flow.run("bad", [] { throw NonRetryable("no", "Declined"); }));
  });
  const auto id = rested_flow();
  EXPECT_EQ(status_of(id), InstanceStatus::failed);
  EXPECT_EQ(record(id).rows.instance.end_reason, "Declined: no");
  EXPECT_THAT(steps(id), ElementsAre("nap cancelled 1", "w cancelled 1", "bad failed 1 Declined"));
  expect_nothing_left(id);
}

TEST_F(NestingTest, ThousandsOfBranches) {
  constexpr int kBranches = 3'000;
  host([](Flow& flow) -> Task<int> {
    const auto branch = [&flow](int number) {
      return [&flow, number]() -> Task<int> {
        const auto name = std::to_string(number);
        const int a = co_await flow.run("a" + name, [number] { return number; });
        co_return a + co_await flow.run("b" + name, [] { return 1; });
      };
    };
    std::vector<decltype(branch(0))> branches;
    for (int i = 0; i < kBranches; ++i)
      branches.push_back(branch(i));
    const auto all = co_await flow.all(std::move(branches));
    int sum = 0;
    for (const auto one : all)
      sum += one;
    co_return sum;
  });
  const auto id = rested_flow();
  EXPECT_EQ(output(id), Value(kBranches * (kBranches - 1) / 2 + kBranches));
  const auto rows = reader().steps(id).value();
  EXPECT_THAT(rows, SizeIs(2 * kBranches));
  for (const auto& step : rows)
    ASSERT_EQ(step.status, facts::StepStatus::completed) << step.slug;
}

} // namespace
} // namespace perdure::engine
