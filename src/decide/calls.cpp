#include "decide/calls.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "decide/data.h"
#include "decide/elements.h"
#include "decide/events.h"
#include "decide/incidents.h"
#include "decide/scopes.h"
#include "decide/steps.h"
#include "decide/throwing.h"

namespace perdure::decide {

namespace {

void tell_end(Draft& draft, std::string_view outcome, std::string_view code,
              std::string_view message, const Value& variables) {
  if (!draft.state().instance.parent_token_id) return;
  send_to_caller(draft, facts::PendingKind::call_ended, draft.definition().process_id(), code,
                 Object{{"outcome", outcome}, {"message", message}, {"variables", variables}});
}

/// The call that the token waits for; nothing when it waits for none any more.
const facts::StepRecord* open_call(const Draft& draft, Key token_id) {
  const auto step_id = open_step_of(draft.state(), token_id);
  const auto* step = step_id == kNoKey ? nullptr : draft.state().steps.find(step_id);
  return step && step->type == facts::StepType::call_activity ? step : nullptr;
}

MaybeRefusal no_call() {
  return refuse(facts::RefusalCode::token_finalized_twice,
                "No call activity waits for this instance any more: nothing is left to do.");
}

void report_cancelled(Draft& draft, const Visit& visit, const facts::CallEnded& event) {
  Trouble trouble;
  trouble.kind = facts::IncidentKind::call_failed;
  trouble.message = "The process that `" + visit.node.id +
                    "` called was cancelled: retry to call it again, or cancel this instance too.";
  trouble.details.append("reason", event.message);
  open_incident(draft, visit, std::move(trouble));
}

} // namespace

void complete_instance(Draft& draft) {
  tell_end(draft, "completed", "", "", root_scope(draft.state()).variables);
  draft.emit(facts::InstanceCompleted{});
}

void fail_to_caller(Draft& draft, std::string_view code, std::string_view message,
                    const Object& variables) {
  terminate_inside(draft, root_scope(draft.state()).id);
  tell_end(draft, "error", code, message, variables);
  draft.emit(facts::InstanceFailed{.reason = "The error `" + std::string(code) +
                                             "` went to the instance that called this one."});
}

void send_to_caller(Draft& draft, facts::PendingKind kind, std::string_view node_id,
                    std::string_view code, Object payload) {
  const auto& instance = draft.state().instance;
  draft.emit(
      facts::EventSent{.pending_event_id = draft.take_key(),
                       .node_id = std::string(node_id),
                       .kind = kind,
                       .name = code.empty() ? std::nullopt : std::optional(std::string(code)),
                       .correlation_key = {},
                       .target_instance_id = instance.parent_instance_id,
                       .target_token_id = instance.parent_token_id,
                       .payload = std::move(payload)});
}

void cancel_call(Draft& draft, std::string_view node_id, Key called_instance_id) {
  draft.emit(facts::EventSent{.pending_event_id = draft.take_key(),
                              .node_id = std::string(node_id),
                              .kind = facts::PendingKind::call_cancelled,
                              .name = {},
                              .correlation_key = {},
                              .target_instance_id = called_instance_id,
                              .target_token_id = {},
                              .payload = Object{}});
}

MaybeRefusal decide_event(Draft& draft, const facts::CancelRequested& event) {
  const auto root_id = root_scope(draft.state()).id;
  terminate_inside(draft, root_id);
  if (!event.by_caller) tell_end(draft, "cancelled", "", event.reason.value_or(""), Object{});
  draft.emit(facts::InstanceCancelled{.reason = event.reason});
  return accepted();
}

MaybeRefusal decide_event(Draft& draft, const facts::CallEnded& event) {
  const auto* step = open_call(draft, event.token_id);
  if (!step) return no_call();
  const auto variables = event.variables.value_or(Object{});
  if (auto refusal = check_variables(variables)) return refusal;
  const auto& members = variables.is_null() ? Object{} : *variables.as<Object>();
  const auto visit = draft.visit_of(event.token_id);
  switch (event.outcome) {
    case facts::CallOutcome::completed:
      draft.emit(facts::StepCompleted{.step_id = step->id, .output = variables});
      take_result(draft, visit, members);
      leave(draft, visit);
      break;
    case facts::CallOutcome::error:
      raise(draft, visit,
            {.kind = definition::EventKind::error,
             .code = event.code,
             .message = event.message,
             .variables = members});
      break;
    case facts::CallOutcome::cancelled: report_cancelled(draft, visit, event); break;
  }
  return accepted();
}

MaybeRefusal decide_event(Draft& draft, const facts::CallEscalated& event) {
  if (!open_call(draft, event.token_id)) return no_call();
  const auto variables = event.variables.value_or(Object{});
  if (auto refusal = check_variables(variables)) return refusal;
  raise(draft, draft.visit_of(event.token_id),
        {.kind = definition::EventKind::escalation,
         .code = event.code,
         .message = {},
         .variables = variables.is_null() ? Object{} : *variables.as<Object>()});
  return accepted();
}

} // namespace perdure::decide
