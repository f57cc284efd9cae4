// What TestEngine promises, as a user's test would use it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <boost/describe/class.hpp>
#include <filesystem>

#include "perdure/testing.h"

namespace perdure {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

struct Order {
  std::string id;
  int amount = 0;
};
BOOST_DESCRIBE_STRUCT(Order, (), (id, amount))

std::atomic<int> g_charges = 0; // NOLINT: what the world outside sees

Task<std::string> fulfil(Flow& flow, Order order) {
  co_await flow.sleep("payment-window", 24h);
  const auto receipt = co_await flow.run("charge", [id = order.id] {
    ++g_charges;
    return "r-" + id;
  });
  const auto paid = co_await flow.wait<int>("paid", "payment.received", {.timeout = 30 * 24h});
  co_return receipt + " " + std::to_string(paid);
}

Task<void> subscribe(Flow& flow) {
  for (int day = 1; day <= 30; ++day) {
    co_await flow.sleep("day " + std::to_string(day), 24h);
    co_await flow.run("bill " + std::to_string(day), [] { ++g_charges; });
  }
}

Task<int> flaky(Flow& flow) {
  co_return co_await flow.run("call", []() -> int { throw StepError("Busy", "try later"); },
                              {.max_attempts = 9});
}

std::vector<std::string> texts(TestEngine& engine, std::int64_t id) {
  std::vector<std::string> lines;
  for (const auto& step : engine.steps(id))
    lines.push_back(to_text(step));
  return lines;
}

std::vector<std::string> states(TestEngine& engine, std::int64_t id, const std::string& step) {
  std::vector<std::string> list;
  for (const auto& attempt : engine.attempts(id, step))
    list.push_back(attempt.state);
  return list;
}

class TestEngineTest : public testing::Test {
protected:
  TestEngineTest() { g_charges = 0; }
};

TEST_F(TestEngineTest, TimeStandsStillUntilItIsMoved) {
  TestEngine engine;
  engine.define<fulfil>("order");
  const auto begin = engine.now();
  const auto id = *engine.start("order", Order{"o-17", 120});
  EXPECT_THAT(texts(engine, id), ElementsAre("payment-window waiting 1"));
  engine.advance(24h - 1ms);
  EXPECT_THAT(texts(engine, id), ElementsAre("payment-window waiting 1"));
  engine.advance(1ms);
  EXPECT_EQ(engine.now(), begin + 24h);
  EXPECT_THAT(texts(engine, id),
              ElementsAre("payment-window completed 1", "charge completed 1", "paid waiting 1"));
  EXPECT_FALSE(engine.result<std::string>(id)) << "it has not ended, and nobody waits for that";
  EXPECT_TRUE(engine.send(id, "payment.received", 120));
  EXPECT_EQ(engine.result<std::string>(id).value(), "r-o-17 120");
  EXPECT_EQ(engine.now(), begin + 24h);
}

TEST_F(TestEngineTest, ThirtyDaysPassOneDueThingAfterTheOtherInFewCommits) {
  TestEngine engine;
  engine.define<subscribe>("subscription");
  const auto begin = engine.now();
  const auto id = *engine.start("subscription");
  engine.advance(30 * 24h);
  EXPECT_EQ(engine.instance(id)->status, InstanceStatus::completed);
  EXPECT_EQ(g_charges, 30);
  EXPECT_EQ(engine.now(), begin + 30 * 24h);
  // A day: its sleep ends, the next step begins; that step ends, the next sleep begins.
  EXPECT_LE(engine.commits(), 2 + 30 * 3);
}

TEST_F(TestEngineTest, PausesOfRetriesPassAtTheirTimes) {
  TestEngine engine;
  engine.define<flaky>("flaky");
  const auto id = *engine.start("flaky");
  engine.advance(249ms);
  EXPECT_EQ(engine.attempts(id, "call").size(), 1U);
  engine.advance(1ms);
  EXPECT_EQ(engine.attempts(id, "call").size(), 2U);
  engine.advance(1h);
  const auto attempts = engine.attempts(id, "call");
  std::vector<std::int64_t> pauses;
  for (const auto& attempt : attempts) {
    EXPECT_EQ(attempt.error, "Busy");
    EXPECT_EQ(attempt.error_message, "try later");
    pauses.push_back(attempt.pause ? attempt.pause->count() : -1);
  }
  EXPECT_THAT(pauses, ElementsAre(250, 500, 1000, 2000, 4000, 8000, 10000, 10000, -1));
  EXPECT_THAT(texts(engine, id), ElementsAre("call failed 9 Busy"));
}

TEST_F(TestEngineTest, ACrashBeforeAStepIsKeptLeavesNothingOfIt) {
  TestEngine engine;
  engine.define<fulfil>("order");
  const auto id = *engine.start("order", Order{"o-1", 1});
  engine.crash_at_step("charge", CrashPoint::before_commit);
  engine.advance(24h);
  EXPECT_TRUE(engine.crashed());
  EXPECT_EQ(g_charges, 0);
  engine.restart();
  EXPECT_FALSE(engine.crashed());
  EXPECT_THAT(states(engine, id, "charge"), ElementsAre("succeeded"));
  EXPECT_EQ(g_charges, 1);
}

TEST_F(TestEngineTest, ACrashAfterTheWorkInterruptsItsAttempt) {
  TestEngine engine;
  engine.define<fulfil>("order");
  const auto id = *engine.start("order", Order{"o-1", 1});
  engine.crash_at_step("charge", CrashPoint::after_callback);
  engine.advance(24h);
  EXPECT_TRUE(engine.crashed());
  EXPECT_EQ(g_charges, 1);
  EXPECT_THAT(states(engine, id, "charge"), ElementsAre("started"));
  engine.restart();
  EXPECT_THAT(states(engine, id, "charge"), ElementsAre("interrupted"));
  engine.advance(250ms);
  EXPECT_THAT(states(engine, id, "charge"), ElementsAre("interrupted", "succeeded"));
  EXPECT_EQ(g_charges, 2);
}

TEST_F(TestEngineTest, ACrashAfterTheCommitRepeatsNothing) {
  TestEngine engine;
  engine.define<fulfil>("order");
  const auto id = *engine.start("order", Order{"o-1", 1});
  engine.crash_at_step("charge", CrashPoint::after_commit);
  engine.advance(24h);
  EXPECT_TRUE(engine.crashed());
  EXPECT_THAT(states(engine, id, "charge"), ElementsAre("succeeded"));
  engine.restart();
  EXPECT_TRUE(engine.send(id, "payment.received", 5));
  EXPECT_EQ(engine.result<std::string>(id).value(), "r-o-1 5");
  EXPECT_EQ(g_charges, 1);
}

TEST_F(TestEngineTest, DiesAtTheCommitOfThatNumberAndTellsIt) {
  TestEngine engine;
  engine.define<fulfil>("order");
  int crashes = 0;
  engine.when_crashing([&crashes] { ++crashes; });
  engine.crash_at_commit(1);
  EXPECT_FALSE(engine.start("order", Order{"o-1", 1}, {.id = "o-1"}));
  EXPECT_EQ(crashes, 1);
  engine.restart();
  const auto id = engine.start("order", Order{"o-1", 1}, {.id = "o-1"});
  ASSERT_TRUE(id);
  EXPECT_THAT(texts(engine, *id), ElementsAre("payment-window waiting 1"));
  engine.crash();
  EXPECT_EQ(crashes, 2);
  EXPECT_FALSE(engine.send(*id, "payment.received", 5));
  engine.restart();
  EXPECT_TRUE(engine.send(*id, "payment.received", 5));
  engine.advance(24h);
  EXPECT_EQ(engine.result<std::string>(*id).value(), "r-o-1 5");
}

Task<int> one(Flow& flow) {
  co_await flow.wait("w", "go");
  co_return 1;
}
Task<int> other(Flow& flow) {
  co_await flow.sleep("w", 1s);
  co_return 2;
}

TEST_F(TestEngineTest, CodeThatIsReplacedMeetsTheRunsOfTheOld) {
  TestEngine engine;
  engine.define<one>("flow");
  const auto id = *engine.start("flow");
  EXPECT_THAT(texts(engine, id), ElementsAre("w waiting 1"));
  engine.restart();
  engine.define<other>("flow");
  EXPECT_TRUE(engine.send(id, "go"));
  EXPECT_THAT(engine.incidents(id), ElementsAre(HasSubstr("sleep \"w\"")));
  engine.restart();
  engine.define<one>("flow");
  EXPECT_THAT(engine.incidents(id), ElementsAre(HasSubstr("wait \"w\"")));
  EXPECT_EQ(engine.instance(id)->status, InstanceStatus::running);
}

constexpr const char* kProcess = R"(<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
             xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="t">
  <process id="ship" isExecutable="true">
    <startEvent id="begin"/>
    <sequenceFlow id="f1" sourceRef="begin" targetRef="nap"/>
    <intermediateCatchEvent id="nap">
      <timerEventDefinition><timeDuration>P1D</timeDuration></timerEventDefinition>
    </intermediateCatchEvent>
    <sequenceFlow id="f2" sourceRef="nap" targetRef="pack"/>
    <serviceTask id="pack" camunda:type="external" camunda:topic="pack"/>
    <sequenceFlow id="f3" sourceRef="pack" targetRef="end"/>
    <endEvent id="end"/>
  </process>
</definitions>)";

