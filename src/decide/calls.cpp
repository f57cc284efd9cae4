#include "decide/calls.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "decide/data.h"
#include "decide/elements.h"
#include "decide/evaluate.h"
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

void report_failed(Draft& draft, const Visit& visit, const facts::CallEnded& event,
                   std::string message) {
  Trouble trouble;
  trouble.kind = facts::IncidentKind::call_failed;
  trouble.message = std::move(message);
  trouble.details.append("reason", event.message);
  open_incident(draft, visit, std::move(trouble));
}

/// What goes with the call, for the engine that finds the process.
Outcome<Object> call_of(const Draft& draft, const Visit& visit) {
  const auto& call = *visit.node.call;
  auto process_id = evaluate_text(draft, visit, call.process_id, "called process");
  if (!process_id) return std::unexpected(std::move(process_id.error()));
  auto version = evaluate_text(draft, visit, call.version, "called version");
  if (!version) return std::unexpected(std::move(version.error()));
  auto business_key = evaluate_text(draft, visit, call.business_key, "business key");
  if (!business_key) return std::unexpected(std::move(business_key.error()));
  Object variables;
  if (call.all_in)
    variables =
        *visible_variables(draft.state(), variables_of(draft.state(), visit.token_id)).as<Object>();
  for (const auto& [source, target] : call.inputs) {
    auto value = evaluate_template(draft, visit, source, "input " + target);
    if (!value) return std::unexpected(std::move(value.error()));
    variables.set(target, *std::move(value));
  }
  Object payload{{"token_id", key_text(visit.token_id)},
                 {"process_id", process_id->value_or("")},
                 {"binding", std::string(name_of(call.binding))},
                 {"variables", std::move(variables)}};
  if (*version) payload.append("version", **version);
  if (*business_key) payload.append("business_key", **business_key);
  return payload;
}

/// What the caller has of the variables that the called process ended with.
Outcome<Object> results_of(const Draft& draft, const Visit& visit, const Object& ended_with) {
  Object results;
  if (!visit.node.call) return ended_with;
  if (visit.node.call->all_out) results = ended_with;
  for (const auto& [source, target] : visit.node.call->outputs) {
    auto value = evaluate_on(draft, visit, ended_with, source, "output " + target);
    if (!value) return std::unexpected(std::move(value.error()));
    results.set(target, *std::move(value));
  }
  return results;
}

void return_from_call(Draft& draft, const Visit& visit, Key step_id, const Object& ended_with) {
  auto results = results_of(draft, visit, ended_with);
  if (!results) {
    // The called process is over: a retry calls it again.
    results.error().kind = facts::IncidentKind::call_failed;
    return open_incident(draft, visit, std::move(results.error()));
  }
  draft.emit(facts::StepCompleted{.step_id = step_id, .output = Value(*results)});
  take_result(draft, visit, *results);
  leave(draft, visit);
}

} // namespace

void enter_call_activity(Draft& draft, const Visit& visit) {
  auto payload = call_of(draft, visit);
  if (!payload) return open_incident(draft, visit, std::move(payload.error()));
  auto step = new_step(draft, visit, facts::StepType::call_activity);
  const auto called_id = draft.take_key();
  step.called_instance_id = called_id;
  draft.emit(std::move(step));
  draft.emit(facts::EventSent{.pending_event_id = draft.take_key(),
                              .node_id = visit.node.id,
                              .kind = facts::PendingKind::call,
                              .name = {},
                              .correlation_key = {},
                              .target_instance_id = called_id,
                              .target_token_id = {},
                              .payload = *std::move(payload)});
}

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
    case facts::CallOutcome::completed: return_from_call(draft, visit, step->id, members); break;
    case facts::CallOutcome::error:
      raise(draft, visit,
            {.kind = definition::EventKind::error,
             .code = event.code,
             .message = event.message,
             .variables = members});
      break;
    case facts::CallOutcome::cancelled:
      report_failed(draft, visit, event,
                    "The process that `" + visit.node.id +
                        "` called was cancelled: retry to call it again, or cancel this instance "
                        "too.");
      break;
    case facts::CallOutcome::failed: report_failed(draft, visit, event, event.message); break;
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
