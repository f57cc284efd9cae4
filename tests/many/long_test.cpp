// Runs with many steps, many runs that wait, and runs that go on as new ones without end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "many/many_fixture.h"

namespace perdure::engine {
namespace {

using facts::InstanceStatus;
using testing::SizeIs;

using Long = EveryDatabase;
INSTANTIATE_TEST_SUITE_P(, Long, testing::Values(Database::sqlite, Database::postgres),
                         [](const auto& given) {
                           return given.param == Database::sqlite ? "sqlite" : "postgres";
                         });

TEST_P(Long, EachStepIsAsManyFactsAsTheFirst) {
  const auto node = make("a", {code_of("flow", 1, [](Flow& flow, Value input) -> Task<void> {
                           const auto steps = *input.find("steps")->as<std::int64_t>();
                           for (std::int64_t i = 0; i < steps; ++i)
                             co_await flow.run("step-" + std::to_string(i), [] {});
                         })});
  std::vector<std::int64_t> facts;
  for (const std::int64_t steps : {100, 200, 300}) {
    const auto id = start(*node, {.process_id = "flow", .variables = Object{{"steps", steps}}});
    node->watcher.await(id, "flow_ended");
    facts.push_back(record(id).rows.instance.last_sequence);
    EXPECT_EQ(record(id).rows.instance.step_count, steps);
  }
  EXPECT_EQ(facts[2] - facts[1], facts[1] - facts[0]);
}

TEST_P(Long, ThousandsThatWaitAreRowsAndAllComeBack) {
  constexpr int kRuns = 2'000;
  std::atomic<int> begun = 0;
  std::atomic<int> ended = 0;
  Options options;
  options.flows.resident = 100;
  const auto node = make("a",
                         {code_of("flow", 1,
                                  [&](Flow& flow) -> Task<void> {
                                    ++begun;
                                    co_await flow.run("before", [] {});
                                    co_await flow.sleep("sleep", std::chrono::hours(24));
                                    co_await flow.run("after", [&ended] { ++ended; });
                                  })},
                         options);
  std::vector<std::future<Answer<Started>>> answers;
  for (int i = 0; i < kRuns; ++i) {
    auto [reply, future] = promise_reply<Started>();
    node->engine->start_instance({.process_id = "flow", .variables = Object{}}, std::move(reply));
    answers.push_back(std::move(future));
  }
  for (auto& answer : answers)
    EXPECT_TRUE(take(answer));
  node->watcher.await(kNoKey, "flow_step_opened", 2 * kRuns);
  EXPECT_EQ(begun, kRuns);
  move_clock(std::chrono::hours(24), *node);
  node->watcher.await(kNoKey, "flow_ended", kRuns);
  EXPECT_EQ(ended, kRuns);
  EXPECT_GE(begun, 2 * kRuns - 200); // the others were not in memory any more
}

TEST_P(Long, GoesOnAsANewRunAgainAndAgain) {
  constexpr std::int64_t kRuns = 200;
  const auto node = make("a", {code_of("flow", 1, [](Flow& flow, Value input) -> Task<void> {
                           const auto* given = input.find("input");
                           const auto round = given ? *given->as<std::int64_t>() : 1;
                           co_await flow.run("work", [] {});
                           if (round < kRuns) co_await flow.continue_as_new(round + 1);
                         })});
  start(*node);
  node->watcher.await(kNoKey, "flow_ended", kRuns);
  settle(*node);
  const auto ids = instances();
  ASSERT_THAT(ids, SizeIs(kRuns));
  EXPECT_EQ(count(InstanceStatus::completed), kRuns);
  for (std::size_t i = 1; i < ids.size(); ++i) {
    EXPECT_EQ(record(ids[i]).rows.flow_runs.slots().front().row.previous_instance_id, ids[i - 1]);
  }
}

} // namespace
} // namespace perdure::engine
