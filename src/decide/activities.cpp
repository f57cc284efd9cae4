// Tasks as a token meets them.
#include <algorithm>
#include <string>
#include <utility>

#include "base/check.h"
#include "decide/arming.h"
#include "decide/data.h"
#include "decide/elements.h"
#include "decide/evaluate.h"
#include "decide/incidents.h"
#include "decide/scopes.h"
#include "decide/steps.h"
#include "decide/throwing.h"

namespace perdure::decide {

namespace {

/// A task that is done as soon as it is reached.
void pass_through(Draft& draft, const Visit& visit, facts::StepType type) {
  auto step = new_step(draft, visit, type);
  const auto step_id = step.step_id;
  draft.emit(std::move(step));
  draft.emit(facts::StepCompleted{.step_id = step_id, .output = {}});
  leave(draft, visit);
}

Outcome<facts::UserPart> user_part(const Draft& draft, const Visit& visit,
                                   const definition::UserTaskSpec& spec) {
  facts::UserPart part;
  const auto priority = evaluate_number(draft, visit, spec.priority, "priority");
  if (!priority) return std::unexpected(std::move(priority.error()));
  part.priority = priority->value_or(part.priority);
  auto assignee = evaluate_text(draft, visit, spec.assignee, "assignee");
  if (!assignee) return std::unexpected(std::move(assignee.error()));
  part.assignee = *std::move(assignee);
  auto groups = evaluate_names(draft, visit, spec.candidate_groups, "candidate groups");
  if (!groups) return std::unexpected(std::move(groups.error()));
  part.candidate_groups = *std::move(groups);
  auto users = evaluate_names(draft, visit, spec.candidate_users, "candidate users");
  if (!users) return std::unexpected(std::move(users.error()));
  part.candidate_users = *std::move(users);
  auto due_at = evaluate_moment(draft, visit, spec.due_date, "due date");
  if (!due_at) return std::unexpected(std::move(due_at.error()));
  part.due_at = *due_at;
  auto follow_up_at = evaluate_moment(draft, visit, spec.follow_up_date, "follow-up date");
  if (!follow_up_at) return std::unexpected(std::move(follow_up_at.error()));
  part.follow_up_at = *follow_up_at;
  auto form = evaluate_text(draft, visit, spec.form_reference, "form reference");
  if (!form) return std::unexpected(std::move(form.error()));
  part.form_reference = *std::move(form);
  return part;
}

} // namespace

facts::StepOpened new_step(Draft& draft, const Visit& visit, facts::StepType type) {
  facts::StepOpened step;
  const auto visits = draft.state().visit_count(visit.node.id) + 1;
  step.step_id = draft.take_key();
  step.token_id = visit.token_id;
  step.slug = visits == 1 ? visit.node.id : visit.node.id + "#" + std::to_string(visits);
  step.node_id = visit.node.id;
  step.name = visit.node.name;
  step.type = type;
  return step;
}

Key open_step_of(const facts::InstanceState& state, Key token_id) {
  for (const auto& step : state.steps.of(facts::Link::token, token_id)) {
    if (!is_terminal(step.status)) return step.id;
  }
  return kNoKey;
}

bool is_done_at_once(const facts::InstanceState& state, const facts::StepRecord& step) {
  if (step.type == facts::StepType::script_task) return true;
  if (step.type != facts::StepType::business_rule_task) return false;
  return state.external_tasks.of(facts::Link::step, step.id).empty();
}

Outcome<facts::StepOpened> worker_step(Draft& draft, const Visit& visit,
                                       const definition::WorkerSpec& spec, facts::StepType type) {
  auto task_type = evaluate_needed_text(
      draft, visit, spec.type, type == facts::StepType::listener ? "listener type" : "task type",
      ", so no worker can ask for it");
  if (!task_type) return std::unexpected(std::move(task_type.error()));
  auto attempts = evaluate_count(draft, visit, spec.retries, "number of retries");
  if (!attempts) return std::unexpected(std::move(attempts.error()));
  auto priority = evaluate_number(draft, visit, spec.priority, "priority");
  if (!priority) return std::unexpected(std::move(priority.error()));
  auto step = new_step(draft, visit, type);
  step.max_attempts = attempts->value_or(draft.policy().default_max_attempts);
  step.worker = facts::WorkerPart{.task_id = draft.take_key(),
                                  .type = *std::move(task_type),
                                  .priority = priority->value_or(0),
                                  .variables = Object{}};
  return step;
}

void open_worker_step(Draft& draft, const Visit& visit, facts::StepType type) {
  PERDURE_CHECK(visit.node.worker.has_value());
  auto step = worker_step(draft, visit, *visit.node.worker, type);
  if (!step) return open_incident(draft, visit, std::move(step.error()));
  draft.emit(*std::move(step));
}

void enter_service_task(Draft& draft, const Visit& visit) {
  open_worker_step(draft, visit, facts::StepType::service_task);
}

void enter_send_task(Draft& draft, const Visit& visit) {
  if (visit.node.worker) return open_worker_step(draft, visit, facts::StepType::send_task);
  if (throw_events(draft, visit)) leave(draft, visit);
}

void enter_receive_task(Draft& draft, const Visit& visit) {
  await_event(draft, visit, facts::StepType::receive_task);
}

void enter_user_task(Draft& draft, const Visit& visit) {
  auto part = user_part(draft, visit, visit.node.user_task.value_or(definition::UserTaskSpec{}));
  if (!part) return open_incident(draft, visit, std::move(part.error()));
  auto step = new_step(draft, visit, facts::StepType::user_task);
  part->task_id = draft.take_key();
  step.user = *std::move(part);
  draft.emit(std::move(step));
}

void enter_script_task(Draft& draft, const Visit& visit) {
  PERDURE_CHECK(visit.node.script.has_value());
  const auto& script = *visit.node.script;
  // After an incident the token comes in again: one visit has one step.
  auto step_id = open_step_of(draft.state(), visit.token_id);
  if (step_id == kNoKey) {
    auto step = new_step(draft, visit, facts::StepType::script_task);
    step_id = step.step_id;
    draft.emit(std::move(step));
  }
  auto result = evaluate_value(draft, visit, script.expression, "script");
  if (!result) return open_incident(draft, visit, std::move(result.error()));
  draft.emit(facts::StepCompleted{.step_id = step_id, .output = *result});
  if (!script.result_variable.empty()) {
    take_result(draft, visit, Object{{script.result_variable, *std::move(result)}});
  }
  leave(draft, visit);
}

void enter_manual_task(Draft& draft, const Visit& visit) {
  pass_through(draft, visit, facts::StepType::manual_task);
}

void enter_undefined_task(Draft& draft, const Visit& visit) {
  pass_through(draft, visit, facts::StepType::task);
}

} // namespace perdure::decide