TEST_F(TestEngineTest, ProcessesAreTestedLikewise) {
  TestEngine engine;
  std::atomic<int> packed = 0;
  const auto pack = [&packed](const Job&) -> Value {
    ++packed;
    return Object{{"packed", true}};
  };
  engine.handle("pack", pack);
  const auto deployed = engine.deploy(kProcess, "ship.bpmn");
  ASSERT_TRUE(deployed) << deployed.error().message;
  const auto id = *engine.start("ship", Object{});
  EXPECT_EQ(engine.instance(id)->status, InstanceStatus::running);
  engine.crash_at_step("pack", CrashPoint::after_callback);
  engine.advance(24h);
  EXPECT_TRUE(engine.crashed());
  EXPECT_EQ(packed, 1);
  engine.restart();
  engine.advance(1min);
  EXPECT_EQ(engine.instance(id)->status, InstanceStatus::completed);
  EXPECT_EQ(packed, 2);
}

struct Nothing {};
BOOST_DESCRIBE_STRUCT(Nothing, (), ())

Task<Nothing> take_nothing(Flow& flow, Nothing) {
  co_await flow.wait<Nothing>("w", "go");
  co_return co_await flow.run("a", [] { return Nothing{}; });
}

TEST_F(TestEngineTest, AStructWithoutMembersIsAValue) {
  TestEngine engine;
  engine.define<take_nothing>("flow");
  const auto id = *engine.start("flow", Nothing{});
  engine.settle();
  EXPECT_TRUE(engine.send(id, "go", Nothing{}));
  EXPECT_THAT(engine.incidents(id), testing::IsEmpty());
  EXPECT_EQ(engine.steps(id).front().output, Value(Object{}));
  EXPECT_TRUE(engine.result<Nothing>(id));
}

