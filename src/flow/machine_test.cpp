#include "flow/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flow/test_driver.h"

namespace perdure::flow {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

std::int64_t number_of(const Driver& driver) {
  const auto end = driver.ended();
  if (!end || !end->value || !end->value->is_int()) return -1;
  return *end->value->as<std::int64_t>();
}

Task<int> three_steps(Flow& flow) {
  const auto a = co_await flow.run("a", [] { return 1; });
  co_await flow.sleep("nap", 1min);
  const auto b = co_await flow.wait<int>("paid", "payment.received", {.timeout = 24h});
  const auto c = co_await flow.run("c", [&] { return a + b; });
  co_return c;
}

TEST(Machine, RecordsWhatTheCodeDoesAndHearsInOrder) {
  Driver driver(program_of(three_steps));
  driver.begin();
  EXPECT_THAT(driver.waiting(), ElementsAre("nap"));
  driver.end("nap");
  driver.end("paid", Value(41));
  EXPECT_THAT(driver.lines(), ElementsAre("the beginning", "run \"a\"", "the result of step \"a\"",
                                          "sleep \"nap\"", "the result of step \"nap\"",
                                          "wait \"paid\" for event \"payment.received\"",
                                          "the result of step \"paid\"", "run \"c\"",
                                          "the result of step \"c\"", "the end of the flow"));
  EXPECT_EQ(number_of(driver), 42);
}

TEST(Machine, GoesOnWhereItWasHoweverOftenItIsRebuilt) {
  Driver driver(program_of(three_steps));
  driver.rebuild_always = true;
  driver.begin();
  driver.end("nap");
  driver.end("paid", Value(41));
  EXPECT_EQ(number_of(driver), 42);
  EXPECT_EQ(driver.attempts["a"], 1);
  EXPECT_EQ(driver.attempts["c"], 1);
}

TEST(Machine, NothingAndNullStayApart) {
  Driver driver(program_of([](Flow& flow) -> Task<bool> {
    const auto nothing = co_await flow.wait<std::optional<Value>>("first", "e");
    const auto null = co_await flow.wait<std::optional<Value>>("second", "e");
    co_await flow.run("void", [] {});
    co_await flow.run("null", []() -> std::optional<int> { return std::nullopt; });
    co_return !nothing.has_value() && null.has_value() && null->is_null();
  }));
  driver.begin();
  driver.end("first");
  driver.end("second", Value());
  EXPECT_EQ(driver.ended()->value, Value(true));
  std::vector<std::optional<Value>> kept;
  for (const auto& entry : driver.entries) {
    const auto* heard = std::get_if<Observation>(&entry);
    const auto* end = heard != nullptr ? std::get_if<StepEnded>(heard) : nullptr;
    if (end != nullptr) kept.push_back(end->ending.value);
  }
  EXPECT_THAT(kept, ElementsAre(std::nullopt, Value(), std::nullopt, Value()));
}

// ---- failures ---------------------------------------------------------------------------------

TEST(Machine, AStepThatFailsForGoodFailsTheFlow) {
  Driver driver(program_of([](Flow& flow) -> Task<void> {
    co_await flow.run("charge", []() -> int { throw StepError("CardDeclined", "no funds"); });
  }));
  driver.begin();
  EXPECT_EQ(driver.attempts["charge"], 3);
  const auto end = driver.ended();
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->kind, FlowEnded::Kind::failed);
  EXPECT_EQ(end->error_name, "CardDeclined");
  EXPECT_EQ(end->error_message, "no funds");
}

TEST(Machine, ANonRetryableErrorIsTheLast) {
  Driver driver(program_of([](Flow& flow) -> Task<void> {
    co_await flow.run("by-type", [] { throw NonRetryable("gone"); });
  }));
  driver.begin();
  EXPECT_EQ(driver.attempts["by-type"], 1);
  Driver named(program_of([](Flow& flow) -> Task<void> {
    co_await flow.run("by-name", [] { throw std::out_of_range("x"); },
                      {.non_retryable = {"std::out_of_range"}});
  }));
  named.begin();
  EXPECT_EQ(named.attempts["by-name"], 1);
  EXPECT_EQ(named.ended()->error_name, "std::out_of_range");
}

