// Life: an instance written by hand, fact by fact, as decisions would. Its state is the one that a
// store must keep.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "facts/apply.h"
#include "store/store.h"

namespace perdure::test {

inline constexpr Instant kStart = from_ms(1'800'000'000'000);

struct Life {
  KeyRange keys;
  Key definition_id = kNoKey;
  facts::InstanceState state;
  std::vector<facts::Fact> facts; ///< not yet saved
  std::int64_t saved_version = 0;
  Instant now = kStart;
  Key root = kNoKey;

  Life(KeyRange fresh, Key definition) : keys(fresh), definition_id(definition) {}

  [[nodiscard]] Key id() const { return state.instance.id; }

  void emit(facts::FactData data) {
    facts::Fact fact{state.instance.last_sequence + 1, now, std::move(data)};
    facts::apply(state, fact);
    facts.push_back(std::move(fact));
  }

  void start(const Value& input = Object{}, std::optional<std::string> business_key = {},
             bool unique = false, const std::string& tenant_id = "",
             const std::string& process_id = "order") {
    const Key instance_id = keys.take();
    root = keys.take();
    emit(facts::InstanceStarted{.instance_id = instance_id,
                                .definition_id = definition_id,
                                .tenant_id = tenant_id,
                                .process_id = process_id,
                                .business_key = std::move(business_key),
                                .unique_business_key = unique,
                                .root_scope_id = root,
                                .input = input});
  }

  Key place(Key scope_id, const std::string& node_id, std::optional<Key> parent_id = {}) {
    const Key token_id = keys.take();
    emit(facts::TokenPlaced{token_id, scope_id, node_id, "flow_to_" + node_id, parent_id});
    return token_id;
  }

  facts::StepOpened step(Key token_id, facts::StepType type) {
    const auto& node_id = state.tokens.find(token_id)->node_id;
    const auto visits = state.visit_count(node_id);
    return {.step_id = keys.take(),
            .token_id = token_id,
            .slug = visits == 0 ? node_id : node_id + "#" + std::to_string(visits + 1),
            .node_id = node_id,
            .name = "Step " + node_id,
            .type = type,
            .parent_step_id = {},
            .max_attempts = 1,
            .worker = {},
            .user = {},
            .timer = {}};
  }

  struct Work {
    Key step_id = kNoKey;
    Key task_id = kNoKey;
  };

  Work open_work(Key token_id, const std::string& type = "payment", std::int64_t attempts = 3,
                 std::int64_t priority = 0) {
    auto opened = step(token_id, facts::StepType::service_task);
    opened.max_attempts = attempts;
    opened.worker = facts::WorkerPart{keys.take(), type, priority, Object{{"amount", 12}}};
    const Work work{opened.step_id, opened.worker->task_id};
    emit(std::move(opened));
    return work;
  }

  Work open_user_work(Key token_id, std::optional<std::string> assignee = {}) {
    auto opened = step(token_id, facts::StepType::user_task);
    opened.user = facts::UserPart{.task_id = keys.take(),
                                  .assignee = std::move(assignee),
                                  .candidate_groups = Array{"sales", "board"},
                                  .candidate_users = Array{},
                                  .due_at = now + Duration(1000),
                                  .follow_up_at = {},
                                  .form_reference = "form-1",
                                  .priority = 50};
    const Work work{opened.step_id, opened.user->task_id};
    emit(std::move(opened));
    return work;
  }

  Work open_timer(Key token_id, Instant due_at) {
    auto opened = step(token_id, facts::StepType::sleep);
    opened.timer = facts::TimerPart{keys.take(), due_at};
    const Work work{opened.step_id, opened.timer->timer_id};
    emit(std::move(opened));
    return work;
  }

  void lock(const Work& work, const std::string& worker_id, Duration lock = Duration(30'000)) {
    const auto number = state.steps.find(work.step_id)->attempt_count + 1;
    emit(facts::AttemptStarted{work.step_id, work.task_id, number, worker_id, now + lock});
  }

  void succeed(const Work& work, std::optional<Value> output = {}) {
    const auto number = state.steps.find(work.step_id)->attempt_count;
    emit(facts::AttemptSucceeded{work.step_id, work.task_id, number, std::move(output)});
  }

  void fail(const Work& work, std::int64_t retries, Duration delay = Duration(250)) {
    facts::AttemptFailed failed{.step_id = work.step_id,
                                .task_id = work.task_id,
                                .number = state.steps.find(work.step_id)->attempt_count,
                                .error_name = "CardDeclined",
                                .error_message = "The card was declined.",
                                .retries = retries,
                                .next_attempt_at = {}};
    if (retries > 0) failed.next_attempt_at = now + delay;
    emit(std::move(failed));
  }

  void release(const Work& work) {
    const auto number = state.steps.find(work.step_id)->attempt_count;
    emit(facts::AttemptReleased{work.step_id, work.task_id, number});
  }

  /// Completes every live token and the instance.
  void finish() {
    std::vector<Key> live;
    for (const auto& slot : state.tokens.slots()) {
      if (!is_terminal(slot.row.state)) live.push_back(slot.row.id);
    }
    for (const auto token_id : live)
      emit(facts::TokenCompleted{token_id});
    emit(facts::InstanceCompleted{});
  }

  [[nodiscard]] store::Unit unit() const {
    return {.state = &state,
            .base_version = saved_version,
            .facts = facts,
            .idempotency = {},
            .audit = {}};
  }

  /// After a commit of unit().
  void saved() {
    saved_version = state.instance.version;
    state.saved();
    facts.clear();
  }
};

template <class Row>
std::vector<Row> rows(const facts::Table<Row>& table) {
  std::vector<Row> rows;
  for (const auto& slot : table.slots())
    rows.push_back(slot.row);
  return rows;
}

/// Compares two states, table by table.
inline void expect_equal(const facts::InstanceState& left, const facts::InstanceState& right) {
  EXPECT_TRUE(left.instance == right.instance);
  EXPECT_TRUE(rows(left.scopes) == rows(right.scopes));
  EXPECT_TRUE(rows(left.tokens) == rows(right.tokens));
  EXPECT_TRUE(rows(left.steps) == rows(right.steps));
  EXPECT_TRUE(rows(left.attempts) == rows(right.attempts));
  EXPECT_TRUE(rows(left.external_tasks) == rows(right.external_tasks));
  EXPECT_TRUE(rows(left.user_tasks) == rows(right.user_tasks));
  EXPECT_TRUE(rows(left.timers) == rows(right.timers));
  EXPECT_TRUE(rows(left.joins) == rows(right.joins));
  EXPECT_TRUE(rows(left.arrivals) == rows(right.arrivals));
  EXPECT_TRUE(rows(left.incidents) == rows(right.incidents));
  EXPECT_TRUE(rows(left.dead_letters) == rows(right.dead_letters));
  EXPECT_TRUE(rows(left.subscriptions) == rows(right.subscriptions));
  EXPECT_TRUE(rows(left.compensations) == rows(right.compensations));
  EXPECT_TRUE(rows(left.evaluations) == rows(right.evaluations));
  EXPECT_TRUE(rows(left.migrations) == rows(right.migrations));
  EXPECT_TRUE(left.visits == right.visits);
  EXPECT_TRUE(left.generations == right.generations);
}

} // namespace perdure::test
