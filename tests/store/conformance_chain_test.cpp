// Runs that go on as a new one, and what comes for them: each event has its row with the run that
// lives, or no row.
#include "conformance.h"

namespace perdure::store {
namespace {

using facts::InstanceStatus;
using test::kStart;
using test::Life;
using testing::Optional;
using State = ChainState;

class ConformanceChain : public Conformance {
protected:
  /// A flow that runs, under that key when the run before has chosen it.
  Life running(Key id = kNoKey, std::optional<Key> previous = {}) {
    auto run = life();
    const auto instance_id = id == kNoKey ? run.keys.take() : id;
    run.root = run.keys.take();
    run.emit(facts::InstanceStarted{.instance_id = instance_id,
                                    .definition_id = run.definition_id,
                                    .tenant_id = "",
                                    .process_id = "order",
                                    .business_key = {},
                                    .root_scope_id = run.root,
                                    .input = Object{}});
    run.emit(facts::FlowPlaced{.token_id = run.keys.take(),
                               .scope_id = run.root,
                               .limit_key = {},
                               .previous_instance_id = previous});
    save(run);
    return run;
  }
  /// Ends it, not saved yet; with a next run that it begins.
  static Key end(Life& run, bool continues) {
    const auto next = run.keys.take();
    if (continues) {
      run.emit(facts::EventSent{.pending_event_id = run.keys.take(),
                                .node_id = "order",
                                .kind = facts::PendingKind::start,
                                .name = {},
                                .correlation_key = {},
                                .target_instance_id = next,
                                .target_token_id = {},
                                .payload = Object{}});
    }
    run.emit(facts::FlowEnded{
        .status = InstanceStatus::completed, .output = {}, .reason = {}, .continued = continues});
    return next;
  }
  Key sent_start(const Life& run) {
    const auto record = reader().record(run.id()).value();
    return record->rows.pending_events.slots().front().row.id;
  }
  /// A message for a run, as the engine writes one that nobody waits for.
  static Unit message(const Life& to, Key id, const std::string& message_id) {
    Unit unit;
    unit.events.addressed = {to.id()};
    unit.events.received.push_back({.id = id,
                                    .tenant_id = "",
                                    .name = "said",
                                    .correlation_key = key_text(to.id()),
                                    .message_id = message_id,
                                    .payload = Object{},
                                    .received_at = kStart,
                                    .expires_at = kStart + Duration(1'000),
                                    .claimed_by = {},
                                    .claimed_at = {}});
    return unit;
  }
  std::vector<UnitOutcome> commit(const std::vector<Unit>& units) {
    auto outcomes = store().commit(units);
    EXPECT_TRUE(outcomes) << outcomes.error().message;
    return std::move(outcomes).value_or(std::vector<UnitOutcome>());
  }
  /// Of the message with that id; none: it has no row.
  std::optional<std::string> key_of(const std::string& message_id) {
    const auto found = store().message("", "said", message_id);
    EXPECT_TRUE(found);
    return found && *found ? (*found)->correlation_key : std::nullopt;
  }
};

TEST_P(ConformanceChain, ARunIsFoundWhereItIsNow) {
  EXPECT_EQ(store().chain_end(4711).value(), std::nullopt);
  auto first = running();
  EXPECT_THAT(store().chain_end(first.id()).value(), Optional(ChainEnd{first.id(), State::live}));
  const auto next = end(first, true);
  save(first);
  EXPECT_THAT(store().chain_end(first.id()).value(), Optional(ChainEnd{next, State::starting}));
  auto second = running(next, first.id());
  EXPECT_THAT(store().chain_end(first.id()).value(), Optional(ChainEnd{next, State::live}));
  const auto last = end(second, true);
  save(second);
  auto third = running(last, next);
  EXPECT_THAT(store().chain_end(first.id()).value(), Optional(ChainEnd{last, State::live}));
  EXPECT_THAT(store().chain_end(next).value(), Optional(ChainEnd{last, State::live}));
  static_cast<void>(end(third, false));
  save(third);
  EXPECT_THAT(store().chain_end(first.id()).value(), Optional(ChainEnd{last, State::over}));
  EXPECT_THAT(reader().chain_end(first.id()).value(), Optional(ChainEnd{last, State::over}));
  EXPECT_EQ(reader().chain_end(4711).value(), std::nullopt);
}

TEST_P(ConformanceChain, AStartThatWasGivenUpEndsTheChain) {
  auto first = running();
  const auto next = end(first, true);
  save(first);
  Unit discard;
  discard.events.moved.push_back(
      {.id = sent_start(first), .state = facts::PendingState::discarded, .closed_at = kStart});
  EXPECT_TRUE(commit({discard}).front());
  EXPECT_THAT(store().chain_end(first.id()).value(), Optional(ChainEnd{next, State::over}));
}

TEST_P(ConformanceChain, WhatCameForARunGoesToTheOneThatContinuesIt) {
  auto run = running();
  auto other = running();
  auto keys = store().take_keys(4).value();
  for (const auto* id : {"m-1", "m-2"})
    EXPECT_TRUE(commit({message(run, keys.take(), id)}).front());
  EXPECT_TRUE(commit({message(other, keys.take(), "m-3")}).front());
  const auto next = end(run, true);
  save(run);
  EXPECT_THAT(key_of("m-1"), Optional(key_text(next)));
  EXPECT_THAT(key_of("m-2"), Optional(key_text(next)));
  EXPECT_THAT(key_of("m-3"), Optional(key_text(other.id())));
}

TEST_P(ConformanceChain, WhatCameForARunThatEndsIsDropped) {
  auto run = running();
  auto other = running();
  auto keys = store().take_keys(4).value();
  EXPECT_TRUE(commit({message(run, keys.take(), "m-1")}).front());
  EXPECT_TRUE(commit({message(other, keys.take(), "m-2")}).front());
  static_cast<void>(end(run, false));
  save(run);
  EXPECT_EQ(key_of("m-1"), std::nullopt);
  EXPECT_THAT(key_of("m-2"), Optional(key_text(other.id())));
}

TEST_P(ConformanceChain, WhatComesWithTheEndOrAfterItHasNoRow) {
  auto run = running();
  auto keys = store().take_keys(4).value();
  static_cast<void>(end(run, false));
  auto outcomes = commit({run.unit(), message(run, keys.take(), "m-1")});
  ASSERT_EQ(outcomes.size(), 2U);
  EXPECT_TRUE(outcomes[0]);
  ASSERT_FALSE(outcomes[1]);
  EXPECT_EQ(outcomes[1].error().code, ErrorCode::conflict);
  outcomes = commit({message(run, keys.take(), "m-2")});
  ASSERT_FALSE(outcomes.front());
  EXPECT_EQ(outcomes.front().error().code, ErrorCode::conflict);
  EXPECT_EQ(key_of("m-1"), std::nullopt);
  EXPECT_EQ(key_of("m-2"), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Database, ConformanceChain, testing::Values(&open_database));

} // namespace
} // namespace perdure::store
