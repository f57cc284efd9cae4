// Removing what has ended: whole, and nothing else.
#include "conformance.h"

namespace perdure::store {
namespace {

using test::kStart;
using test::Life;
using testing::IsEmpty;
using testing::SizeIs;

class ConformancePurge : public Conformance {
protected:
  /// Saved, with sub-process, tasks, timer and branches.
  Life busy() {
    auto order = life();
    order.start(Object{{"amount", 12}});
    const auto charge = order.place(order.root, "charge");
    const auto pack = order.place(order.root, "pack", charge);
    const auto inner = order.keys.take();
    order.emit(facts::ScopeOpened{.scope_id = inner,
                                  .parent_id = order.root,
                                  .token_id = pack,
                                  .node_id = "pack",
                                  .kind = facts::ScopeKind::sub_process,
                                  .loop_index = {},
                                  .variables = Object{}});
    const auto work = order.open_work(charge);
    order.lock(work, "worker-1");
    order.open_user_work(order.place(inner, "approve"), "kim");
    order.open_timer(order.place(inner, "cool_down"), order.now + Duration(5000));
    save(order);
    order.succeed(work, Object{{"receipt", 7}});
    save(order);
    return order;
  }

  /// Likewise, and at its end.
  Life ended() {
    auto order = busy();
    for (const auto& step : test::rows(order.state.steps)) {
      if (!step.completed_at) order.emit(facts::StepCancelled{step.id});
    }
    for (const auto& token : test::rows(order.state.tokens)) {
      if (!token.ended_at) order.emit(facts::TokenTerminated{token.id});
    }
    for (const auto& scope : test::rows(order.state.scopes)) {
      if (scope.parent_id) {
        order.emit(
            facts::ScopeClosed{.scope_id = scope.id, .state = facts::ScopeState::terminated});
      }
    }
    order.emit(facts::InstanceCancelled{.reason = "over"});
    save(order);
    return order;
  }

  static ExpiredInstance expired(const Life& life) { return {life.id(), life.now}; }
};

TEST_P(ConformancePurge, AnEndedInstanceGoesWithEverythingThatIsIts) {
  const auto gone = ended();
  const auto stays = ended();
  const auto runs = busy();
  const std::vector<Key> ids{gone.id()};
  std::int64_t counted = 0;
  const auto counts = reader().purge_counts(ids).value();
  for (const auto& count : counts)
    counted += count.rows;
  EXPECT_GT(counted, 20);
  const std::vector<ExpiredInstance> instances{expired(gone)};
  const auto purged = store().purge(instances, kStart + Duration(1000));
  ASSERT_TRUE(purged) << purged.error().message;
  EXPECT_EQ(purged->instances, 1);
  EXPECT_EQ(purged->rows, counted);
  EXPECT_FALSE(purged->busy);
  for (const auto& count : reader().purge_counts(ids).value())
    EXPECT_EQ(count.rows, 0) << count.table;
  EXPECT_FALSE(reader().record(gone.id()).value());
  EXPECT_EQ(reader().record(stays.id()).value()->history.size(), stays.state.instance.version);
  expect_saved(runs);
}

TEST_P(ConformancePurge, ARunningInstanceIsRefusedAndNothingGoes) {
  const auto over = ended();
  const auto runs = busy();
  const std::vector<ExpiredInstance> instances{expired(over), expired(runs)};
  const auto purged = store().purge(instances, kStart + Duration(1000));
  ASSERT_FALSE(purged);
  EXPECT_EQ(purged.error().where, "instance_purge_ended");
  expect_saved(runs);
  EXPECT_TRUE(reader().record(over.id()).value());
  // The store goes on.
  const std::vector<ExpiredInstance> right{expired(over)};
  EXPECT_EQ(store().purge(right, kStart + Duration(1000)).value().instances, 1);
}

TEST_P(ConformancePurge, WhatMustBeKeptLongerIsRefused) {
  const auto over = ended();
  const std::vector<ExpiredInstance> early{{over.id(), kStart + Duration(1001)}};
  EXPECT_EQ(store().purge(early, kStart + Duration(1000)).error().where, "instance_purge_times");
  const std::vector<ExpiredInstance> before{{over.id(), kStart - Duration(1)}};
  EXPECT_EQ(store().purge(before, kStart + Duration(1000)).error().where, "instance_purge_ended");
  EXPECT_TRUE(reader().record(over.id()).value());
}

TEST_P(ConformancePurge, UnknownAndPurgedInstancesArePassedOver) {
  const auto over = ended();
  const std::vector<ExpiredInstance> instances{{over.id() + 1'000'000, kStart}, expired(over)};
  EXPECT_EQ(store().purge(instances, kStart + Duration(1000)).value().instances, 1);
  EXPECT_EQ(store().purge(instances, kStart + Duration(1000)).value().instances, 0);
  EXPECT_EQ(store().purge({}, kStart).value().instances, 0);
}

TEST_P(ConformancePurge, AUniqueBusinessKeyIsFreeAgain) {
  auto first = life();
  first.start(Object{}, "A-1", true);
  save(first);
  first.finish();
  save(first);
  const std::vector<ExpiredInstance> instances{expired(first)};
  ASSERT_TRUE(store().purge(instances, kStart + Duration(1000)));
  EXPECT_FALSE(store().instance_of_business_key("", "order", "A-1").value());
  auto second = life();
  second.start(Object{}, "A-1", true);
  save(second);
}

TEST_P(ConformancePurge, AgesComeInKeyOrderPageByPage) {
  const auto over = ended();
  const auto runs = busy();
  const auto first = store().instance_ages(kNoKey, 1).value();
  ASSERT_THAT(first, SizeIs(1));
  EXPECT_EQ(first.front().id, over.id());
  EXPECT_EQ(first.front().definition_id, over.definition_id);
  EXPECT_EQ(first.front().process_id, "order");
  EXPECT_EQ(first.front().created_at, kStart);
  EXPECT_EQ(first.front().ended_at, kStart);
  EXPECT_EQ(first.front().facts, over.state.instance.last_sequence);
  const auto second = reader().instance_ages({.limit = 10, .after = over.id()}).value();
  ASSERT_THAT(second, SizeIs(1));
  EXPECT_EQ(second.front().id, runs.id());
  EXPECT_EQ(second.front().ended_at, std::nullopt);
  EXPECT_THAT(store().instance_ages(runs.id(), 10).value(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Database, ConformancePurge, testing::Values(&open_database));

} // namespace
} // namespace perdure::store