TEST_F(TestEngineTest, EnginesDoNotShareTheirDatabases) {
  TestEngine first;
  TestEngine second;
  first.define<one>("flow");
  second.define<one>("flow");
  const auto id = *first.start("flow");
  EXPECT_TRUE(first.instance(id));
  EXPECT_EQ(second.instance(id).error().code, ErrorCode::not_found);
}

Task<std::string> name_it(Flow& flow) { co_return flow.uuid(); }

TEST_F(TestEngineTest, RunsOfTheSameKeyInTwoDatabasesHaveChanceOfTheirOwn) {
  TestEngine first;
  TestEngine second;
  first.define<name_it>("flow");
  second.define<name_it>("flow");
  const auto id = *first.start("flow");
  ASSERT_EQ(*second.start("flow"), id);
  EXPECT_NE(first.result<std::string>(id).value(), second.result<std::string>(id).value());
}

TEST_F(TestEngineTest, AFileIsTakenUpByTheNextTestEngine) {
  auto folder = (std::filesystem::temp_directory_path() / "perdure_testing_XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  std::int64_t id = 0;
  {
    TestEngine engine({.storage = sqlite(folder + "/a.db")});
    engine.define<fulfil>("order");
    id = *engine.start("order", Order{"o-2", 1});
    engine.advance(23h);
  }
  {
    TestEngine engine({.storage = sqlite(folder + "/a.db")});
    engine.define<fulfil>("order");
    engine.advance(24h);
    EXPECT_TRUE(engine.send(id, "payment.received", 7));
    EXPECT_EQ(engine.result<std::string>(id).value(), "r-o-2 7");
  }
  std::filesystem::remove_all(folder);
}

TEST_F(TestEngineTest, ALookAtAStepThatIsNotThereSaysSo) {
  TestEngine engine;
  engine.define<one>("flow");
  const auto id = *engine.start("flow");
  EXPECT_THROW(static_cast<void>(engine.attempts(id, "nothing")), std::runtime_error);
  EXPECT_EQ(engine.instance(4711).error().code, ErrorCode::not_found);
}

} // namespace
} // namespace perdure
