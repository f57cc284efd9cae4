// Events that come early, late, twice, while a run is paused, and never.
#include <atomic>

#include "flows/flow_fixture.h"

namespace perdure::engine {
namespace {

using namespace std::chrono_literals;
using facts::InstanceStatus;
using facts::OutputType;
using facts::SubscriptionState;
using testing::ElementsAre;

class EventTest : public FlowTest {
protected:
  static Value payload(Value value) { return Object{{"payload", std::move(value)}}; }
  std::vector<SubscriptionState> subscriptions(Key id) {
    std::vector<SubscriptionState> states;
    const auto rows = record(id).rows;
    for (const auto& slot : rows.subscriptions.slots())
      states.push_back(slot.row.state);
    return states;
  }
};

TEST_F(EventTest, OneThatCameEarlierSatisfiesTheWaitWhenThatBegins) {
  host([](Flow& flow) -> Task<Value> {
    co_await flow.sleep("nap", 1min);
    co_return co_await flow.wait<Value>("w", "paid");
  });
  const auto id = rested_flow();
  send(id, "paid", payload(Object{{"amount", 5}}));
  rest();
  EXPECT_THAT(steps(id), ElementsAre("nap waiting 1"));
  pass(Duration(60'000));
  EXPECT_EQ(output(id), Value(Object{{"amount", 5}}));
  EXPECT_EQ(step_of(id, "w").output, Value(Object{{"amount", 5}}));
  EXPECT_THAT(steps(id), ElementsAre("nap completed 1", "w completed 1"));
  expect_nothing_left(id);
}

TEST_F(EventTest, SeveralThatCameEarlierAreTakenInTheirOrder) {
  host([](Flow& flow) -> Task<std::string> {
    co_await flow.sleep("nap", 1min);
    std::string all;
    for (int i = 1; i <= 3; ++i)
      all += co_await flow.wait<std::string>("w" + std::to_string(i), "said");
    co_return all;
  });
  const auto id = rested_flow();
  for (const auto* text : {"a", "b", "c"})
    send(id, "said", payload(text));
  pass(Duration(60'000));
  EXPECT_EQ(output(id), Value("abc"));
}

TEST_F(EventTest, TheStepThatWaitsLongestHasIt) {
  host([](Flow& flow) -> Task<std::string> {
    auto [a, b] = co_await flow.all(flow.wait<std::string>("first", "said"),
                                    flow.wait<std::string>("second", "said"));
    co_return a + b;
  });
  const auto id = rested_flow();
  send(id, "said", payload("1"));
  rest();
  EXPECT_THAT(steps(id), ElementsAre("first completed 1", "second waiting 1"));
  EXPECT_THAT(subscriptions(id),
              ElementsAre(SubscriptionState::triggered, SubscriptionState::open));
  send(id, "said", payload("2"));
  rest();
  EXPECT_EQ(output(id), Value("12"));
}

TEST_F(EventTest, OneOfAnotherNameOrOfAnotherRunIsNotTaken) {
  host([](Flow& flow) -> Task<void> { co_await flow.wait("w", "paid"); });
  const auto first = rested_flow();
  const auto second = rested_flow();
  send(first, "shipped");
  send(second, "paid");
  rest();
  EXPECT_EQ(status_of(first), InstanceStatus::running);
  EXPECT_EQ(status_of(second), InstanceStatus::completed);
}

TEST_F(EventTest, NoPayloadAndAPayloadOfNullStayApart) {
  host([](Flow& flow) -> Task<void> {
    const auto none = co_await flow.wait<std::optional<Value>>("none", "a");
    const auto null = co_await flow.wait<std::optional<Value>>("null", "b");
    co_await flow.run("keep none", [none] { return none; });
    co_await flow.run("keep null", [null] { return null; });
  });
  const auto id = rested_flow();
  send(id, "a");
  send(id, "b", payload(Value()));
  rest();
  for (const auto* step : {"none", "keep none"}) {
    EXPECT_EQ(step_of(id, step).output_type, OutputType::none) << step;
    EXPECT_EQ(step_of(id, step).output, std::nullopt) << step;
  }
  for (const auto* step : {"null", "keep null"}) {
    EXPECT_EQ(step_of(id, step).output_type, OutputType::json) << step;
    EXPECT_EQ(step_of(id, step).output, Value()) << step;
  }
  EXPECT_EQ(attempts_of(id, "keep none").front().result_type, OutputType::none);
  EXPECT_EQ(attempts_of(id, "keep null").front().result_type, OutputType::json);
}

TEST_F(EventTest, ATimeoutThatIsPastAlreadyNeedsNoEvent) {
  host([](Flow& flow) -> Task<void> { co_await flow.wait("w", "paid", {.timeout = -1h}); });
  const auto id = rested_flow();
  EXPECT_EQ(status_of(id), InstanceStatus::failed);
  EXPECT_THAT(steps(id), ElementsAre("w failed 1 TimedOut"));
  expect_nothing_left(id);
}

TEST_F(EventTest, ATimeoutOfNothingStillTakesWhatCameEarlier) {
  host([](Flow& flow) -> Task<int> {
    co_await flow.sleep("nap", 1s);
    co_return co_await flow.wait<int>("w", "paid", {.timeout = 0ms});
  });
  const auto id = rested_flow();
  send(id, "paid", payload(3));
  pass(Duration(1'000));
  EXPECT_EQ(output(id), Value(3));
}

TEST_F(EventTest, ATimeoutThatNobodyCatchesFailsTheRun) {
  host([](Flow& flow) -> Task<void> { co_await flow.wait("w", "paid", {.timeout = 1h}); });
  const auto id = rested_flow();
  pass(Duration(3'599'999));
  EXPECT_EQ(status_of(id), InstanceStatus::running);
  pass(Duration(1));
  EXPECT_EQ(status_of(id), InstanceStatus::failed);
  EXPECT_THAT(record(id).rows.instance.end_reason.value_or(""), testing::HasSubstr("TimedOut"));
  expect_nothing_left(id);
}

TEST_F(EventTest, AnEventAfterTheTimeoutComesTooLate) {
  host([](Flow& flow) -> Task<std::string> {
    auto paid = co_await flow.wait<int>("w", "paid", {.timeout = 1h}).outcome();
    co_await flow.sleep("nap", 1h);
    co_return paid.timed_out() ? "late" : "paid";
  });
  const auto id = rested_flow();
  pass(Duration(3'600'000));
  send(id, "paid", payload(1));
  rest();
  EXPECT_THAT(steps(id), ElementsAre("w failed 1 TimedOut", "nap waiting 1"));
  pass(Duration(3'600'000));
  EXPECT_EQ(output(id), Value("late"));
}

TEST_F(EventTest, ATimeoutAndTheWaitOutliveTheProcess) {
  const auto code = [](Flow& flow) -> Task<std::string> {
    try {
      co_await flow.wait("w", "paid", {.timeout = 1h});
    } catch (const TimedOut& late) {
      co_return late.step() + " is late";
    }
    co_return "paid";
  };
  host(code);
  const auto late = rested_flow();
  const auto early = rested_flow();
  const auto due = record(late).rows.timers.slots().front().row.due_at;
  crash();
  host(code);
  send(early, "paid");
  rest();
  EXPECT_EQ(output(early), Value("paid"));
  EXPECT_EQ(record(late).rows.timers.slots().front().row.due_at, due);
  pass(Duration(3'600'000));
  EXPECT_EQ(output(late), Value("w is late"));
  expect_nothing_left(early);
  expect_nothing_left(late);
}

TEST_F(EventTest, SideEffectsBeforeAWaitAreNotRepeatedAfterTheProcessDied) {
  std::atomic<int> done = 0;
  const auto code = [&done](Flow& flow) -> Task<int> {
    co_await flow.run("a", [&done] { ++done; });
    const int paid = co_await flow.wait<int>("w", "paid");
    co_await flow.run("b", [&done] { ++done; });
    co_return paid;
  };
  host(code);
  const auto id = rested_flow();
  crash();
  host(code);
  send(id, "paid", payload(9));
  rest();
  EXPECT_EQ(output(id), Value(9));
  EXPECT_EQ(done, 2);
  EXPECT_THAT(steps(id), ElementsAre("a completed 1", "w completed 1", "b completed 1"));
}

TEST_F(EventTest, WhatComesToAPausedRunIsTakenWhenItIsResumed) {
  host([](Flow& flow) -> Task<void> {
    const auto a = co_await flow.wait<std::optional<Value>>("w1", "a");
    const auto b = co_await flow.wait<std::optional<Value>>("w2", "b");
    co_await flow.run("keep", [a, b] { return a ? std::optional<Value>() : b; });
  });
  const auto id = rested_flow();
  EXPECT_EQ(outcome_of(pause(id)), "");
  send(id, "b", payload(7));
  send(id, "a");
  rest();
  EXPECT_THAT(steps(id), ElementsAre("w1 waiting 1"));
  EXPECT_EQ(outcome_of(resume(id)), "");
  rest();
  EXPECT_EQ(status_of(id), InstanceStatus::completed);
  EXPECT_EQ(step_of(id, "w1").output_type, OutputType::none);
  EXPECT_EQ(step_of(id, "keep").output, Value(7));
}

TEST_F(EventTest, AnEventWhoseWaitWasCancelledGoesToTheNextOne) {
  host([](Flow& flow) -> Task<int> {
    auto first = co_await flow.any(flow.wait<int>("loser", "paid"), flow.sleep("short", 1s));
    co_return co_await flow.wait<int>("next", "paid") + static_cast<int>(first.index()) * 10;
  });
  const auto id = rested_flow();
  pass(Duration(1'000));
  send(id, "paid", payload(4));
  rest();
  EXPECT_EQ(output(id), Value(14));
  EXPECT_THAT(steps(id), ElementsAre("loser cancelled 1", "short completed 1", "next completed 1"));
}

TEST_F(EventTest, APayloadOfAnotherTypeParksTheRunAndSaysWhatIsWrong) {
  host([](Flow& flow) -> Task<int> { co_return co_await flow.wait<int>("w", "paid"); });
  const auto id = rested_flow();
  send(id, "paid", payload("five"));
  rest();
  EXPECT_EQ(status_of(id), InstanceStatus::running);
  const auto open = incidents(id);
  ASSERT_EQ(open.size(), 1U);
  EXPECT_EQ(open.front().kind, facts::IncidentKind::flow_diverged);
  EXPECT_THAT(open.front().message, testing::HasSubstr("w"));
  end();
  host([](Flow& flow) -> Task<std::string> {
    co_return co_await flow.wait<std::string>("w", "paid");
  });
  EXPECT_EQ(outcome_of(retry(id)), "");
  rest();
  EXPECT_EQ(output(id), Value("five"));
}

TEST_F(EventTest, WhatARunNeverWaitedForIsForgottenWithIt) {
  host([](Flow& flow) -> Task<void> { co_await flow.wait("w", "paid"); });
  const auto id = rested_flow();
  const auto other = rested_flow();
  const auto send_again = [&](Key to) {
    const auto sent = ask<Correlated>([&](auto reply) {
      engine().send_message({.name = "unheard of",
                             .correlation_key = key_text(to),
                             .variables = Object{},
                             .message_id = "m-" + key_text(to)},
                            std::move(reply));
    });
    EXPECT_TRUE(sent);
    return sent && sent->repeated;
  };
  EXPECT_FALSE(send_again(id));
  EXPECT_FALSE(send_again(other));
  send(id, "paid");
  rest();
  EXPECT_EQ(status_of(id), InstanceStatus::completed);
  EXPECT_FALSE(send_again(id)) << "the first one is gone";
  EXPECT_TRUE(send_again(other));
}

TEST_F(EventTest, ASleepOfNothingAndOneUntilThePastEndAtOnce) {
  host([](Flow& flow) -> Task<void> {
    co_await flow.sleep("zero", 0ms);
    co_await flow.sleep("past", flow.now() - 24h);
  });
  const auto id = rested_flow();
  EXPECT_EQ(status_of(id), InstanceStatus::completed);
  EXPECT_THAT(steps(id), ElementsAre("zero completed 1", "past completed 1"));
}

TEST_F(EventTest, ASleepKeepsItsFirstWakeTime) {
  const auto code = [](Flow& flow) -> Task<void> { co_await flow.sleep("nap", 1h); };
  host(code);
  const auto id = rested_flow();
  const auto due = record(id).rows.timers.slots().front().row.due_at;
  crash();
  pass_unhosted(Duration(1'800'000));
  host(code);
  rest();
  EXPECT_EQ(record(id).rows.timers.slots().front().row.due_at, due);
  pass(Duration(1'800'000));
  EXPECT_EQ(status_of(id), InstanceStatus::completed);
  EXPECT_EQ(step_of(id, "nap").completed_at, due);
}

} // namespace
} // namespace perdure::engine