TEST(Machine, AFailureAndATimeoutCanBeCaught) {
  Driver driver(program_of([](Flow& flow) -> Task<std::string> {
    std::string seen;
    try {
      co_await flow.run("bad", [] { throw NonRetryable("gone"); });
    } catch (const StepFailed& failed) {
      seen += failed.step() + "/" + failed.name() + "/" + failed.what();
    }
    try {
      co_await flow.wait<int>("late", "e", {.timeout = 1s});
    } catch (const TimedOut& late) {
      seen += " " + late.step();
    }
    auto again = co_await flow.wait<int>("later", "e", {.timeout = 1s}).outcome();
    if (again.timed_out()) seen += " outcome";
    auto good = co_await flow.wait<int>("good", "e").outcome();
    if (good.succeeded()) seen += std::to_string(std::move(good).value());
    co_return seen;
  }));
  driver.rebuild_always = true;
  driver.begin();
  driver.time_out("late");
  driver.time_out("later");
  driver.end("good", Value(7));
  EXPECT_EQ(driver.ended()->value, Value("bad/NonRetryable/gone late outcome7"));
}

TEST(Machine, ATimeoutThatNobodyCatchesFailsTheFlow) {
  Driver driver(program_of(three_steps));
  driver.begin();
  driver.end("nap");
  driver.time_out("paid");
  EXPECT_EQ(driver.ended()->kind, FlowEnded::Kind::failed);
  EXPECT_EQ(driver.ended()->error_name, "TimedOut");
}

TEST(Machine, AnExceptionOutsideAStepFailsTheFlow) {
  Driver driver(program_of([](Flow&) -> Task<void> {
    throw std::runtime_error("own fault");
    co_return;
  }));
  driver.begin();
  EXPECT_EQ(driver.ended()->error_name, "std::runtime_error");
  EXPECT_EQ(driver.ended()->error_message, "own fault");
}

// ---- runs with steps of their own -------------------------------------------------------------

TEST(Machine, StepsInARunHaveItAsParentToAnyDepth) {
  Driver driver(program_of([](Flow& flow) -> Task<int> {
    co_return co_await flow.run("outer", [](Flow& in) -> Task<int> {
      co_await in.sleep("nap", 1s);
      co_return co_await in.run("middle", [](Flow& deep) -> Task<int> {
        const int got = co_await deep.wait<int>("event", "e");
        co_return co_await deep.run("leaf", [got] { return got + 1; });
      });
    });
  }));
  driver.rebuild_always = true;
  driver.begin();
  driver.end("nap");
  driver.end("event", Value(6));
  EXPECT_EQ(number_of(driver), 7);
  EXPECT_THAT(driver.lines(),
              ElementsAre("the beginning", "run \"outer\" with steps of its own",
                          "sleep \"nap\" in run \"outer\"", "the result of step \"nap\"",
                          "run \"middle\" with steps of its own in run \"outer\"",
                          "wait \"event\" for event \"e\" in run \"middle\"",
                          "the result of step \"event\"", "run \"leaf\" in run \"middle\"",
                          "the result of step \"leaf\"", "the end of attempt 1 of run \"middle\"",
                          "the end of attempt 1 of run \"outer\"", "the end of the flow"));
}

TEST(Machine, AnOuterThatThrowsIsTriedAgainAndItsInnerStepKeepsItsResult) {
  int outer = 0;
  Driver driver(program_of([&outer](Flow& flow) -> Task<int> {
    co_return co_await flow.run("outer", [&outer](Flow& in) -> Task<int> {
      const int got = co_await in.run("inner", [] { return 5; });
      if (++outer < 3) throw std::runtime_error("not yet");
      co_return got;
    });
  }));
  driver.begin();
  EXPECT_EQ(number_of(driver), 5);
  EXPECT_EQ(driver.attempts["inner"], 1);
  EXPECT_THAT(
      driver.lines(),
      ElementsAre("the beginning", "run \"outer\" with steps of its own",
                  "run \"inner\" in run \"outer\"", "the result of step \"inner\"",
                  "the end of attempt 1 of run \"outer\", failed", "attempt 2 of run \"outer\"",
                  "the end of attempt 2 of run \"outer\", failed", "attempt 3 of run \"outer\"",
                  "the end of attempt 3 of run \"outer\"", "the end of the flow"));
}

