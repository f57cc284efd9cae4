#include "conformance/token_simulation/recorder.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace perdure::conformance {
namespace {

constexpr Key kRoot = 1;

/// Facts of one instance, as a decision would find them.
class History {
public:
  explicit History(Drawing drawing = {}) : drawing_(std::move(drawing)), recorder_(drawing_) {
    take(facts::InstanceStarted{.process_id = "process", .root_scope_id = kRoot});
  }
  void take(facts::FactData data) { recorder_.take(0, {.sequence = 0, .at = {}, .data = data}); }
  void place(Key token, const std::string& node, std::optional<std::string> flow = {},
             std::optional<Key> parent = {}, Key scope = kRoot) {
    take(facts::TokenPlaced{.token_id = token,
                            .scope_id = scope,
                            .node_id = node,
                            .flow_id = std::move(flow),
                            .parent_id = parent});
  }
  void move(Key token, const std::string& flow, const std::string& node) {
    take(facts::TokenMoved{.token_id = token, .flow_id = flow, .node_id = node});
  }
  void complete(Key token) { take(facts::TokenCompleted{.token_id = token}); }
  Recorder& recorder() { return recorder_; }
  [[nodiscard]] Observed observed() const { return recorder_.observed(); }

private:
  Drawing drawing_;
  Recorder recorder_;
};

std::string flows_of(const Observed& observed, const ObservedRun& run) {
  std::string text;
  for (const auto flow : run.via)
    text += observed.flows[static_cast<std::size_t>(flow)].flow + " ";
  return text;
}

TEST(RecorderTest, EveryArrivalIsARunAndEveryFlowAPassage) {
  History history;
  history.place(10, "start");
  history.move(10, "flow", "end");
  history.recorder().during(1);
  history.complete(10);
  history.take(facts::InstanceCompleted{});
  const auto observed = history.observed();
  ASSERT_EQ(observed.runs.size(), 3U);
  EXPECT_TRUE(observed.runs[0].root);
  EXPECT_EQ(observed.runs[1].element, "start");
  EXPECT_EQ(observed.runs[1].in, 0);
  EXPECT_EQ(observed.runs[1].ended, 0);
  EXPECT_EQ(observed.runs[2].started, 0);
  EXPECT_EQ(observed.runs[2].ended, 1);
  EXPECT_EQ(observed.runs[0].outcome, Outcome::completed);
  ASSERT_EQ(observed.flows.size(), 1U);
  EXPECT_EQ(observed.flows[0].from, 1);
  EXPECT_EQ(observed.flows[0].to, 2);
  EXPECT_EQ(observed.flows[0].taken_at, observed.runs[1].end_at);
}

TEST(RecorderTest, ArrivalsAtAJoinBecomeOneRun) {
  History history;
  history.place(10, "fork");
  history.complete(10);
  history.place(11, "join", "a", 10);
  history.take(facts::JoinArrived{.join_id = 5, .flow_id = "a", .token_id = 11});
  history.place(12, "join", "b", 10);
  history.take(facts::JoinArrived{.join_id = 5, .flow_id = "b", .token_id = 12});
  EXPECT_EQ(history.observed().runs.size(), 4U); // two tokens wait
  history.take(facts::JoinFired{.join_id = 5});
  history.complete(11);
  history.complete(12);
  history.place(13, "end", "c", 12);
  const auto observed = history.observed();
  ASSERT_EQ(observed.runs.size(), 4U);
  EXPECT_EQ(flows_of(observed, observed.runs[2]), "a b ");
  EXPECT_EQ(observed.flows[1].to, 2);
  EXPECT_EQ(observed.flows[2].from, 2);
  EXPECT_EQ(observed.runs[2].outcome, Outcome::completed);
}

TEST(RecorderTest, ScopesAreRunsOfTheTokenOrTheirOwn) {
  History history;
  history.place(10, "sub");
  history.take(
      facts::ScopeOpened{.scope_id = 2, .parent_id = kRoot, .token_id = 10, .node_id = "sub"});
  history.place(11, "inner", {}, {}, 2);
  history.take(
      facts::ScopeOpened{.scope_id = 3, .parent_id = 2, .token_id = 11, .node_id = "handler"});
  history.place(12, "innermost", {}, {}, 3);
  history.take(facts::TokenTerminated{.token_id = 12});
  history.take(facts::ScopeClosed{.scope_id = 3, .state = facts::ScopeState::terminated});
  const auto observed = history.observed();
  ASSERT_EQ(observed.runs.size(), 5U);
  EXPECT_EQ(observed.runs[2].in, 1);
  EXPECT_EQ(observed.runs[3].element, "handler");
  EXPECT_EQ(observed.runs[3].in, 1);
  EXPECT_EQ(observed.runs[3].outcome, Outcome::removed);
  EXPECT_EQ(observed.runs[4].in, 3);
  EXPECT_EQ(observed.runs[4].outcome, Outcome::removed);
}

TEST(RecorderTest, BehindAnEventBasedGatewayTheFlowIsNotCounted) {
  Drawing drawing;
  drawing.event_based_gateways = {"gateway"};
  History history(drawing);
  history.place(10, "gateway");
  history.move(10, "flow", "message");
  const auto observed = history.observed();
  EXPECT_TRUE(observed.flows.empty());
  EXPECT_EQ(observed.runs[2].gateway, 1);
  EXPECT_EQ(observed.runs[1].outcome, Outcome::completed);
}

TEST(RecorderTest, WhatThePreparationAddedIsLeftOut) {
  Drawing drawing;
  drawing.hidden = {"wait", "added"};
  History history(drawing);
  history.place(10, "wait");
  history.move(10, "added", "start");
  const auto observed = history.observed();
  ASSERT_EQ(observed.runs.size(), 2U);
  EXPECT_EQ(observed.runs[1].element, "start");
  EXPECT_TRUE(observed.runs[1].via.empty());
  EXPECT_TRUE(observed.flows.empty());
}

TEST(RecorderTest, TellsOfEveryStart) {
  History history;
  std::vector<std::string> started;
  history.recorder().on_start([&](const std::string& node) { started.push_back(node); });
  history.place(10, "a");
  history.move(10, "flow", "b");
  EXPECT_EQ(started, (std::vector<std::string>{"a", "b"}));
}

} // namespace
} // namespace perdure::conformance
