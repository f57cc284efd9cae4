// Ends of flows: taken by one, told once, tried again.
#include "conformance.h"

namespace perdure::store {
namespace {

using facts::CompletionState;
using facts::InstanceStatus;
using test::kStart;
using test::Life;
using testing::IsEmpty;
using testing::SizeIs;

class ConformanceCompletion : public Conformance {
protected:
  /// A flow that has ended and is to be told.
  Life ended(const std::string& flow = "order") {
    auto run = life();
    run.start(Object{}, {}, false, "", flow);
    run.emit(facts::FlowPlaced{.token_id = run.keys.take(),
                               .scope_id = run.root,
                               .priority = 0,
                               .limit_key = {},
                               .previous_instance_id = {},
                               .queued = false});
    run.emit(facts::FlowEnded{
        .status = InstanceStatus::completed, .output = Value(1), .reason = {}, .continued = false});
    run.emit(facts::FlowCompletionQueued{});
    save(run);
    return run;
  }
  facts::FlowCompletion row(const Life& run) {
    const auto record = reader().record(run.id()).value();
    return record->rows.completions.slots().front().row;
  }
  std::vector<DueCompletion> take(Instant now, std::vector<std::string> flows = {"order"},
                                  std::int64_t limit = 10) {
    const auto taken = store().take_completions(flows, now, now + Duration(30'000), limit);
    EXPECT_TRUE(taken) << taken.error().message;
    return taken.value_or(std::vector<DueCompletion>());
  }
  void settle(CompletionTold told) {
    const auto done = store().settle_completions(std::span(&told, 1));
    EXPECT_TRUE(done) << done.error().message;
  }
};

TEST_P(ConformanceCompletion, WhatIsSaidOfAFlowStays) {
  EXPECT_FALSE(store().flow_kind("order").value());
  ASSERT_TRUE(store().put_flow_kind({"order", true}));
  EXPECT_TRUE(store().flow_kind("order").value()->delivers);
  ASSERT_TRUE(store().put_flow_kind({"order", true}));
  ASSERT_TRUE(store().put_flow_kind({"order", false}));
  reopen();
  EXPECT_FALSE(store().flow_kind("order").value()->delivers);
}

TEST_P(ConformanceCompletion, AnEndIsTakenByOneUntilItsLeaseIsOver) {
  const auto run = ended();
  EXPECT_THAT(take(kStart, {"other"}), IsEmpty());
  EXPECT_THAT(take(kStart - Duration(1)), IsEmpty());
  const auto taken = take(kStart);
  ASSERT_THAT(taken, SizeIs(1));
  EXPECT_EQ(taken[0].instance_id, run.id());
  EXPECT_EQ(taken[0].process_id, "order");
  EXPECT_EQ(taken[0].status, InstanceStatus::completed);
  EXPECT_EQ(taken[0].finished_at, kStart);
  EXPECT_EQ(taken[0].attempt, 1);
  EXPECT_EQ(store().next_due(kStart).value(), kStart + Duration(30'000));
  EXPECT_THAT(take(kStart + Duration(29'999)), IsEmpty());
  EXPECT_EQ(take(kStart + Duration(30'000)).front().attempt, 2);
}

TEST_P(ConformanceCompletion, OnlyWhoHasItMaySayThatItFailedButAnyoneThatItWasTold) {
  const auto run = ended();
  ASSERT_THAT(take(kStart), SizeIs(1));
  ASSERT_THAT(take(kStart + Duration(30'000)), SizeIs(1));
  settle({.instance_id = run.id(),
          .attempt = 1,
          .next_attempt_at = kStart + Duration(99'000),
          .error = "late"});
  EXPECT_EQ(row(run).last_error, std::nullopt);
  settle({.instance_id = run.id(),
          .attempt = 2,
          .next_attempt_at = kStart + Duration(90'000),
          .error = "closed"});
  EXPECT_EQ(row(run).last_error, "closed");
  EXPECT_EQ(row(run).next_attempt_at, kStart + Duration(90'000));
  settle({.instance_id = run.id(), .attempt = 2, .next_attempt_at = kStart + Duration(91'000)});
  EXPECT_EQ(row(run).last_error, "closed"); // a lease that is renewed says nothing of it
  settle({.instance_id = run.id(), .attempt = 1, .delivered_at = kStart - Duration(5)});
  const auto told = row(run);
  EXPECT_EQ(told.state, CompletionState::delivered);
  EXPECT_EQ(told.delivered_at, kStart); // not before its end
  EXPECT_EQ(told.attempts, 2);
  EXPECT_FALSE(told.last_error);
  EXPECT_FALSE(told.next_attempt_at);
  settle({.instance_id = run.id(), .attempt = 2, .next_attempt_at = kStart, .error = "x"});
  EXPECT_EQ(row(run).state, CompletionState::delivered);
  EXPECT_THAT(take(kStart + Duration(1'000'000)), IsEmpty());
}

TEST_P(ConformanceCompletion, TheLongestOverdueComeFirst) {
  std::vector<Life> runs;
  for (int i = 0; i < 5; ++i)
    runs.push_back(ended(i % 2 == 0 ? "even" : "odd"));
  const std::vector<std::string> both{"even", "odd"};
  EXPECT_THAT(take(kStart, both, 3), SizeIs(3));
  EXPECT_THAT(take(kStart, both, 3), SizeIs(2));
  EXPECT_THAT(take(kStart, both, 3), IsEmpty());
  EXPECT_TRUE(store().settle_completions({}));
}

INSTANTIATE_TEST_SUITE_P(Database, ConformanceCompletion, testing::Values(&open_database));

} // namespace
} // namespace perdure::store
