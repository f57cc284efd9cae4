#include "flow/decide.h"

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "facts/flow_host_name.h"
#include "flow/advance.h"
#include "flow/draft.h"
#include "flow/inherit.h"
#include "perdure/convert.h"

namespace perdure::flow {

namespace {

using facts::FlowEnding;
using facts::InstanceStatus;
using facts::RefusalCode;

using MaybeRefusal = std::optional<facts::Refusal>;

MaybeRefusal refuse(RefusalCode code, std::string message) {
  return facts::Refusal{code, std::move(message)};
}

MaybeRefusal not_of_flows(std::string_view what) {
  return refuse(RefusalCode::token_invalid_transition,
                "This instance is a flow, whose code decides what it does: it has no " +
                    std::string(what) + ".");
}

MaybeRefusal too_late() {
  return refuse(RefusalCode::token_finalized_twice,
                "The step does not wait for this any more: nothing is left to do.");
}

std::string status_text(InstanceStatus status) { return std::string(name_of(status)); }

// ---- what happens to a run --------------------------------------------------------------------

MaybeRefusal on(Draft& draft, const facts::StartRequested& event) {
  if (!event.variables.is_null() && !event.variables.is_object()) {
    return refuse(RefusalCode::bad_variables, "The input of a flow is an object of variables.");
  }
  if (!event.start_node_id.empty() || !event.start_before.empty()) {
    return not_of_flows("elements to begin at");
  }
  const auto scope_id = draft.take_key();
  draft.emit(facts::InstanceStarted{
      .instance_id = event.instance_id == kNoKey ? draft.take_key() : event.instance_id,
      .definition_id = event.definition_id,
      .tenant_id = event.tenant_id,
      .process_id = draft.process_id(),
      .business_key = event.business_key,
      .unique_business_key = event.unique_business_key && event.business_key,
      .root_scope_id = scope_id,
      .input = event.variables.is_null() ? Value(Object()) : event.variables,
      .parent_instance_id = event.parent_instance_id,
      .parent_token_id = event.parent_token_id});
  draft.emit(facts::FlowPlaced{.token_id = draft.take_key(),
                               .scope_id = scope_id,
                               .priority = event.priority,
                               .limit_key = event.limit_key,
                               .previous_instance_id = event.previous_instance_id,
                               .queued = draft.kind().queues});
  if (!draft.kind().queues) {
    take_all(draft, event.entries, event.worker_id);
  } else if (!event.entries.empty() && event.previous_instance_id) {
    draft.emit(facts::FlowInherited{event.worker_id, entries_value(event.entries)});
  } // else its code begins again when the run is let in
  return std::nullopt;
}

MaybeRefusal on(Draft& draft, const facts::FlowAdvanced& event) { return advance(draft, event); }

MaybeRefusal on(Draft& draft, const facts::TimerDue& event) {
  const auto* timer = draft.state().timers.find(event.timer_id);
  if (timer == nullptr || timer->status != facts::TimerStatus::scheduled) return too_late();
  if (timer->due_at > draft.at()) {
    return refuse(RefusalCode::timer_not_due, "The timer is not due yet.");
  }
  const auto* step = draft.state().steps.find(timer->step_id.value_or(kNoKey));
  PERDURE_CHECK(step != nullptr);
  if (step->type == facts::StepType::run) {
    draft.emit(facts::FlowAttemptDue{.step_id = step->id, .timer_id = timer->id});
    return std::nullopt;
  }
  const bool sleeps = step->type == facts::StepType::sleep;
  facts::FlowStepEnded ended{.step_id = step->id,
                             .ending = sleeps ? FlowEnding::succeeded : FlowEnding::timed_out,
                             .output = {},
                             .error_name = {},
                             .error_message = {}};
  if (!sleeps) {
    ended.error_name = "TimedOut";
    ended.error_message = "Nothing came until the timeout.";
  }
  draft.emit(std::move(ended));
  return std::nullopt;
}

/// An event without payload is not one whose payload is null.
std::optional<Value> payload_of(const std::optional<Value>& variables) {
  if (!variables || variables->is_null()) return std::nullopt;
  if (variables->as<Object>()->empty()) return std::nullopt;
  return convert::unwrapped(*variables, "payload");
}

MaybeRefusal on(Draft& draft, const facts::EventOccurred& event) {
  const auto* subscription = draft.state().subscriptions.find(event.subscription_id);
  if (subscription == nullptr || subscription->state != facts::SubscriptionState::open) {
    return too_late();
  }
  draft.emit(facts::FlowStepEnded{.step_id = *subscription->step_id,
                                  .ending = FlowEnding::succeeded,
                                  .output = payload_of(event.variables),
                                  .error_name = {},
                                  .error_message = {}});
  return std::nullopt;
}

MaybeRefusal on(Draft& draft, const facts::CallEnded& event) {
  const facts::StepRecord* step = nullptr;
  for (const auto& row : draft.state().steps.of(facts::Link::token, event.token_id)) {
    if (row.called_instance_id == event.called_instance_id && !row.completed_at) step = &row;
  }
  if (step == nullptr) return too_late();
  facts::FlowStepEnded ended{.step_id = step->id,
                             .ending = FlowEnding::failed,
                             .output = {},
                             .error_name = event.code.empty() ? "CallFailed" : event.code,
                             .error_message = event.message};
  if (event.outcome == facts::CallOutcome::completed) {
    ended = {.step_id = step->id,
             .ending = FlowEnding::succeeded,
             .output = event.variables
                           ? std::optional(convert::unwrapped(*event.variables, "output"))
                           : std::nullopt,
             .error_name = {},
             .error_message = {}};
  } else if (event.outcome == facts::CallOutcome::cancelled) {
    ended.error_name = "CallCancelled";
  }
  draft.emit(std::move(ended));
  return std::nullopt;
}

// With something to undo the code is told, and undoes it; else the end is here.
MaybeRefusal on(Draft& draft, const facts::CancelRequested& event) {
  if (draft.run().cancel_reason) return std::nullopt; // it is under way
  bool undoes = false;
  for (const auto& slot : draft.state().compensations.slots())
    undoes = undoes || slot.row.status == facts::CompensationStatus::pending;
  if (undoes && draft.state().instance.status == InstanceStatus::running) {
    draft.emit(facts::FlowCancelRequested{event.reason.value_or("")});
    return std::nullopt;
  }
  end_run(draft,
          {.status = InstanceStatus::cancelled,
           .output = {},
           .reason = event.reason,
           .continued = false},
          "cancelled", {});
  return std::nullopt;
}

MaybeRefusal on(Draft& draft, const facts::PauseRequested& event) {
  if (draft.state().instance.status != InstanceStatus::running) return std::nullopt;
  draft.emit(facts::InstancePaused{.reason = event.reason});
  return std::nullopt;
}

MaybeRefusal on(Draft& draft, const facts::ResumeRequested&) {
  const auto status = draft.state().instance.status;
  if (status != InstanceStatus::paused) {
    return refuse(RefusalCode::token_invalid_transition,
                  "Only what is paused can be resumed: the instance is " + status_text(status) +
                      ", expected was paused.");
  }
  draft.emit(facts::InstanceResumed{});
  return std::nullopt;
}

MaybeRefusal on(Draft& draft, const facts::FlowDiverged& event) {
  const auto& run = draft.run();
  for (const auto& incident : draft.state().incidents.of(facts::Link::token, run.token_id)) {
    if (incident.state == facts::IncidentState::open) return std::nullopt; // it says so already
  }
  draft.emit(facts::IncidentOpened{
      .incident_id = draft.take_key(),
      .token_id = run.token_id,
      .node_id = draft.process_id(),
      .kind = facts::IncidentKind::flow_diverged,
      .message = "The code asks for " + event.asked + " where the run has recorded " +
                 event.recorded + ". " + event.advice,
      .details = Object{{"asked", event.asked}, {"recorded", event.recorded}}});
  return std::nullopt;
}

// The process that was at it is gone: what it was doing was cut off, and counts.
MaybeRefusal on(Draft& draft, const facts::FlowHostLost& event) {
  std::vector<facts::StepAttempt> cut;
  for (const auto& slot : draft.state().attempts.slots()) {
    if (slot.row.worker_id == event.worker_id) cut.push_back(slot.row);
  }
  if (cut.empty()) return too_late();
  // What the lost process may still say is no longer heard. Nobody has the run now: whoever goes on
  // with it has to know all of it, also who declares this and once had it.
  const auto nobody = facts::nobody_after(event.worker_id);
  if (event.by != event.worker_id && draft.run().host != nobody) {
    draft.emit(facts::FlowHosted{nobody});
  }
  for (const auto& attempt : cut) {
    const auto& step = *draft.state().steps.find(attempt.step_id);
    if (attempt.number < step.max_attempts) {
      draft.emit(facts::FlowAttemptFailed{
          .step_id = step.id,
          .number = attempt.number,
          .interrupted = true,
          .error_name = {},
          .error_message = {},
          .timer = {draft.take_key(), draft.at() + draft.policy().interrupted_pause}});
    } else {
      draft.emit(facts::FlowStepEnded{
          .step_id = step.id,
          .ending = FlowEnding::failed,
          .output = {},
          .error_name = "Interrupted",
          .error_message = "The process that ran the last attempt ended before it reported."});
    }
  }
  return std::nullopt;
}

MaybeRefusal on(Draft& draft, const facts::FlowAdmission& event) {
  if (draft.state().instance.status != InstanceStatus::pending) return too_late();
  draft.emit(facts::FlowAdmitted{});
  take_all(draft, event.entries, event.worker_id);
  return std::nullopt;
}

// Its code hears of a step that has succeeded; what its callback may still report is not heard.
MaybeRefusal on(Draft& draft, const facts::FlowStepSkipped& event) {
  const auto* step = draft.state().flow_step(event.name);
  if (step == nullptr) {
    return refuse(RefusalCode::nothing_to_retry,
                  "The flow has no open step \"" + event.name +
                      "\": a step can be skipped while it is under way, waits or is retried.");
  }
  const auto* attempt = draft.state().attempts.find(std::tuple(step->id, step->attempt_count));
  if (step->type == facts::StepType::run && step->attempt_count > 0 && attempt != nullptr &&
      !attempt->worker_id) {
    return refuse(RefusalCode::bad_modification,
                  "The step \"" + event.name + "\" has steps of its own: skip those.");
  }
  if (step->called_instance_id) cancel_call(draft, *step);
  draft.emit(facts::FlowStepEnded{.step_id = step->id,
                                  .ending = FlowEnding::succeeded,
                                  .output = event.output,
                                  .error_name = {},
                                  .error_message = {}});
  return std::nullopt;
}

MaybeRefusal on(Draft& draft, const facts::RetryRequested& event) {
  std::vector<Key> open;
  for (const auto& slot : draft.state().incidents.slots()) {
    const bool wanted = event.incident_id == kNoKey || event.incident_id == slot.row.id;
    if (wanted && slot.row.state == facts::IncidentState::open) open.push_back(slot.row.id);
  }
  if (open.empty()) {
    return refuse(RefusalCode::nothing_to_retry, "The flow rests on no incident.");
  }
  for (const auto incident_id : open) {
    draft.emit(facts::IncidentResolved{
        .incident_id = incident_id, .by = event.by, .reenter = draft.run().unheard > 0});
  }
  return std::nullopt;
}

MaybeRefusal on(Draft& draft, const facts::SetAside& event) {
  draft.emit(facts::IncidentOpened{.incident_id = draft.take_key(),
                                   .token_id = draft.run().token_id,
                                   .node_id = draft.process_id(),
                                   .kind = facts::IncidentKind::engine_error,
                                   .message = event.message,
                                   .details = Object{}});
  return std::nullopt;
}

// Whoever has the coroutine is told by the row that its token is ready.
MaybeRefusal on(Draft&, const facts::Proceed&) { return std::nullopt; }

// ---- what flows do not have -------------------------------------------------------------------

MaybeRefusal on(Draft&, const facts::TaskLocked&) { return not_of_flows("tasks"); }
MaybeRefusal on(Draft&, const facts::TaskLockExtended&) { return not_of_flows("tasks"); }
MaybeRefusal on(Draft&, const facts::TaskCompleted&) { return not_of_flows("tasks"); }
MaybeRefusal on(Draft&, const facts::TaskFailed&) { return not_of_flows("tasks"); }
MaybeRefusal on(Draft&, const facts::TaskErrorThrown&) { return not_of_flows("tasks"); }
MaybeRefusal on(Draft&, const facts::TaskEscalationThrown&) { return not_of_flows("tasks"); }
MaybeRefusal on(Draft&, const facts::TaskLockExpired&) { return not_of_flows("tasks"); }
MaybeRefusal on(Draft&, const facts::TaskReleased&) { return not_of_flows("tasks"); }
MaybeRefusal on(Draft&, const facts::UserTaskCompleted&) { return not_of_flows("user tasks"); }
MaybeRefusal on(Draft&, const facts::SignalOccurred&) { return not_of_flows("signals"); }
MaybeRefusal on(Draft&, const facts::CallEscalated&) { return std::nullopt; }
MaybeRefusal on(Draft&, const facts::VariablesRequested&) {
  return not_of_flows("variables to be set from outside");
}
MaybeRefusal on(Draft&, const facts::ModifyRequested&) { return not_of_flows("tokens to move"); }
MaybeRefusal on(Draft&, const facts::MigrateRequested&) {
  return not_of_flows("other versions to go on with: a flow ends with the one it began with");
}
MaybeRefusal on(Draft&, const facts::ActivitiesChosen&) { return not_of_flows("activities"); }

template <class Event>
constexpr bool kTouchesPaused =
    std::is_same_v<Event, facts::CancelRequested> || std::is_same_v<Event, facts::PauseRequested> ||
    std::is_same_v<Event, facts::ResumeRequested> || std::is_same_v<Event, facts::SetAside> ||
    std::is_same_v<Event, facts::FlowDiverged> || std::is_same_v<Event, facts::FlowAdvanced>;

template <class Event>
MaybeRefusal handle(Draft& draft, const Event& event) {
  const auto status = draft.state().instance.status;
  if constexpr (std::is_same_v<Event, facts::StartRequested>) {
    PERDURE_CHECK(draft.state().instance.id == kNoKey);
    return on(draft, event);
  }
  PERDURE_CHECK(draft.state().instance.id != kNoKey);
  if (is_terminal(status) && std::is_same_v<Event, facts::PauseRequested>) return std::nullopt;
  if (is_terminal(status) && !std::is_same_v<Event, facts::ResumeRequested>) {
    return refuse(RefusalCode::instance_finished, "The flow has ended: start a new one.");
  }
  if constexpr (!kTouchesPaused<Event>) {
    if (status == InstanceStatus::paused) {
      return refuse(RefusalCode::instance_paused,
                    "An operator has paused the flow: resume it first.");
    }
  }
  return on(draft, event);
}

} // namespace

std::int64_t keys_needed(const facts::InstanceState& state, const facts::EventData& event) {
  // Step, timer or call, message and record: at most four for an entry. An end cancels what is
  // open, a process that is lost leaves a timer for each attempt.
  std::int64_t entries = 0;
  if (const auto* advanced = std::get_if<facts::FlowAdvanced>(&event)) {
    entries = std::ssize(advanced->entries);
  } else if (const auto* started = std::get_if<facts::StartRequested>(&event)) {
    entries = std::ssize(started->entries);
  } else if (const auto* admitted = std::get_if<facts::FlowAdmission>(&event)) {
    entries = std::ssize(admitted->entries);
  }
  return 16 + 5 * entries + static_cast<std::int64_t>(state.steps.size() + state.attempts.size());
}

Verdict decide(const Kind& kind, facts::InstanceState& state, const facts::Event& event,
               const Policy& policy) {
  const auto at = std::max(event.at, state.instance.updated_at);
  Draft draft(kind, state, at, event.keys, policy);
  auto refusal = std::visit([&](const auto& data) { return handle(draft, data); }, event.data);
  if (refusal) {
    PERDURE_CHECK(!draft.has_facts());
    return {.facts = {}, .refusal = std::move(refusal), .keys = event.keys};
  }
  return std::move(draft).take();
}

} // namespace perdure::flow