TEST(Machine, AnInnerStepThatFailsForGoodFailsOuterAndFlow) {
  Driver driver(program_of([](Flow& flow) -> Task<void> {
    co_await flow.run("outer", [](Flow& in) -> Task<void> {
      co_await in.run("inner", [] { throw NonRetryable("gone", "Gone"); });
    });
  }));
  driver.rebuild_always = true;
  driver.begin();
  EXPECT_EQ(driver.ended()->error_name, "Gone");
  EXPECT_THAT(
      driver.lines(),
      ElementsAre("the beginning", "run \"outer\" with steps of its own",
                  "run \"inner\" in run \"outer\"", "the result of step \"inner\"",
                  "the end of attempt 1 of run \"outer\", failed", "the end of the flow, failed"));
}

// ---- branches ---------------------------------------------------------------------------------

TEST(Machine, AllWaitsForEachBranchAndKeepsTheirOrder) {
  Driver driver(program_of([](Flow& flow) -> Task<int> {
    auto [a, b, c] = co_await flow.all(
        flow.wait<int>("a", "e"),
        [&]() -> Task<int> {
          const int first = co_await flow.wait<int>("b1", "e");
          co_return first + co_await flow.wait<int>("b2", "e");
        },
        flow.sleep("c", 1s));
    (void)c;
    co_return a * 100 + b;
  }));
  driver.rebuild_always = true;
  driver.begin();
  EXPECT_THAT(driver.waiting(), ElementsAre("a", "b1", "c"));
  driver.end("b1", Value(3));
  driver.end("c");
  driver.end("a", Value(1));
  EXPECT_THAT(driver.waiting(), ElementsAre("b2"));
  driver.end("b2", Value(4));
  EXPECT_EQ(number_of(driver), 107);
}

TEST(Machine, AllOfARunAndAWaitLetsTheRunEndAndTheWaitWait) {
  Driver driver(program_of([](Flow& flow) -> Task<int> {
    auto [a, b] = co_await flow.all(flow.run("a", [] { return 1; }), flow.wait<int>("b", "e"));
    co_return a + b;
  }));
  driver.begin();
  EXPECT_THAT(driver.waiting(), ElementsAre("b"));
  EXPECT_FALSE(driver.ended().has_value());
  driver.end("b", Value(2));
  EXPECT_EQ(number_of(driver), 3);
}

TEST(Machine, TheFirstFailureOfAllCancelsTheOthers) {
  Driver driver(program_of([](Flow& flow) -> Task<void> {
    co_await flow.all(flow.wait<int>("never", "e"),
                      flow.run("bad", [] { throw NonRetryable("x"); }), flow.sleep("long", 24h));
  }));
  driver.rebuild_always = true;
  driver.begin();
  EXPECT_EQ(driver.ended()->kind, FlowEnded::Kind::failed);
  EXPECT_THAT(driver.lines(),
              ElementsAre("the beginning", "wait \"never\" for event \"e\"", "run \"bad\"",
                          "sleep \"long\"", "the result of step \"bad\"",
                          "the cancellation of step \"never\"", "the cancellation of step \"long\"",
                          "the end of the flow, failed"));
}

TEST(Machine, AnyTakesTheFirstAndCancelsTheRest) {
  Driver driver(program_of([](Flow& flow) -> Task<int> {
    auto first = co_await flow.any(flow.wait<int>("event", "e"), flow.sleep("timeout", 1h),
                                   [&]() -> Task<int> {
                                     co_await flow.sleep("inside", 1h);
                                     co_return 1;
                                   });
    co_return static_cast<int>(first.index()) * 10 + (first.index() == 0 ? std::get<0>(first) : 0);
  }));
  driver.rebuild_always = true;
  driver.begin();
  driver.end("event", Value(7));
  EXPECT_EQ(number_of(driver), 7);
  EXPECT_TRUE(driver.waiting().empty());
  EXPECT_EQ(driver.lines().size(), 8U);
}

