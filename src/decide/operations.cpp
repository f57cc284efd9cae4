// What an operator does with a running instance: hold it, let it go on, set variables.
#include "decide/events.h"
#include "decide/scopes.h"

namespace perdure::decide {

using facts::InstanceStatus;
using facts::RefusalCode;

namespace {

/// How long locks last after a resume at least.
constexpr Duration kGraceOfLocks = std::chrono::minutes(1);

} // namespace

MaybeRefusal decide_event(Draft& draft, const facts::PauseRequested& event) {
  if (draft.state().instance.status == InstanceStatus::paused) {
    return refuse(RefusalCode::instance_paused, "The instance is paused already.");
  }
  draft.emit(facts::InstancePaused{.reason = event.reason});
  return accepted();
}

MaybeRefusal decide_event(Draft& draft, const facts::ResumeRequested&) {
  if (draft.state().instance.status != InstanceStatus::paused) {
    return refuse(RefusalCode::token_invalid_transition,
                  "The instance is not paused: there is nothing to resume.");
  }
  draft.emit(facts::InstanceResumed{});
  // Who was at work meanwhile was not heard, not even asking for more time.
  const auto until = draft.at() + kGraceOfLocks;
  for (const auto& slot : draft.state().external_tasks.slots()) {
    const auto& task = slot.row;
    if (task.state != facts::TaskState::locked || task.lock_expires_at >= until) continue;
    draft.emit(facts::LockExtended{.task_id = task.id, .lock_expires_at = until});
  }
  return accepted();
}

MaybeRefusal decide_event(Draft& draft, const facts::VariablesRequested& event) {
  if (auto refusal = check_variables(event.variables)) return refusal;
  const auto* members = event.variables.as<Object>();
  if (members == nullptr || members->empty()) {
    return refuse(RefusalCode::bad_variables, "Name at least one variable to set.");
  }
  if (event.scope_id == kNoKey) {
    set_variables(draft, root_scope(draft.state()).id, *members);
    return accepted();
  }
  const auto* scope = draft.state().scopes.find(event.scope_id);
  if (scope == nullptr || scope->state != facts::ScopeState::open) {
    return refuse(RefusalCode::not_found,
                  "The instance has no open scope of that id: look at its scopes.");
  }
  draft.emit(facts::VariablesSet{.scope_id = event.scope_id, .variables = event.variables});
  return accepted();
}

} // namespace perdure::decide
