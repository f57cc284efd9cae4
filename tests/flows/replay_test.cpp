// A run that is built anew from its rows: by the same code, and by code that has changed.
#include <atomic>
#include <mutex>

#include "flows/flow_fixture.h"

namespace perdure::engine {
namespace {

using namespace std::chrono_literals;
using facts::InstanceStatus;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class ReplayTest : public FlowTest {
protected:
  /// Begins a run with one code, lets it rest, and takes it up with another.
  template <class Before, class After>
  Key change(Before before, After after) {
    host(std::move(before));
    const auto id = rested_flow();
    end();
    host(std::move(after));
    send(id, "e");
    rest();
    return id;
  }
  /// The run rests on one incident that says both; nothing of it has failed.
  void expect_parked(Key id, const std::string& asked, const std::string& recorded) {
    EXPECT_EQ(status_of(id), InstanceStatus::running);
    const auto found = incidents(id);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found.front().kind, facts::IncidentKind::flow_diverged);
    EXPECT_EQ(found.front().state, facts::IncidentState::open);
    EXPECT_EQ(found.front().details, Value(Object{{"asked", asked}, {"recorded", recorded}}));
    EXPECT_THAT(found.front().message, AllOf(HasSubstr(asked), HasSubstr(recorded)));
    for (const auto& step : reader().steps(id).value())
      EXPECT_NE(step.status, facts::StepStatus::failed) << step.slug;
  }
  /// With the old code it goes on where it was.
  template <class Code>
  void expect_mended_by(Key id, Code code) {
    end();
    host(std::move(code));
    EXPECT_EQ(outcome_of(retry(id)), "");
    rest();
    EXPECT_EQ(status_of(id), InstanceStatus::completed);
  }
};

Task<void> two_runs(Flow& flow) {
  co_await flow.run("a", [] {});
  co_await flow.run("b", [] {});
  co_await flow.wait("w", "e");
}

TEST_F(ReplayTest, AStepOfAnotherNameParksTheRun) {
  const auto id = change(two_runs, [](Flow& flow) -> Task<void> {
    co_await flow.run("a", [] {});
    co_await flow.run("B", [] {});
    co_await flow.wait("w", "e");
  });
  expect_parked(id, "run \"B\"", "run \"b\"");
  expect_mended_by(id, two_runs);
}

TEST_F(ReplayTest, AStepOfAnotherTypeParksTheRun) {
  const auto id = change(two_runs, [](Flow& flow) -> Task<void> {
    co_await flow.run("a", [] {});
    co_await flow.sleep("b", 1s);
    co_await flow.wait("w", "e");
  });
  expect_parked(id, "sleep \"b\"", "run \"b\"");
  expect_mended_by(id, two_runs);
}

TEST_F(ReplayTest, StepsInAnotherOrderParkTheRun) {
  const auto id = change(two_runs, [](Flow& flow) -> Task<void> {
    co_await flow.run("b", [] {});
    co_await flow.run("a", [] {});
    co_await flow.wait("w", "e");
  });
  expect_parked(id, "run \"b\"", "run \"a\"");
  expect_mended_by(id, two_runs);
}

TEST_F(ReplayTest, AMissingStepParksTheRun) {
  const auto id = change(two_runs, [](Flow& flow) -> Task<void> {
    co_await flow.run("a", [] {});
    co_await flow.wait("w", "e");
  });
  expect_parked(id, "wait \"w\" for event \"e\"", "run \"b\"");
  expect_mended_by(id, two_runs);
}

TEST_F(ReplayTest, AnExtraStepParksTheRun) {
  const auto id = change(two_runs, [](Flow& flow) -> Task<void> {
    co_await flow.run("a", [] {});
    co_await flow.run("between", [] {});
    co_await flow.run("b", [] {});
    co_await flow.wait("w", "e");
  });
  expect_parked(id, "run \"between\"", "run \"b\"");
  expect_mended_by(id, two_runs);
}

TEST_F(ReplayTest, AWaitForAnotherEventParksTheRun) {
  const auto id = change(two_runs, [](Flow& flow) -> Task<void> {
    co_await flow.run("a", [] {});
    co_await flow.run("b", [] {});
    co_await flow.wait("w", "other");
  });
  expect_parked(id, "wait \"w\" for event \"other\"", "wait \"w\" for event \"e\"");
  expect_mended_by(id, two_runs);
}

TEST_F(ReplayTest, CodeThatEndsEarlierParksTheRun) {
  const auto id = change(two_runs, [](Flow& flow) -> Task<void> { co_await flow.run("a", [] {}); });
  EXPECT_EQ(status_of(id), InstanceStatus::running);
  ASSERT_THAT(incidents(id), SizeIs(1));
  expect_mended_by(id, two_runs);
}

TEST_F(ReplayTest, AStepMovedIntoARunParksTheRun) {
  const auto id = change(two_runs, [](Flow& flow) -> Task<void> {
    co_await flow.run("a", [](Flow& in) -> Task<void> { co_await in.run("b", [] {}); });
    co_await flow.wait("w", "e");
  });
  EXPECT_EQ(status_of(id), InstanceStatus::running);
  ASSERT_THAT(incidents(id), SizeIs(1));
  expect_mended_by(id, two_runs);
}

TEST_F(ReplayTest, WhatIsBehindTheEndOfTheHistoryMayChange) {
  const auto id = change(two_runs, [](Flow& flow) -> Task<void> {
    co_await flow.run("a", [] {});
    co_await flow.run("b", [] {});
    co_await flow.wait("w", "e");
    co_await flow.run("more", [] {});
  });
  EXPECT_EQ(status_of(id), InstanceStatus::completed);
  EXPECT_THAT(incidents(id), IsEmpty());
}

TEST_F(ReplayTest, PoliciesOfAStepMayChange) {
  const auto code = [](std::chrono::milliseconds pause) {
    return [pause](Flow& flow) -> Task<void> {
      co_await flow.run("a", [] {}, {.max_attempts = pause.count(), .initial = pause});
      co_await flow.wait("w", "e", {.timeout = pause});
    };
  };
  const auto id = change(code(3h), code(4h));
  EXPECT_EQ(status_of(id), InstanceStatus::completed);
}

TEST_F(ReplayTest, ANameThatIsUsedTwiceParksTheRun) {
  std::atomic<int> called{0};
  host([&](Flow& flow) -> Task<void> {
    co_await flow.run("a", [&] { ++called; });
    co_await flow.run("a", [&] { ++called; });
  });
  const auto id = rested_flow();
  EXPECT_EQ(status_of(id), InstanceStatus::running);
  ASSERT_THAT(incidents(id), SizeIs(1));
  EXPECT_THAT(incidents(id).front().message, HasSubstr("\"a\""));
  EXPECT_THAT(steps(id), ElementsAre("a completed 1")); // what its callback gave is kept
  end();
  host([&](Flow& flow) -> Task<void> {
    co_await flow.run("a", [&] { ++called; });
    co_await flow.run("a2", [&] { ++called; });
  });
  EXPECT_EQ(outcome_of(retry(id)), "");
  rest();
  EXPECT_EQ(status_of(id), InstanceStatus::completed);
  EXPECT_EQ(called, 2);
}

TEST_F(ReplayTest, WhatACallbackOfAParkedRunGivesIsKept) {
  Gate gate;
  gate.close();
  std::atomic<bool> mended{false};
  std::atomic<int> called{0};
  host([&](Flow& flow) -> Task<int> {
    auto fast = flow.run("fast", [&mended](Flow& in) -> Task<int> {
      co_await in.run("first", [] {});
      co_await in.run(mended ? "second" : "slow", [] {});
      co_return 1;
    });
    const auto [slow, other] = co_await flow.all(flow.run("slow",
                                                          [&] {
                                                            gate.pass();
                                                            return 6 + ++called;
                                                          }),
                                                 std::move(fast));
    co_return slow + other;
  });
  const auto id = begin_flow();
  watcher().await(id, "incident_opened");
  gate.open();
  rest();
  mended = true;
  EXPECT_EQ(outcome_of(retry(id)), "");
  rest();
  EXPECT_EQ(output(id), Value(8));
  EXPECT_EQ(called, 1);
  EXPECT_THAT(attempts_of(id, "slow"), SizeIs(1));
}

TEST_F(ReplayTest, SoDoesANameOfARunThatIsUsedForAWait) {
  host([](Flow& flow) -> Task<void> {
    co_await flow.run("a", [] {});
    co_await flow.wait("a", "e");
  });
  const auto id = rested_flow();
  EXPECT_EQ(status_of(id), InstanceStatus::running);
  EXPECT_THAT(incidents(id), SizeIs(1));
}

TEST_F(ReplayTest, AParkedRunCanBeCancelled) {
  host([](Flow& flow) -> Task<void> {
    co_await flow.run("a", [] {});
    co_await flow.run("a", [] {});
  });
  const auto id = rested_flow();
  EXPECT_EQ(outcome_of(cancel(id)), "");
  rest();
  EXPECT_EQ(status_of(id), InstanceStatus::cancelled);
  EXPECT_EQ(incidents(id).front().state, facts::IncidentState::resolved);
}

TEST_F(ReplayTest, TimeAndChanceAreTheSameInEveryLife) {
  std::mutex mutex;
  std::vector<std::string> seen;
  Options options;
  options.flows.resident = 0;
  host(
      [&](Flow& flow) -> Task<std::string> {
        const auto time = flow.now().time_since_epoch().count();
        const auto text =
            std::to_string(time) + " " + std::to_string(flow.random()) + " " + flow.uuid();
        {
          const std::lock_guard lock(mutex);
          seen.push_back(text);
        }
        co_await flow.sleep("nap", 1h);
        co_await flow.wait("w", "e");
        co_return text + " " + flow.uuid();
      },
      options);
  const auto begin = clock().now();
  const auto id = rested_flow();
  pass(Duration(3'600'000));
  send(id, "e");
  rest();
  ASSERT_GE(seen.size(), 3U) << "it was evicted";
  for (const auto& text : seen)
    EXPECT_EQ(text, seen.front());
  EXPECT_TRUE(seen.front().starts_with(std::to_string(begin.time_since_epoch().count()) + " "));
  const auto last = *output(id).as<std::string>();
  EXPECT_TRUE(last.starts_with(seen.front()));
  const auto first_id = seen.front().substr(seen.front().size() - 36);
  const auto second_id = last.substr(last.size() - 36);
  EXPECT_NE(first_id, second_id);
  for (const auto& uuid : {first_id, second_id}) {
    EXPECT_EQ(uuid[14], '4');
    EXPECT_NE(std::string("89ab").find(uuid[19]), std::string::npos);
  }
}

TEST_F(ReplayTest, RunsHaveChanceOfTheirOwn) {
  host([](Flow& flow) -> Task<std::string> { co_return flow.uuid(); });
  const auto first = rested_flow();
  const auto second = rested_flow();
  EXPECT_NE(output(first), output(second));
}

TEST_F(ReplayTest, ALogLineIsWrittenOnce) {
  Options options;
  options.flows.resident = 0;
  host(
      [](Flow& flow) -> Task<void> {
        flow.log("first line");
        co_await flow.wait("w", "e");
        flow.log("second line");
        co_await flow.wait("w2", "e");
      },
      options);
  const auto id = rested_flow();
  send(id, "e");
  rest();
  send(id, "e");
  rest();
  EXPECT_EQ(status_of(id), InstanceStatus::completed);
  EXPECT_EQ(log().count("flow_log"), 2);
  EXPECT_THAT(log().text(), AllOf(HasSubstr("first line"), HasSubstr("second line")));
}

TEST_F(ReplayTest, APatchIsTakenByRunsThatComeThereLaterOnly) {
  const auto old = [](Flow& flow) -> Task<std::string> {
    co_await flow.wait("w", "e");
    co_await flow.run("old way", [] {});
    co_await flow.wait("w2", "e2");
    co_return "old";
  };
  const auto patched = [](Flow& flow) -> Task<std::string> {
    co_await flow.wait("w", "e");
    const bool is_new = flow.patched("new way");
    if (is_new) {
      co_await flow.run("new way", [] {});
    } else {
      co_await flow.run("old way", [] {});
    }
    co_await flow.wait("w2", "e2");
    co_return is_new == flow.patched("new way") ? (is_new ? "new" : "old") : "torn";
  };
  host(old);
  const auto passed = rested_flow();
  const auto waits = rested_flow();
  send(passed, "e");
  rest();
  end();
  host(patched);
  const auto fresh = rested_flow();
  send(waits, "e");
  send(fresh, "e");
  rest();
  crash();
  host(patched);
  for (const auto id : {passed, waits, fresh})
    send(id, "e2");
  rest();
  EXPECT_EQ(output(passed), Value("old"));
  EXPECT_EQ(output(waits), Value("new"));
  EXPECT_EQ(output(fresh), Value("new"));
  EXPECT_THAT(incidents(passed), IsEmpty());
}

TEST_F(ReplayTest, AnAttributeIsSetOnceAndSearched) {
  Options options;
  options.flows.resident = 0;
  host(
      [](Flow& flow) -> Task<void> {
        flow.set_attribute("customer", std::string("c-1"));
        co_await flow.wait("w", "e");
        flow.set_attribute("customer", std::string("c-2"));
        co_await flow.wait("w2", "e");
      },
      options);
  const auto id = rested_flow();
  const auto customer = [&] {
    return *record(id).rows.scopes.slots().front().row.variables.find("customer");
  };
  EXPECT_EQ(customer(), Value("c-1"));
  send(id, "e");
  rest();
  EXPECT_EQ(customer(), Value("c-2"));
  send(id, "e");
  rest();
  EXPECT_EQ(std::ranges::count(story(id), "flow_attribute_set"), 2);
}

} // namespace
} // namespace perdure::engine