TEST(Machine, ALoserWhoseCallbackRunsIsWaitedFor) {
  Driver driver(program_of([](Flow& flow) -> Task<int> {
    std::vector<Step<int>> both;
    both.push_back(flow.run("slow", [](const std::stop_token&) { return 1; }));
    both.push_back(flow.wait<int>("fast", "e"));
    co_return (co_await flow.any(std::move(both))).second;
  }));
  driver.held["slow"] = 1;
  driver.begin();
  driver.machine->set_busy("slow", true);
  EXPECT_FALSE(driver.machine->find("slow")->dropped);
  driver.end("fast", Value(2));
  EXPECT_TRUE(driver.machine->find("slow")->dropped);
  EXPECT_FALSE(driver.ended().has_value());
  driver.rebuild();
  EXPECT_FALSE(driver.ended().has_value());
  EXPECT_TRUE(driver.machine->find("slow")->dropped);
  driver.held.clear();
  driver.work();
  EXPECT_EQ(number_of(driver), 2);
}

TEST(Machine, AnOuterThatIsTriedAgainSeesTheSameWinner) {
  int tries = 0;
  Driver driver(program_of([&tries](Flow& flow) -> Task<int> {
    co_return co_await flow.run("outer", [&tries](Flow& in) -> Task<int> {
      auto first = co_await in.any(in.wait<int>("lost", "e"), in.wait<int>("won", "e"));
      if (++tries == 1) throw std::runtime_error("once");
      co_return static_cast<int>(first.index()) * 10 + std::get<1>(first);
    });
  }));
  driver.begin();
  driver.end("won", Value(3));
  EXPECT_EQ(number_of(driver), 13);
}

TEST(Machine, ThousandsOfBranchesGoOnOneByOne) {
  constexpr int count = 5'000;
  Driver driver(program_of([](Flow& flow) -> Task<int> {
    std::vector<Step<int>> steps;
    for (int i = 0; i < count; ++i)
      steps.push_back(flow.run("step-" + std::to_string(i), [i] { return i; }));
    int sum = 0;
    for (const int number : co_await flow.all(std::move(steps)))
      sum += number;
    co_return sum;
  }));
  driver.begin();
  EXPECT_EQ(number_of(driver), count * (count - 1) / 2);
  driver.rebuild();
  EXPECT_FALSE(driver.machine->divergence().has_value());
  EXPECT_TRUE(driver.machine->ended());
}

// ---- cancelling and undoing -------------------------------------------------------------------

TEST(Machine, ACancellationIsSeenAtTheStepAndErrorsDoNotCatchIt) {
  std::vector<std::string> seen;
  Driver driver(program_of([&seen](Flow& flow) -> Task<void> {
    try {
      co_await flow.sleep("nap", 24h);
    } catch (const std::exception&) {
      seen.emplace_back("caught as an error");
    } catch (const Cancelled&) {
      seen.emplace_back("cancelled");
    }
    co_await flow.run("after", [&seen] { seen.emplace_back("went on"); });
  }));
  driver.begin();
  driver.cancel();
  EXPECT_THAT(seen, ElementsAre("cancelled"));
  EXPECT_EQ(driver.ended()->kind, FlowEnded::Kind::cancelled);
}

TEST(Machine, WhatWasDoneIsUndoneInReverseOnFailureAndOnCancellation) {
  std::vector<std::string> done;
  const auto saga = [&done](Flow& flow) -> Task<void> {
    co_await flow.run("book", [&done] { done.emplace_back("book"); });
    flow.compensate("unbook", [&done] { done.emplace_back("unbook"); });
    co_await flow.run("pay", [&done] { done.emplace_back("pay"); });
    flow.compensate("refund", [&done] {
      done.emplace_back("refund");
      throw NonRetryable("closed");
    });
    co_await flow.wait<int>("end", "e");
    throw std::runtime_error("too late");
  };
  Driver failing(program_of(saga));
  failing.begin();
  failing.end("end", Value(1));
  EXPECT_THAT(done, ElementsAre("book", "pay", "refund", "unbook"));
  EXPECT_EQ(failing.ended()->kind, FlowEnded::Kind::failed);
  EXPECT_EQ(failing.ended()->error_message, "too late");

  done.clear();
  Driver cancelled(program_of(saga));
  cancelled.rebuild_always = true;
  cancelled.begin();
  cancelled.cancel();
  EXPECT_THAT(done, ElementsAre("book", "pay", "refund", "unbook"));
  EXPECT_EQ(cancelled.ended()->kind, FlowEnded::Kind::cancelled);
}

