// Events around the end of a run: they go to the run that continues it, or leave no row.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "many/many_fixture.h"

namespace perdure::engine {
namespace {

using facts::InstanceStatus;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// Goes on as a new run at the event "turn", until one was begun with 3; that one gives the two
/// texts that were said.
FlowCode turning() {
  return code_of("flow", 1, [](Flow& flow, Value input) -> Task<std::optional<Value>> {
    const auto* given = input.find("input");
    const auto round = given ? *given->as<std::int64_t>() : 1;
    if (round < 3) {
      co_await flow.wait("turn", "turn");
      co_await flow.continue_as_new(round + 1);
    }
    const auto a = co_await flow.wait<std::string>("a", "said");
    const auto b = co_await flow.wait<std::string>("b", "said");
    co_return Value(a + b);
  });
}

class Chain : public EveryDatabase {
protected:
  static MessageCommand message(Key id, std::string_view event, std::string_view text = "",
                                std::optional<std::string> message_id = {}) {
    return {.name = std::string(event),
            .variables = Object{{"payload", std::string(text)}},
            .time_to_live = std::chrono::hours(1),
            .message_id = std::move(message_id),
            .starts_nothing = true,
            .run_id = id,
            .idempotency = {}};
  }
  /// What became of it, and whether it was known already.
  std::string tell(FlowNode& node, MessageCommand command) {
    const auto sent = ask<Correlated>(
        [&](auto reply) { node.engine->send_message(std::move(command), std::move(reply)); });
    if (!sent) return outcome_of(sent);
    return std::string(name_of(sent->fate)) + (sent->repeated ? " again" : "");
  }
  /// Sends it on its turn and returns the next run.
  Key turn(FlowNode& node, Key id) {
    const auto begun = instances().size();
    EXPECT_EQ(tell(node, message(id, "turn")), "taken");
    node.watcher.await(id, "flow_ended");
    EXPECT_TRUE(wait_until([&] {
      settle(node);
      return instances().size() > begun;
    }));
    const auto next = instances().back();
    node.watcher.await(next, "flow_step_opened");
    return next;
  }
  /// Keys of the messages that nobody has taken, in the order in which they came.
  std::vector<std::string> waiting() {
    return texts("SELECT correlation_key FROM inbound_event WHERE claimed_at IS NULL ORDER BY id");
  }
  Value output(Key id) {
    const auto rows = record(id).rows;
    const auto* value = rows.scopes.slots().front().row.variables.find("output");
    return value != nullptr ? *value : Value();
  }
};
INSTANTIATE_TEST_SUITE_P(, Chain, testing::Values(Database::sqlite, Database::postgres),
                         [](const auto& given) {
                           return given.param == Database::sqlite ? "sqlite" : "postgres";
                         });

TEST_P(Chain, EventsThatWereNotTakenGoToTheRunThatContinues) {
  const auto node = make("a", {turning()});
  const auto first = start(*node);
  node->watcher.await(first, "flow_step_opened");
  EXPECT_EQ(tell(*node, message(first, "said", "x", "m-1")), "buffered");
  EXPECT_EQ(tell(*node, message(first, "said", "y", "m-2")), "buffered");
  EXPECT_THAT(waiting(), ElementsAre(key_text(first), key_text(first)));
  const auto second = turn(*node, first);
  EXPECT_THAT(waiting(), ElementsAre(key_text(second), key_text(second)));
  EXPECT_EQ(tell(*node, message(first, "said", "x", "m-1")), "buffered again");
  const auto third = turn(*node, second);
  node->watcher.await(third, "flow_ended");
  EXPECT_EQ(output(third), Value("xy"));
  EXPECT_THAT(waiting(), IsEmpty());
  EXPECT_THAT(texts("SELECT correlation_key FROM inbound_event ORDER BY id"),
              ElementsAre(key_text(third), key_text(third)));
}

TEST_P(Chain, OneToAnEarlierRunGoesToTheOneThatLives) {
  const auto node = make("a", {turning()});
  const auto first = start(*node);
  node->watcher.await(first, "flow_step_opened");
  const auto second = turn(*node, first);
  EXPECT_EQ(tell(*node, message(first, "said", "x")), "buffered");
  EXPECT_THAT(waiting(), ElementsAre(key_text(second)));
  const auto third = turn(*node, first);
  node->watcher.await(third, "flow_step_opened", 2);
  EXPECT_EQ(tell(*node, message(first, "said", "y")), "taken");
  node->watcher.await(third, "flow_ended");
  EXPECT_EQ(output(third), Value("xy"));
  for (const auto id : {first, second, third})
    EXPECT_EQ(tell(*node, message(id, "said", "z", "late")), "dropped");
  EXPECT_EQ(tell(*node, message(4711, "said")), "not_found");
  EXPECT_THAT(waiting(), IsEmpty());
}

TEST_P(Chain, AnIdFindsTheRunThatLives) {
  const auto node = make("a", {turning()});
  const StartCommand command{.process_id = "flow",
                             .business_key = "agent-7",
                             .unique_business_key = true,
                             .variables = Object{}};
  const auto first = start(*node, command);
  node->watcher.await(first, "flow_step_opened");
  const auto second = turn(*node, first);
  EXPECT_EQ(record(second).rows.instance.business_key, "agent-7");
  EXPECT_FALSE(record(second).rows.instance.unique_business_key);
  const auto again =
      ask<Started>([&](auto reply) { node->engine->start_instance(command, std::move(reply)); });
  EXPECT_EQ(outcome_of(again), "refused BusinessKeyTaken");
  EXPECT_EQ(again.error().existing_id, second);
  EXPECT_THAT(instances(), SizeIs(2));
}

// Whichever comes first: the events that end a run and those that it will never take.
void expect_no_row(std::vector<std::future<Answer<Correlated>>>& answers) {
  for (auto& answer : answers)
    EXPECT_TRUE(take(answer));
}

TEST_P(Chain, EventsAtTheMomentOfTheEndLeaveNoRow) {
  constexpr int kRuns = 50;
  const auto node = make(
      "a",
      {code_of("flow", 1, [](Flow& flow) -> Task<void> { co_await flow.wait("wait", "go"); })});
  std::vector<Key> ids;
  for (int i = 0; i < kRuns; ++i)
    ids.push_back(start(*node));
  node->watcher.await(kNoKey, "flow_step_opened", kRuns);
  std::vector<std::future<Answer<Correlated>>> answers;
  const auto tell_all = [&](std::string_view event) {
    for (const auto id : ids) {
      auto [reply, future] = promise_reply<Correlated>();
      node->engine->send_message(message(id, event), std::move(reply));
      answers.push_back(std::move(future));
    }
  };
  tell_all("go");
  for (int i = 0; i < 20; ++i)
    tell_all("unheard of");
  expect_no_row(answers);
  node->watcher.await(kNoKey, "flow_ended", kRuns);
  EXPECT_EQ(count(InstanceStatus::completed), kRuns);
  EXPECT_THAT(waiting(), IsEmpty());
}

using ChainOnTwoNodes = TwoNodes;

TEST_F(ChainOnTwoNodes, EventsFromAnotherNodeAtTheMomentOfTheEndLeaveNoRow) {
  constexpr int kRuns = 30;
  const auto code =
      code_of("flow", 1, [](Flow& flow) -> Task<void> { co_await flow.wait("wait", "go"); });
  const auto left = make("left", {code});
  const auto right = make("right", {code});
  std::vector<Key> ids;
  for (int i = 0; i < kRuns; ++i)
    ids.push_back(start(*left));
  left->watcher.await(kNoKey, "flow_step_opened", kRuns);
  std::vector<std::future<Answer<Correlated>>> answers;
  const auto tell_all = [&](FlowNode& node, const std::string& event) {
    for (const auto id : ids) {
      auto [reply, future] = promise_reply<Correlated>();
      node.engine->send_message({.name = event,
                                 .variables = Object{},
                                 .time_to_live = std::chrono::hours(1),
                                 .starts_nothing = true,
                                 .run_id = id,
                                 .idempotency = {}},
                                std::move(reply));
      answers.push_back(std::move(future));
    }
  };
  tell_all(*right, "unheard of");
  tell_all(*left, "go");
  for (int i = 0; i < 20; ++i)
    tell_all(*right, "unheard of");
  expect_no_row(answers);
  ASSERT_TRUE(wait_until([&] {
    left->engine->wake();
    return count(InstanceStatus::completed) == kRuns;
  }));
  EXPECT_THAT(texts("SELECT name FROM inbound_event WHERE claimed_at IS NULL"), IsEmpty());
}

} // namespace
} // namespace perdure::engine
