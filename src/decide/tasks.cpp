// What workers and people do with their tasks: lock, extend, complete, fail, give
// back; and locks that run out.
#include <algorithm>
#include <expected>
#include <string>
#include <utility>

#include "base/check.h"
#include "decide/data.h"
#include "decide/elements.h"
#include "decide/events.h"
#include "decide/incidents.h"
#include "decide/listeners.h"
#include "decide/scopes.h"
#include "decide/throwing.h"

namespace perdure::decide {

using facts::ExternalTask;
using facts::RefusalCode;
using facts::TaskState;

namespace {

/// Who completes a task by hand.
constexpr std::string_view kOperator = "operator";
/// A delay beyond this is as good as for ever, and adding it to a time stays defined.
constexpr Duration kMaxDelay = std::chrono::days(36'500);

template <class Row>
using Found = std::expected<const Row*, facts::Refusal>;

std::unexpected<facts::Refusal> refused(RefusalCode code, std::string message) {
  return std::unexpected(facts::Refusal{code, std::move(message)});
}

/// The task as long as it is open. The engine sends only ids that exist, so one that is not here is
/// over.
Found<ExternalTask> open_task(const Draft& draft, Key task_id) {
  const auto* task = draft.state().external_tasks.find(task_id);
  if (!task || task->state == TaskState::completed || task->state == TaskState::cancelled) {
    return refused(RefusalCode::token_finalized_twice,
                   "This task was already completed or cancelled: take the next one.");
  }
  return task;
}

/// The task when that worker was the last to lock it, in time or not.
Found<ExternalTask> locked_task(const Draft& draft, Key task_id, std::string_view worker_id) {
  const auto task = open_task(draft, task_id);
  if (!task) return task;
  const auto& row = **task;
  if (row.state != TaskState::locked || row.worker_id != worker_id) {
    return refused(RefusalCode::lease_conflict,
                   "The worker `" + std::string(worker_id) +
                       "` does not hold the lock of this task: fetch and lock it first.");
  }
  return task;
}

/// The task when that worker holds its lock.
Found<ExternalTask> held_task(const Draft& draft, Key task_id, std::string_view worker_id) {
  const auto task = locked_task(draft, task_id, worker_id);
  if (!task) return task;
  const auto& row = **task;
  if (*row.lock_expires_at <= draft.at()) {
    return refused(RefusalCode::lease_conflict,
                   "The lock of this task ran out at " + to_text(*row.lock_expires_at) +
                       ": fetch and lock it again, with a longer time.");
  }
  return task;
}

/// Whether the task is not the work of its node but that of a listener.
bool is_listener(const Draft& draft, const ExternalTask& task) {
  const auto* step = draft.state().steps.find(task.step_id);
  PERDURE_CHECK(step != nullptr);
  return step->type == facts::StepType::listener;
}

Duration back_off(const Draft& draft, const ExternalTask& task) {
  const auto index = draft.definition().find_node(task.node_id);
  PERDURE_CHECK(index != definition::kNone);
  const auto& worker = draft.definition().node(index).worker;
  if (worker && !worker->retry_backoff.empty() && !is_listener(draft, task)) {
    const auto last = static_cast<std::int64_t>(worker->retry_backoff.size()) - 1;
    const auto position = std::clamp<std::int64_t>(task.attempt - 1, 0, last);
    return worker->retry_backoff[static_cast<std::size_t>(position)];
  }
  const auto& policy = draft.policy();
  auto wait = policy.backoff_initial;
  for (std::int64_t n = 1; n < task.attempt && wait < policy.backoff_cap; ++n) {
    wait *= policy.backoff_factor;
  }
  return std::min(wait, policy.backoff_cap);
}

/// The last attempt did not succeed: dead letter and incident.
void give_up(Draft& draft, Key task_id, std::string_view error_name,
             std::string_view error_message) {
  const auto& task = *draft.state().external_tasks.find(task_id);
  const auto visit = draft.visit_of(task.token_id);
  Object error{{"name", error_name}, {"message", error_message}};
  Trouble trouble;
  trouble.kind = facts::IncidentKind::retries_exhausted;
  const auto& name =
      is_listener(draft, task) ? draft.state().steps.find(task.step_id)->slug : task.node_id;
  trouble.message = "No attempt is left for `" + name + "` after attempt " +
                    std::to_string(task.attempt) + ": mend the cause, then retry.";
  trouble.details = Object{{"task_id", key_text(task_id)},
                           {"type", task.type},
                           {"attempts", task.attempt},
                           {"error", error}};
  draft.emit(facts::DeadLetterOpened{
      .dead_letter_id = draft.take_key(),
      .task_id = task_id,
      .kind = facts::DeadLetterKind::exhausted_task,
      .reason = std::string(error_message),
      .payload =
          Object{{"type", task.type},
                 {"node_id", task.node_id},
                 {"variables",
                  visible_variables(draft.state(), variables_of(draft.state(), task.token_id))},
                 {"error", std::move(error)}}});
  open_incident(draft, visit, std::move(trouble));
}

/// An operator completes what no worker holds: the attempt is his.
void start_by_hand(Draft& draft, Key task_id) {
  const auto* task = draft.state().external_tasks.find(task_id);
  const auto step_id = task->step_id;
  if (task->state == TaskState::failed) {
    draft.emit(facts::StepRetried{.step_id = step_id, .task_id = task_id, .retries = 1});
    requeue_dead_letter(draft, task_id);
  }
  draft.emit(facts::AttemptStarted{.step_id = step_id,
                                   .task_id = task_id,
                                   .number = task->attempt + 1,
                                   .worker_id = std::string(kOperator),
                                   .lock_expires_at = draft.at()});
}

std::optional<Value> output_of(const std::optional<Value>& variables) {
  return variables && variables->is_object() ? variables : std::nullopt;
}

/// A listener stands beside the work: what the model catches there is not its own.
MaybeRefusal refuse_listener(const Draft& draft, const ExternalTask& task, std::string_view what) {
  if (!is_listener(draft, task)) return accepted();
  return refuse(RefusalCode::token_invalid_transition,
                "A listener cannot throw an " + std::string(what) +
                    " of the model: fail its task, or set a variable that the model looks at.");
}

/// The step is done: its variables are set and its token leaves.
void hand_over(Draft& draft, Key token_id, const std::optional<Value>& variables) {
  const auto visit = draft.visit_of(token_id);
  const auto* members = variables ? variables->as<Object>() : nullptr;
  if (members) take_result(draft, visit, *members);
  leave(draft, visit);
}

} // namespace

MaybeRefusal decide_event(Draft& draft, const facts::TaskLocked& event) {
  const auto task = open_task(draft, event.task_id);
  if (!task) return task.error();
  const auto& row = **task;
  if (row.state != TaskState::ready || row.available_at > draft.at()) {
    return refuse(RefusalCode::token_invalid_transition,
                  "This task cannot be locked now: it is locked, has failed, or waits for its next "
                  "attempt.");
  }
  draft.emit(facts::AttemptStarted{.step_id = row.step_id,
                                   .task_id = row.id,
                                   .number = row.attempt + 1,
                                   .worker_id = event.worker_id,
                                   .lock_expires_at = event.lock_expires_at});
  return accepted();
}

MaybeRefusal decide_event(Draft& draft, const facts::TaskLockExtended& event) {
  const auto task = held_task(draft, event.task_id, event.worker_id);
  if (!task) return task.error();
  draft.emit(
      facts::LockExtended{.task_id = event.task_id, .lock_expires_at = event.lock_expires_at});
  return accepted();
}

MaybeRefusal decide_event(Draft& draft, const facts::TaskCompleted& event) {
  const auto task = event.worker_id ? held_task(draft, event.task_id, *event.worker_id)
                                    : open_task(draft, event.task_id);
  if (!task) return task.error();
  if (!event.worker_id && (*task)->state == TaskState::locked) {
    return refuse(
        RefusalCode::lease_conflict,
        "A worker holds the lock of this task: let it finish, or wait until its lock runs "
        "out.");
  }
  if (event.variables) {
    if (auto refusal = check_variables(*event.variables)) return refusal;
  }
  if (!event.worker_id) start_by_hand(draft, event.task_id);
  const auto* row = draft.state().external_tasks.find(event.task_id);
  const auto token_id = row->token_id;
  const bool listens = is_listener(draft, *row);
  draft.emit(facts::AttemptSucceeded{.step_id = row->step_id,
                                     .task_id = row->id,
                                     .number = row->attempt,
                                     .output = output_of(event.variables)});
  if (listens) {
    const auto* members = event.variables ? event.variables->as<Object>() : nullptr;
    finish_listener(draft, token_id, members ? *members : Object{});
  } else {
    hand_over(draft, token_id, event.variables);
  }
  return accepted();
}

MaybeRefusal decide_event(Draft& draft, const facts::TaskFailed& event) {
  const auto task = held_task(draft, event.task_id, event.worker_id);
  if (!task) return task.error();
  const auto& row = **task;
  auto left = row.retries - 1;
  if (event.retries) left = std::min(left, *event.retries);
  left = std::max<std::int64_t>(left, 0);
  std::optional<Instant> next;
  if (left > 0) {
    const auto delay = event.retry_delay.value_or(back_off(draft, row));
    next = draft.at() + std::clamp(delay, Duration::zero(), kMaxDelay);
  }
  draft.emit(facts::AttemptFailed{.step_id = row.step_id,
                                  .task_id = row.id,
                                  .number = row.attempt,
                                  .error_name = event.error_name,
                                  .error_message = event.error_message,
                                  .retries = left,
                                  .next_attempt_at = next});
  if (!next) give_up(draft, event.task_id, event.error_name, event.error_message);
  return accepted();
}

MaybeRefusal decide_event(Draft& draft, const facts::TaskErrorThrown& event) {
  const auto task = held_task(draft, event.task_id, event.worker_id);
  if (!task) return task.error();
  const auto variables = event.variables.value_or(Object{});
  if (auto refusal = check_variables(variables)) return refusal;
  const auto& row = **task;
  if (auto refusal = refuse_listener(draft, row, "error")) return refusal;
  const auto visit = draft.visit_of(row.token_id);
  draft.emit(facts::AttemptFailed{.step_id = row.step_id,
                                  .task_id = row.id,
                                  .number = row.attempt,
                                  .error_name = event.code,
                                  .error_message = event.message,
                                  .retries = 0,
                                  .next_attempt_at = {}});
  raise(draft, visit,
        {.kind = definition::EventKind::error,
         .code = event.code,
         .message = event.message,
         .variables = variables.is_null() ? Object{} : *variables.as<Object>()});
  return accepted();
}

namespace {

/// The token of the task, of a worker who holds it or of a person.
std::expected<Key, facts::Refusal> token_at_work(const Draft& draft,
                                                 const facts::TaskEscalationThrown& event) {
  if (event.worker_id) {
    const auto task = held_task(draft, event.task_id, *event.worker_id);
    if (!task) return std::unexpected(task.error());
    if (auto refusal = refuse_listener(draft, **task, "escalation")) {
      return std::unexpected(*std::move(refusal));
    }
    return (*task)->token_id;
  }
  const auto* task = draft.state().user_tasks.find(event.task_id);
  if (task && task->state == facts::UserTaskState::open) return task->token_id;
  return refused(RefusalCode::token_finalized_twice,
                 "This task was already completed or cancelled: take the next one.");
}

} // namespace

MaybeRefusal decide_event(Draft& draft, const facts::TaskEscalationThrown& event) {
  const auto token_id = token_at_work(draft, event);
  if (!token_id) return token_id.error();
  const auto variables = event.variables.value_or(Object{});
  if (auto refusal = check_variables(variables)) return refusal;
  raise(draft, draft.visit_of(*token_id),
        {.kind = definition::EventKind::escalation,
         .code = event.code,
         .message = {},
         .variables = variables.is_null() ? Object{} : *variables.as<Object>()});
  return accepted();
}

MaybeRefusal decide_event(Draft& draft, const facts::TaskLockExpired& event) {
  const auto task = open_task(draft, event.task_id);
  if (!task) return task.error();
  const auto& row = **task;
  if (row.state != TaskState::locked) {
    return refuse(RefusalCode::token_invalid_transition,
                  "This task is not locked: there is no lock to run out.");
  }
  if (!event.holder_gone && *row.lock_expires_at > draft.at()) {
    return refuse(RefusalCode::timer_not_due, "The lock of this task runs out at " +
                                                  to_text(*row.lock_expires_at) +
                                                  ": send the event then.");
  }
  const auto left = row.retries - 1;
  draft.emit(facts::AttemptInterrupted{
      .step_id = row.step_id,
      .task_id = row.id,
      .number = row.attempt,
      .retries = left,
      .available_at = left > 0 ? std::optional(draft.at()) : std::nullopt});
  if (left == 0) {
    give_up(draft, event.task_id, "LockExpired", "The worker's lock ran out before it reported.");
  }
  return accepted();
}

MaybeRefusal decide_event(Draft& draft, const facts::TaskReleased& event) {
  const auto task = locked_task(draft, event.task_id, event.worker_id);
  if (!task) return task.error();
  const auto& row = **task;
  draft.emit(
      facts::AttemptReleased{.step_id = row.step_id, .task_id = row.id, .number = row.attempt});
  return accepted();
}

MaybeRefusal decide_event(Draft& draft, const facts::UserTaskCompleted& event) {
  const auto* task = draft.state().user_tasks.find(event.task_id);
  if (!task || task->state != facts::UserTaskState::open) {
    return refuse(RefusalCode::token_finalized_twice,
                  "This task was already completed or cancelled: take the next one.");
  }
  if (event.variables) {
    if (auto refusal = check_variables(*event.variables)) return refusal;
  }
  draft.emit(facts::StepCompleted{.step_id = task->step_id, .output = output_of(event.variables)});
  hand_over(draft, task->token_id, event.variables);
  return accepted();
}

} // namespace perdure::decide