// ---- what is the same each time ---------------------------------------------------------------

TEST(Machine, TimeAndChanceAreTheSameWhenTheRunIsRebuilt) {
  std::vector<std::string> seen;
  Driver driver(program_of([&seen](Flow& flow) -> Task<void> {
    flow.log("begun");
    const auto begun = flow.now();
    const auto id = flow.uuid();
    co_await flow.sleep("nap", 1h);
    seen.push_back(to_text(begun) + " " + to_text(flow.now()) + " " + id + " " +
                   std::to_string(flow.random()));
    co_await flow.sleep("end", 1h);
  }));
  driver.begin();
  driver.now += Duration(3'600'000);
  driver.end("nap");
  driver.now += Duration(3'600'000);
  driver.rebuild();
  driver.end("end");
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_TRUE(seen[0].starts_with("1970-01-01T00:00:01.001Z 1970-01-01T01:00:01.002Z"));
  const auto id = seen[0].substr(50, 36);
  EXPECT_EQ(id[14], '4');
  EXPECT_THAT(std::string("89ab"), testing::HasSubstr(id.substr(19, 1)));
  EXPECT_THAT(driver.logged, ElementsAre("begun"));
}

TEST(Machine, AttributesAndTheNextRunAreRecorded) {
  Driver driver(program_of([](Flow& flow) -> Task<void> {
    flow.set_attribute("customer", std::string("c-1"));
    co_await flow.run("a", [] {});
    co_await flow.continue_as_new(8);
    co_await flow.run("never", [] {});
  }));
  driver.rebuild_always = true;
  driver.begin();
  EXPECT_EQ(driver.ended()->kind, FlowEnded::Kind::continued);
  EXPECT_EQ(driver.ended()->value, Value(8));
  EXPECT_EQ(driver.lines()[1], "set_attribute(\"customer\")");
}

// ---- where code and history part --------------------------------------------------------------

Divergence parted(Machine::Program before, Machine::Program after) {
  Driver driver(std::move(before));
  driver.begin();
  driver.end("nap");
  const auto recorded = driver.lines();
  driver.change(std::move(after));
  EXPECT_EQ(driver.lines(), recorded) << "a run that has parted records nothing";
  return driver.machine->divergence().value_or(Divergence{});
}

Task<void> shop(Flow& flow) {
  co_await flow.run("reserve", [] { return 1; });
  co_await flow.sleep("nap", 1h);
  co_await flow.wait<int>("paid", "payment");
}

TEST(Machine, TellsWhereCodeAndHistoryPart) {
  const auto after_shop = [](auto code) { return parted(program_of(shop), program_of(code)); };
  const auto renamed =
      after_shop([](Flow& flow) -> Task<void> { co_await flow.run("hold", [] { return 1; }); });
  EXPECT_EQ(renamed.asked, "run \"hold\"");
  EXPECT_EQ(renamed.recorded, "run \"reserve\"");

  const auto typed = after_shop([](Flow& flow) -> Task<void> {
    co_await flow.run("reserve", [] { return 1; });
    co_await flow.wait("nap", "morning");
  });
  EXPECT_EQ(typed.asked, "wait \"nap\" for event \"morning\"");
  EXPECT_EQ(typed.recorded, "sleep \"nap\"");

  const auto ordered = after_shop([](Flow& flow) -> Task<void> {
    co_await flow.sleep("nap", 1h);
    co_await flow.run("reserve", [] { return 1; });
  });
  EXPECT_EQ(ordered.asked, "sleep \"nap\"");
  EXPECT_EQ(ordered.recorded, "run \"reserve\"");

  const auto missing = after_shop([](Flow& flow) -> Task<void> {
    co_await flow.run("reserve", [] { return 1; });
    co_await flow.wait<int>("paid", "payment");
  });
  EXPECT_EQ(missing.asked, "wait \"paid\" for event \"payment\"");
  EXPECT_EQ(missing.recorded, "sleep \"nap\"");

  const auto extra = after_shop([](Flow& flow) -> Task<void> {
    co_await flow.run("reserve", [] { return 1; });
    co_await flow.sleep("nap", 1h);
    co_await flow.all(flow.wait<int>("paid", "payment"), flow.run("more", [] {}));
  });
  EXPECT_EQ(extra.asked, "run \"more\"");
  EXPECT_EQ(extra.recorded, "nothing more");

  const auto event = after_shop([](Flow& flow) -> Task<void> {
    co_await flow.run("reserve", [] { return 1; });
    co_await flow.sleep("nap", 1h);
    co_await flow.wait<int>("paid", "payment.v2");
  });
  EXPECT_EQ(event.asked, "wait \"paid\" for event \"payment.v2\"");

  const auto shorter =
      after_shop([](Flow& flow) -> Task<void> { co_await flow.run("reserve", [] { return 1; }); });
  EXPECT_EQ(shorter.asked, "the end of the flow");
  EXPECT_EQ(shorter.recorded, "sleep \"nap\"");

  const auto result = after_shop([](Flow& flow) -> Task<void> {
    (void)co_await flow.run("reserve", [] { return std::string(); });
    co_await flow.sleep("nap", 1h);
    co_await flow.wait<int>("paid", "payment");
  });
  EXPECT_EQ(result.asked, "run \"reserve\"");
  EXPECT_THAT(result.recorded, testing::HasSubstr("expected a text"));

  EXPECT_EQ(after_shop(shop), Divergence{});
}

