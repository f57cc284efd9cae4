// What a text table cannot say about decide: keys that run low, clocks that go back, values that
// are too large, many stuck gatherings.
#include "decide/decide.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "cases/machine.h"
#include "cases/model_text.h"
#include "facts/instance_state.h"

namespace perdure::cases {
namespace {

const Instant kNow = from_ms(1'767'225'600'000);

facts::StartRequested start(Value variables = Object{}) {
  facts::StartRequested event;
  event.definition_id = 1000;
  event.variables = std::move(variables);
  return event;
}

Value nested(int levels) {
  Value value = 1;
  for (int i = 0; i < levels; ++i)
    value = Object{{"a", std::move(value)}};
  return value;
}

TEST(Decide, AsksForABoundedNumberOfKeys) {
  std::string text = "node start startEvent\nnode fork parallelGateway\nflow start fork\n";
  for (int i = 0; i < 3'000; ++i) {
    const auto id = "t" + std::to_string(i);
    text += "node " + id + " serviceTask\nflow fork " + id + "\n";
  }
  const auto definition = parse_model(text);
  EXPECT_LE(decide::keys_needed({.max_moves = 1'000'000'000}, *definition), 50'000);
  EXPECT_GE(decide::keys_needed({.max_moves = 0}, *definition), 6'000);
  // One fork of three thousand, within the bound and beyond it.
  Machine machine(definition, {.max_moves = 100});
  EXPECT_FALSE(machine.send(start()).refusal);
  EXPECT_TRUE(machine.has_ready_tokens());
  EXPECT_EQ(machine.state().tokens.size(), 3'000U);
  EXPECT_TRUE(machine.problems().empty());
}

TEST(Decide, StopsEarlyWhenKeysRunLow) {
  const auto definition = parse_model(
      "node s startEvent\nnode m exclusiveGateway\nnode t scriptTask set x = 1\n"
      "flow s m\nflow m t\nflow t m\n");
  facts::InstanceState state;
  facts::Event event{.at = kNow, .keys = {.next = 1, .end = 31}, .data = start()};
  const auto first = decide::decide(*definition, state, event, {.max_moves = 1'000'000});
  EXPECT_FALSE(first.refusal);
  EXPECT_GT(first.keys.next, 3);
  EXPECT_LE(first.keys.next, 31);
  EXPECT_EQ(state.tokens.slots().front().row.state, facts::TokenState::ready);
  event.data = facts::Proceed{};
  event.keys = {.next = 31, .end = 61};
  const auto second = decide::decide(*definition, state, event, {.max_moves = 1'000'000});
  EXPECT_FALSE(second.facts.empty());
  EXPECT_GT(state.steps.size(), 2U);
}

TEST(Decide, ManyOpenJoinsDoNotKeepAnInstanceFromGoingOn) {
  // Every round leaves one more token at a join whose other flow nobody takes.
  Machine machine(parse_model("node s startEvent\nnode m exclusiveGateway\n"
                              "node f parallelGateway\nnode j parallelGateway\n"
                              "node never exclusiveGateway\nnode x exclusiveGateway\n"
                              "flow s m\nflow m f\nflow f j\nflow f x\n"
                              "flow x m default\nflow x never if false\nflow never j\n"),
                  {.max_moves = 6});
  machine.send(start());
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(machine.has_ready_tokens());
    ASSERT_FALSE(machine.send(facts::Proceed{}).facts.empty());
  }
  EXPECT_GT(machine.state().joins.size(), 60U);
  EXPECT_TRUE(machine.problems().empty()) << machine.problems().front();
  const auto cancelled = machine.send(facts::CancelRequested{});
  EXPECT_FALSE(cancelled.refusal);
  EXPECT_EQ(machine.state().instance.status, facts::InstanceStatus::cancelled);
  EXPECT_TRUE(machine.problems().empty());
}

TEST(Decide, TimesOfFactsNeverGoBack) {
  const auto definition = parse_model("node s startEvent\nnode a serviceTask\nflow s a\n");
  facts::InstanceState state;
  facts::Event event{.at = kNow, .keys = {.next = 1, .end = 101}, .data = start()};
  auto decision = decide::decide(*definition, state, event);
  const auto task_id = state.external_tasks.slots().front().row.id;
  event = {.at = kNow - std::chrono::hours(1),
           .keys = decision.keys,
           .data = facts::TaskCompleted{.task_id = task_id, .worker_id = {}, .variables = {}}};
  decision = decide::decide(*definition, state, event);
  ASSERT_FALSE(decision.refusal);
  for (const auto& fact : decision.facts)
    EXPECT_EQ(fact.at, kNow);
  EXPECT_EQ(state.instance.ended_at, kNow);
}

TEST(Decide, RefusesVariablesThatNobodyCouldReadBack) {
  const auto definition = parse_model("node s startEvent\nnode a userTask\nflow s a\n");
  Machine machine(definition);
  const auto refused = machine.send(start(nested(60)));
  ASSERT_TRUE(refused.refusal);
  EXPECT_EQ(refused.refusal->code, facts::RefusalCode::bad_variables);
  EXPECT_FALSE(machine.send(start(nested(59))).refusal);
  const auto large = machine.send(
      facts::UserTaskCompleted{.task_id = machine.user_task_of("a"),
                               .variables = Object{{"x", std::string(17'000'000, 'x')}}});
  ASSERT_TRUE(large.refusal);
  EXPECT_EQ(large.refusal->code, facts::RefusalCode::bad_variables);
  EXPECT_TRUE(machine.problems().empty());
}

TEST(Decide, AScriptThatNestsWithoutEndBecomesAnIncident) {
  Machine machine(
      parse_model("node s startEvent\nnode m exclusiveGateway\n"
                  "node t scriptTask set x = [x]\nflow s m\nflow m t\nflow t m\n"));
  machine.send(start(Object{{"x", 1}}));
  ASSERT_EQ(machine.state().incidents.size(), 1U);
  const auto& incident = machine.state().incidents.slots().front().row;
  EXPECT_EQ(incident.kind, facts::IncidentKind::expression_error);
  EXPECT_NE(incident.message.find("60 levels"), std::string::npos) << incident.message;
  EXPECT_TRUE(machine.problems().empty());
}

TEST(Decide, VisibleVariablesComeFromTheNearestScope) {
  facts::InstanceState state;
  const auto add = [&](Key id, std::optional<Key> parent_id, Object variables) {
    facts::Scope scope;
    scope.id = id;
    scope.parent_id = parent_id;
    scope.variables = std::move(variables);
    state.scopes.load(scope);
  };
  add(1, {}, {{"a", 1}, {"b", 1}, {"c", 1}});
  add(2, 1, {{"b", 2}, {"d", 2}});
  add(3, 2, {{"c", 3}});
  EXPECT_EQ(decide::visible_variables(state, 1), Value(Object{{"a", 1}, {"b", 1}, {"c", 1}}));
  EXPECT_EQ(decide::visible_variables(state, 3),
            Value(Object{{"a", 1}, {"b", 2}, {"c", 3}, {"d", 2}}));
}

TEST(Decide, SetAsideNeedsNoNodeOfTheModel) {
  const auto definition = parse_model("node s startEvent\nnode a serviceTask\nflow s a\n");
  Machine machine(definition);
  machine.send(start());
  auto state = machine.state();
  const auto other = parse_model("node s startEvent\nnode b serviceTask\nflow s b\n");
  const auto decision = decide::decide(*other, state,
                                       {.at = kNow,
                                        .keys = {.next = 1000, .end = 1100},
                                        .data = facts::SetAside{.message = "no such node"}});
  ASSERT_EQ(decision.facts.size(), 1U);
  EXPECT_EQ(state.incidents.slots().front().row.kind, facts::IncidentKind::engine_error);
}

} // namespace
} // namespace perdure::cases
