// "What is it waiting for?" in plain words, for every row that a token can rest on.
#include "api/instance_view.h"

#include <gtest/gtest.h>

namespace perdure::api {
namespace {

using facts::TokenState;

const Instant kNow = from_ms(1'767'268'800'000); // 2026-01-01T12:00:00.000Z

std::string waiting(const InstanceView& view, TokenState state = TokenState::waiting) {
  return waiting_for(view, {.id = 1, .node_id = "Node", .state = state}, kNow);
}

InstanceView with_task(facts::ExternalTask task) {
  task.token_id = 1;
  task.type = "payment";
  InstanceView view;
  view.external_tasks.push_back(std::move(task));
  return view;
}

TEST(WaitingFor, Workers) {
  EXPECT_EQ(waiting(with_task({.available_at = kNow})), R"(a worker for "payment")");
  EXPECT_EQ(waiting(with_task({.available_at = kNow, .attempt = 1})),
            R"(a worker for attempt 2 of "payment")");
  EXPECT_EQ(waiting(with_task({.available_at = kNow + Duration(500), .attempt = 2})),
            R"(the back-off until 2026-01-01T12:00:00.500Z, then attempt 3 of "payment")");
  EXPECT_EQ(
      waiting(with_task({.state = facts::TaskState::locked,
                         .worker_id = "w1",
                         .lock_expires_at = kNow,
                         .attempt = 1}),
              TokenState::executing),
      R"(worker "w1" to finish attempt 1 of "payment", locked until 2026-01-01T12:00:00.000Z)");
}

TEST(WaitingFor, People) {
  InstanceView view;
  auto& task = view.user_tasks.emplace_back();
  task = {.token_id = 1, .node_id = "Node", .name = "Review"};
  EXPECT_EQ(waiting(view), R"(someone to complete the user task "Review")");
  task.candidate_groups = Array{"clerks", "managers"};
  EXPECT_EQ(waiting(view), R"(someone of "clerks", "managers" to complete the user task "Review")");
  task.assignee = "ada";
  task.name = "";
  EXPECT_EQ(waiting(view), R"(ada to complete the user task "Node")");
}

TEST(WaitingFor, TimersScopesJoinsAndTheEngine) {
  InstanceView timer;
  timer.timers.push_back({.token_id = 1, .due_at = kNow});
  EXPECT_EQ(waiting(timer), "the timer due at 2026-01-01T12:00:00.000Z");
  InstanceView scope;
  scope.scopes.push_back({.token_id = 1, .node_id = "Node", .kind = facts::ScopeKind::activity});
  EXPECT_EQ(waiting(scope), R"(the other branches to reach "Node")");
  scope.scopes.push_back({.token_id = 1, .node_id = "Node"});
  EXPECT_EQ(waiting(scope), R"(the sub-process "Node" to end)");
  scope.scopes.back().kind = facts::ScopeKind::multi_instance;
  EXPECT_EQ(waiting(scope), R"(all runs of "Node" to end)");
  EXPECT_EQ(waiting({}), R"(the other branches to reach "Node")");
  EXPECT_EQ(waiting({}, TokenState::ready), "the engine, which moves it next");
}

TEST(WaitingFor, AnIncidentGoesBeforeAll) {
  auto view = with_task({});
  view.incidents.push_back({.id = 5, .token_id = 1, .message = "Card declined."});
  EXPECT_EQ(waiting(view), "an operator to resolve the incident 5: Card declined.");
}

TEST(RootVariables, AreThoseOfTheScopeWithoutParent) {
  EXPECT_EQ(root_variables({}), Value(Object{}));
  EXPECT_EQ(root_variables({{.id = 2, .parent_id = 1, .variables = Object{{"a", 1}}},
                            {.id = 1, .variables = Object{{"b", 2}}}}),
            Value(Object{{"b", 2}}));
}

} // namespace
} // namespace perdure::api