TEST(Machine, ANameIsUsedOnce) {
  Driver driver(program_of([](Flow& flow) -> Task<void> {
    co_await flow.run("a", [] {});
    co_await flow.wait("a", "e");
  }));
  driver.begin();
  ASSERT_TRUE(driver.machine->divergence().has_value());
  EXPECT_EQ(driver.machine->divergence()->asked, "wait \"a\" for event \"e\"");
  EXPECT_EQ(driver.machine->divergence()->recorded, "a step of that name, earlier");
}

TEST(Machine, APatchIsForRunsThatComeToItLater) {
  const auto patched = program_of([](Flow& flow) -> Task<void> {
    if (flow.patched("careful")) co_await flow.run("check", [] { return 1; });
    co_await shop(flow);
    if (flow.patched("letter")) co_await flow.run("write", [] {});
  });
  Driver old(program_of(shop));
  old.begin();
  old.end("nap");
  old.change(patched);
  EXPECT_EQ(old.machine->divergence(), std::nullopt);
  old.end("paid", Value(1));
  EXPECT_EQ(old.ended()->kind, FlowEnded::Kind::completed);
  EXPECT_EQ(old.attempts["check"], 0);
  EXPECT_EQ(old.attempts["write"], 1);

  Driver fresh(patched);
  fresh.rebuild_always = true;
  fresh.begin();
  fresh.end("nap");
  fresh.end("paid", Value(1));
  EXPECT_EQ(fresh.attempts["check"], 1);
  EXPECT_EQ(fresh.attempts["write"], 1);
}

TEST(Machine, HowLongAndHowOftenMayBeChanged) {
  EXPECT_EQ(parted(program_of(shop), program_of([](Flow& flow) -> Task<void> {
                     co_await flow.run("reserve", [] { return 1; }, {.max_attempts = 9});
                     co_await flow.sleep("nap", 9h);
                     co_await flow.wait<int>("paid", "payment", {.timeout = 9h});
                   })),
            Divergence{});
}

// ---- retries ----------------------------------------------------------------------------------

TEST(Retry, TheLadderDoublesToItsCap) {
  const Failure failure{"E", "m"};
  const RunOptions many{.max_attempts = 100};
  std::vector<std::int64_t> pauses;
  for (int number = 1; number <= 8; ++number)
    pauses.push_back(pause_after(many, number, failure)->count());
  EXPECT_THAT(pauses, ElementsAre(250, 500, 1'000, 2'000, 4'000, 8'000, 10'000, 10'000));
  EXPECT_EQ(pause_after(many, 99, failure), Duration(10'000));
  EXPECT_EQ(pause_after(many, 100, failure), std::nullopt);
  EXPECT_EQ(pause_after({}, 2, failure), Duration(500));
  EXPECT_EQ(pause_after({}, 3, failure), std::nullopt);
  EXPECT_EQ(pause_after({}, 1, {"E", "m", false}), std::nullopt);
  EXPECT_EQ(pause_after({.non_retryable = {"E"}}, 1, failure), std::nullopt);
}

} // namespace
} // namespace perdure::flow
