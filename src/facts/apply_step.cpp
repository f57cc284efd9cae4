// What facts about steps do: the step with its attempts, worker task, user task and timer.
#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "facts/appliers.h"

namespace perdure::facts {

namespace {

void count_visit(InstanceState& state, const std::string& node_id, std::int64_t listener) {
  const auto key = std::tuple(std::string_view(node_id), listener);
  auto entry = std::ranges::lower_bound(state.visits, key, {}, visits_key);
  if (entry == state.visits.end() || visits_key(*entry) != key) {
    entry = state.visits.insert(entry, {node_id, listener, 0});
  }
  ++entry->count;
}

/// The open step and its task, which must be each other's.
StepRecord& change_step(InstanceState& state, Instant at, Key step_id) {
  auto& step = state.steps.update(step_id);
  PERDURE_CHECK(!is_terminal(step.status));
  step.updated_at = at;
  return step;
}

ExternalTask& change_task(InstanceState& state, Key step_id, Key task_id) {
  auto& task = state.external_tasks.update(task_id);
  PERDURE_CHECK(task.step_id == step_id);
  PERDURE_CHECK(task.state != TaskState::completed && task.state != TaskState::cancelled);
  return task;
}

StepAttempt& end_attempt(InstanceState& state, Instant at, Key step_id, std::int64_t number,
                         AttemptState end) {
  auto& attempt = state.attempts.update(std::tuple(step_id, number));
  PERDURE_CHECK(attempt.state == AttemptState::started);
  attempt.state = end;
  attempt.ended_at = at;
  return attempt;
}

void unlock(ExternalTask& task, TaskState next) {
  task.state = next;
  task.worker_id.reset();
  task.lock_expires_at.reset();
}

void complete_step(StepRecord& step, Instant at, const std::optional<Value>& output) {
  step.status = StepStatus::completed;
  step.output_type = output ? OutputType::json : OutputType::none;
  step.output = output;
  step.completed_at = at;
}

/// After an attempt that did not succeed: available again at that time, or failed for good.
void retry_or_fail(InstanceState& state, Instant at, StepRecord& step, ExternalTask& task,
                   std::int64_t retries, const std::optional<Instant>& available_at) {
  PERDURE_CHECK(task.state == TaskState::locked);
  PERDURE_CHECK(retries >= 0 && retries < std::max<std::int64_t>(task.retries, 1));
  PERDURE_CHECK(available_at.has_value() == (retries > 0));
  task.retries = retries;
  if (available_at) {
    unlock(task, TaskState::ready);
    task.available_at = *available_at;
    step.status = StepStatus::pending;
  } else {
    unlock(task, TaskState::failed);
    task.ended_at = at;
    step.status = StepStatus::failed;
    step.completed_at = at;
  }
  change_token(state, task.token_id, TokenState::waiting);
}

void open_worker_task(InstanceState& state, Instant at, const StepOpened& fact) {
  const auto& worker = *fact.worker;
  PERDURE_CHECK(worker.variables.is_object());
  state.external_tasks.insert({.id = worker.task_id,
                               .instance_id = state.instance.id,
                               .token_id = fact.token_id,
                               .step_id = fact.step_id,
                               .node_id = fact.node_id,
                               .type = worker.type,
                               .priority = worker.priority,
                               .state = TaskState::ready,
                               .retries = fact.max_attempts,
                               .available_at = at,
                               .worker_id = {},
                               .lock_expires_at = {},
                               .attempt = 0,
                               .variables = worker.variables,
                               .created_at = at,
                               .ended_at = {}});
}

void open_user_task(InstanceState& state, Instant at, const StepOpened& fact) {
  const auto& user = *fact.user;
  PERDURE_CHECK(user.candidate_groups.is_array() && user.candidate_users.is_array());
  state.user_tasks.insert({.id = user.task_id,
                           .instance_id = state.instance.id,
                           .token_id = fact.token_id,
                           .step_id = fact.step_id,
                           .node_id = fact.node_id,
                           .name = fact.name,
                           .state = UserTaskState::open,
                           .assignee = user.assignee,
                           .candidate_groups = user.candidate_groups,
                           .candidate_users = user.candidate_users,
                           .due_at = user.due_at,
                           .follow_up_at = user.follow_up_at,
                           .form_reference = user.form_reference,
                           .priority = user.priority,
                           .created_at = at,
                           .ended_at = {}});
}

void open_timer(InstanceState& state, Instant at, const StepOpened& fact) {
  state.timers.insert({.id = fact.timer->timer_id,
                       .instance_id = state.instance.id,
                       .token_id = fact.token_id,
                       .step_id = fact.step_id,
                       .node_id = fact.node_id,
                       .status = TimerStatus::scheduled,
                       .due_at = fact.timer->due_at,
                       .occurrence = 1,
                       .cycle = {},
                       .created_at = at,
                       .ended_at = {},
                       .scope_id = {},
                       .position = 0});
}

} // namespace

void apply_fact(InstanceState& state, Instant at, const StepOpened& fact) {
  PERDURE_CHECK(fact.max_attempts >= 1);
  PERDURE_CHECK(fact.worker.has_value() + fact.user.has_value() + fact.timer.has_value() <= 1);
  PERDURE_CHECK(fact.listener.has_value() == (fact.type == StepType::listener));
  auto& token = change_token(state, fact.token_id, TokenState::waiting);
  PERDURE_CHECK(!fact.listener || *fact.listener > token.listener);
  token.listener = fact.listener.value_or(token.listener);
  count_visit(state, fact.node_id, fact.listener.value_or(0));
  StepRecord step;
  step.instance_id = state.instance.id;
  step.id = fact.step_id;
  step.slug = fact.slug;
  step.node_id = fact.node_id;
  step.name = fact.name;
  step.type = fact.type;
  step.ordinal = ++state.instance.step_count;
  step.parent_step_id = fact.parent_step_id;
  step.token_id = fact.token_id;
  step.max_attempts = fact.max_attempts;
  step.called_instance_id = fact.called_instance_id;
  step.listener = fact.listener;
  step.created_at = at;
  step.updated_at = at;
  if (fact.worker) {
    step.status = StepStatus::pending;
    open_worker_task(state, at, fact);
  } else {
    const bool waits = fact.user || fact.timer || waits_for_event(fact.type);
    step.status = waits ? StepStatus::waiting : StepStatus::running;
    step.started_at = at;
    step.attempt_count = 1;
    if (fact.user) open_user_task(state, at, fact);
    if (fact.timer) open_timer(state, at, fact);
  }
  state.steps.insert(std::move(step));
}

void apply_fact(InstanceState& state, Instant at, const AttemptStarted& fact) {
  auto& step = change_step(state, at, fact.step_id);
  auto& task = change_task(state, fact.step_id, fact.task_id);
  PERDURE_CHECK(task.state == TaskState::ready && step.status == StepStatus::pending);
  PERDURE_CHECK(fact.number == step.attempt_count + 1 && fact.number <= step.max_attempts);
  step.status = StepStatus::running;
  step.attempt_count = fact.number;
  if (!step.started_at) step.started_at = at;
  task.state = TaskState::locked;
  task.worker_id = fact.worker_id;
  task.lock_expires_at = fact.lock_expires_at;
  task.attempt = fact.number;
  state.attempts.insert({.instance_id = state.instance.id,
                         .step_id = fact.step_id,
                         .number = fact.number,
                         .state = AttemptState::started,
                         .worker_id = fact.worker_id,
                         .result_type = OutputType::none,
                         .result = {},
                         .error_name = {},
                         .error_message = {},
                         .started_at = at,
                         .ended_at = {},
                         .next_attempt_at = {}});
  auto& token = change_token(state, task.token_id, TokenState::executing);
  token.attempt = fact.number;
}

void apply_fact(InstanceState& state, Instant, const LockExtended& fact) {
  auto& task = state.external_tasks.update(fact.task_id);
  PERDURE_CHECK(task.state == TaskState::locked);
  task.lock_expires_at = fact.lock_expires_at;
}

void apply_fact(InstanceState& state, Instant at, const AttemptSucceeded& fact) {
  auto& step = change_step(state, at, fact.step_id);
  auto& task = change_task(state, fact.step_id, fact.task_id);
  PERDURE_CHECK(task.state == TaskState::locked && step.status == StepStatus::running);
  auto& attempt = end_attempt(state, at, fact.step_id, fact.number, AttemptState::succeeded);
  attempt.result_type = fact.output ? OutputType::json : OutputType::none;
  attempt.result = fact.output;
  complete_step(step, at, fact.output);
  unlock(task, TaskState::completed);
  task.ended_at = at;
  // Not ready: that means "before its node". The same decision goes on to move the token.
  change_token(state, task.token_id, TokenState::waiting);
}

void apply_fact(InstanceState& state, Instant at, const AttemptFailed& fact) {
  auto& step = change_step(state, at, fact.step_id);
  auto& task = change_task(state, fact.step_id, fact.task_id);
  auto& attempt = end_attempt(state, at, fact.step_id, fact.number, AttemptState::failed);
  attempt.error_name = fact.error_name;
  attempt.error_message = fact.error_message;
  attempt.next_attempt_at = fact.next_attempt_at;
  retry_or_fail(state, at, step, task, fact.retries, fact.next_attempt_at);
  if (step.status == StepStatus::failed) {
    step.error_name = fact.error_name;
    step.error_message = fact.error_message;
  }
}

void apply_fact(InstanceState& state, Instant at, const AttemptInterrupted& fact) {
  auto& step = change_step(state, at, fact.step_id);
  auto& task = change_task(state, fact.step_id, fact.task_id);
  end_attempt(state, at, fact.step_id, fact.number, AttemptState::interrupted);
  retry_or_fail(state, at, step, task, fact.retries, fact.available_at);
  if (step.status == StepStatus::failed) {
    step.error_name = "LockExpired";
    step.error_message = "The worker's lock ran out before it reported.";
  }
}

void apply_fact(InstanceState& state, Instant at, const AttemptReleased& fact) {
  auto& step = change_step(state, at, fact.step_id);
  auto& task = change_task(state, fact.step_id, fact.task_id);
  PERDURE_CHECK(task.state == TaskState::locked);
  end_attempt(state, at, fact.step_id, fact.number, AttemptState::released);
  unlock(task, TaskState::ready);
  task.available_at = at;
  step.status = StepStatus::pending;
  ++step.max_attempts; // the number is used up, the attempt is not
  change_token(state, task.token_id, TokenState::waiting);
}

void apply_fact(InstanceState& state, Instant at, const StepRetried& fact) {
  auto& step = change_step(state, at, fact.step_id);
  auto& task = change_task(state, fact.step_id, fact.task_id);
  PERDURE_CHECK(step.status == StepStatus::failed && task.state == TaskState::failed);
  PERDURE_CHECK(fact.retries >= 1);
  step.status = StepStatus::pending;
  step.completed_at.reset();
  step.error_name.reset();
  step.error_message.reset();
  task.state = TaskState::ready;
  task.retries += fact.retries;
  task.available_at = at;
  task.ended_at.reset();
  step.max_attempts = std::max(step.max_attempts, step.attempt_count + task.retries);
}

void apply_fact(InstanceState& state, Instant at, const StepCompleted& fact) {
  auto& step = change_step(state, at, fact.step_id);
  PERDURE_CHECK(step.status == StepStatus::running || step.status == StepStatus::waiting);
  complete_step(step, at, fact.output);
  for (const auto& row : state.user_tasks.of(Link::step, fact.step_id)) {
    auto& task = state.user_tasks.update(row.id);
    PERDURE_CHECK(task.state == UserTaskState::open);
    task.state = UserTaskState::completed;
    task.ended_at = at;
  }
}

void apply_fact(InstanceState& state, Instant at, const StepCancelled& fact) {
  auto& step = change_step(state, at, fact.step_id);
  if (step.status == StepStatus::running &&
      state.attempts.find(std::tuple(step.id, step.attempt_count)) != nullptr) {
    end_attempt(state, at, step.id, step.attempt_count, AttemptState::interrupted);
  }
  step.status = StepStatus::cancelled;
  step.error_name.reset();
  step.error_message.reset();
  step.completed_at = at;
  for (const auto& row : state.external_tasks.of(Link::step, fact.step_id)) {
    auto& task = change_task(state, fact.step_id, row.id);
    unlock(task, TaskState::cancelled);
    task.ended_at = at;
  }
  for (const auto& row : state.user_tasks.of(Link::step, fact.step_id)) {
    auto& task = state.user_tasks.update(row.id);
    task.state = UserTaskState::cancelled;
    task.ended_at = at;
  }
  for (const auto& row : state.timers.of(Link::step, fact.step_id)) {
    auto& timer = state.timers.update(row.id);
    timer.status = TimerStatus::cancelled;
    timer.ended_at = at;
  }
}

} // namespace perdure::facts
