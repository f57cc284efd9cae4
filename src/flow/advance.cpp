#include "flow/advance.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "perdure/convert.h"

namespace perdure::flow {

namespace {

using facts::FlowEnding;
using facts::FlowEntry;

const facts::StepRecord& open_step(const Draft& draft, const std::string& name) {
  const auto* step = draft.state().flow_step(name);
  PERDURE_CHECK(step != nullptr);
  return *step;
}

Key root_scope_id(const Draft& draft) {
  return draft.state().tokens.find(draft.run().token_id)->scope_id;
}

/// The last record that can still be undone; nullptr when there is none.
const facts::CompensationRecord* last_undoable(const Draft& draft) {
  const auto found = draft.state().undoable.find(root_scope_id(draft));
  if (found == draft.state().undoable.end() || found->second.empty()) return nullptr;
  return draft.state().compensations.find(found->second.rbegin()->second);
}

/// The record that the step of that name undoes.
const facts::CompensationRecord* undone_by(const Draft& draft, const std::string& name) {
  const auto found = draft.state().undoing.find(draft.run().token_id);
  if (found == draft.state().undoing.end()) return nullptr;
  const auto* record = draft.state().compensations.find(found->second);
  return record != nullptr && record->node_id == name ? record : nullptr;
}

/// A value on its way to or from a run, as variables; nothing is no variables.
Value variables_of(const std::optional<Value>& value, std::string_view member) {
  return value ? convert::wrapped(*value, member) : Value(Object());
}

void call(Draft& draft, const FlowEntry& entry, facts::FlowStepOpened& step) {
  if (entry.flag) { // an earlier run has called it
    if (entry.number != kNoKey) step.called_instance_id = entry.number;
    return draft.emit(step);
  }
  step.called_instance_id = draft.take_key();
  draft.emit(step);
  const bool is_empty = !entry.value || *entry.value == Value(Object());
  Object payload{{"token_id", key_text(draft.run().token_id)},
                 {"process_id", entry.target},
                 {"binding", "latest"},
                 {"step_id", key_text(step.step_id)},
                 {"variables", is_empty ? Value(Object()) : variables_of(entry.value, "input")}};
  if (!entry.call_id.empty()) payload.append("business_key", entry.call_id);
  draft.emit(facts::EventSent{.pending_event_id = draft.take_key(),
                              .node_id = entry.name,
                              .kind = facts::PendingKind::call,
                              .name = {},
                              .correlation_key = {},
                              .target_instance_id = step.called_instance_id,
                              .target_token_id = {},
                              .payload = std::move(payload)});
}

void ask(Draft& draft, const FlowEntry& entry, const std::string& worker_id) {
  facts::FlowStepOpened step{.step_id = draft.take_key(),
                             .name = entry.name,
                             .type = entry.type,
                             .parent_step_id = {},
                             .max_attempts = std::max<std::int64_t>(entry.max_attempts, 1),
                             .nested = entry.nested,
                             .worker_id = {},
                             .timer = {},
                             .subscription = {},
                             .target = {},
                             .called_instance_id = {}};
  if (!entry.parent.empty()) step.parent_step_id = open_step(draft, entry.parent).id;
  if (!entry.target.empty()) step.target = entry.target;
  if (entry.type == facts::StepType::call_activity) return call(draft, entry, step);
  if (entry.type == facts::StepType::run) {
    if (!entry.nested && !entry.flag) step.worker_id = worker_id;
  } else {
    if (entry.after || entry.at) {
      const auto due = entry.at.value_or(draft.at() + entry.after.value_or(Duration::zero()));
      step.timer = facts::TimerPart{draft.take_key(), due};
    }
    if (entry.type == facts::StepType::wait) {
      step.subscription = facts::FlowSubscriptionPart{draft.take_key(), entry.target,
                                                      key_text(draft.state().instance.id)};
    }
  }
  draft.emit(std::move(step));
  if (const auto* record = last_undoable(draft); record && record->node_id == entry.name) {
    draft.emit(facts::CompensationStarted{record->id, draft.run().token_id});
  }
}

void end(Draft& draft, const FlowEntry& entry) {
  const auto& step = open_step(draft, entry.name);
  const bool failed = entry.ending == FlowEnding::failed || entry.ending == FlowEnding::timed_out;
  draft.emit(facts::FlowStepEnded{
      .step_id = step.id,
      .ending = entry.ending,
      .output = entry.value,
      .error_name = failed ? std::optional(entry.error_name) : std::nullopt,
      .error_message = failed ? std::optional(entry.error_message) : std::nullopt,
      .heard = !entry.flag});
  if (const auto* record = undone_by(draft, entry.name)) {
    draft.emit(facts::CompensationEnded{record->id, failed ? facts::CompensationStatus::failed
                                                           : facts::CompensationStatus::completed});
  }
}

void fail_attempt(Draft& draft, const FlowEntry& entry) {
  const auto& step = open_step(draft, entry.name);
  draft.emit(facts::FlowAttemptFailed{
      .step_id = step.id,
      .number = step.attempt_count,
      .interrupted = false,
      .error_name = entry.error_name,
      .error_message = entry.error_message,
      .timer = {draft.take_key(), draft.at() + entry.after.value_or(Duration::zero())}});
}

void start_attempt(Draft& draft, const FlowEntry& entry, const std::string& worker_id) {
  const auto& step = open_step(draft, entry.name);
  for (const auto& timer : draft.state().timers.of(facts::Link::step, step.id)) {
    if (timer.status != facts::TimerStatus::scheduled) continue;
    draft.emit(facts::FlowAttemptDue{step.id, timer.id}); // it was taken over with its attempts
    break;
  }
  facts::FlowAttemptStarted started{
      .step_id = step.id, .number = step.attempt_count + 1, .worker_id = {}};
  if (!entry.nested) started.worker_id = worker_id;
  draft.emit(std::move(started));
}

void drop(Draft& draft, const FlowEntry& entry) {
  facts::FlowStepDropped dropped{.name = entry.name, .step_id = {}, .busy = entry.flag};
  const auto* step = draft.state().flow_step(entry.name);
  if (step != nullptr) {
    dropped.step_id = step->id;
    if (step->called_instance_id) cancel_call(draft, *step);
  }
  draft.emit(std::move(dropped));
}

void add_compensation(Draft& draft, const FlowEntry& entry) {
  const auto* last = last_undoable(draft);
  const auto ordinal = last != nullptr ? last->ordinal : 0;
  draft.emit(facts::CompensationRecorded{.record_id = draft.take_key(),
                                         .scope_id = root_scope_id(draft),
                                         .node_id = entry.name,
                                         .handler_id = entry.name,
                                         .inner_scope_id = {},
                                         .ordinal = ordinal + 1,
                                         .variables = Object{}});
}

void finish(Draft& draft, const FlowEntry& entry) {
  facts::FlowEnded ended{.status = facts::InstanceStatus::completed,
                         .output = entry.value,
                         .reason = {},
                         .continued = entry.flag};
  if (entry.flag) { // the next run takes over under the same business key
    ended.output.reset();
    const auto& run = draft.run();
    Object payload{{"definition_id", key_text(draft.state().instance.definition_id)},
                   {"start_node_id", ""},
                   {"variables", variables_of(entry.value, "input")},
                   {"previous_instance_id", key_text(draft.state().instance.id)}};
    if (const auto& id = draft.state().instance.business_key) payload.append("business_key", *id);
    if (run.priority != 0) payload.append("priority", run.priority);
    if (run.limit_key) payload.append("limit_key", *run.limit_key);
    draft.emit(facts::EventSent{.pending_event_id = draft.take_key(),
                                .node_id = draft.process_id(),
                                .kind = facts::PendingKind::start,
                                .name = {},
                                .correlation_key = {},
                                .target_instance_id = draft.take_key(),
                                .target_token_id = {},
                                .payload = std::move(payload)});
    return end_run(draft, std::move(ended), "completed", {});
  }
  if (entry.ending == FlowEnding::failed) {
    ended.status = facts::InstanceStatus::failed;
    ended.output.reset();
    ended.reason = entry.error_name + ": " + entry.error_message;
    return end_run(draft, std::move(ended), "error", entry.error_name);
  }
  if (entry.ending == FlowEnding::cancelled) {
    ended.status = facts::InstanceStatus::cancelled;
    ended.output.reset();
    const auto reason = draft.run().cancel_reason.value_or("");
    if (!reason.empty()) ended.reason = reason;
    return end_run(draft, std::move(ended), "cancelled", {});
  }
  end_run(draft, std::move(ended), "completed", {});
}

void take(Draft& draft, const FlowEntry& entry, const std::string& worker_id) {
  using Doing = facts::FlowDoing;
  switch (entry.doing) {
    case Doing::begun: draft.emit(facts::FlowBegun{worker_id, entry.number}); break;
    case Doing::step_asked: ask(draft, entry, worker_id); break;
    case Doing::step_ended: end(draft, entry); break;
    case Doing::step_heard: draft.emit(facts::FlowStepHeard{entry.name}); break;
    case Doing::attempt_failed: fail_attempt(draft, entry); break;
    case Doing::attempt_started: start_attempt(draft, entry, worker_id); break;
    case Doing::step_dropped: drop(draft, entry); break;
    case Doing::step_released: draft.emit(facts::FlowStepReleased{entry.name}); break;
    case Doing::time_read: draft.emit(facts::FlowTimeRead{entry.at.value_or(draft.at())}); break;
    case Doing::patch_taken: draft.emit(facts::FlowPatchTaken{entry.name}); break;
    case Doing::attribute_set:
      draft.emit(facts::FlowAttributeSet{.scope_id = root_scope_id(draft),
                                         .name = entry.name,
                                         .value = entry.value.value_or(Value())});
      break;
    case Doing::compensation_added: add_compensation(draft, entry); break;
    case Doing::cancel_heard: draft.emit(facts::FlowCancelHeard{}); break;
    case Doing::ended: finish(draft, entry); break;
  }
}

/// Nothing that an entry speaks of has ended meanwhile (an operator may skip a step).
bool speaks_of_what_is(const Draft& draft, const std::vector<FlowEntry>& entries) {
  using Doing = facts::FlowDoing;
  std::unordered_set<std::string> asked;
  for (const auto& entry : entries) {
    if (entry.doing == Doing::step_asked) asked.insert(entry.name);
    const bool counts = entry.doing == Doing::step_ended || entry.doing == Doing::attempt_failed ||
                        entry.doing == Doing::attempt_started;
    if (!counts || asked.contains(entry.name)) continue;
    const auto* step = draft.state().flow_step(entry.name);
    const bool starts = entry.doing == Doing::attempt_started;
    const auto wanted = starts ? facts::StepStatus::pending : facts::StepStatus::running;
    if (step == nullptr || step->status != wanted) return false;
    asked.insert(entry.name);
  }
  return true;
}

facts::Refusal outdated() {
  return {facts::RefusalCode::lease_conflict,
          "Another process has this run now, or something has happened in it meanwhile: build it "
          "anew from what is recorded."};
}

} // namespace

std::optional<facts::Refusal> check_host(const Draft& draft, const std::string& worker_id,
                                         std::int64_t version) {
  const auto& run = draft.run();
  if (run.host == worker_id) return std::nullopt;
  if (version != draft.state().instance.last_sequence) return outdated();
  for (const auto& slot : draft.state().attempts.slots()) {
    if (slot.row.worker_id && *slot.row.worker_id != worker_id) return outdated();
  }
  return std::nullopt;
}

void cancel_call(Draft& draft, const facts::StepRecord& step) {
  draft.emit(facts::EventSent{.pending_event_id = draft.take_key(),
                              .node_id = step.node_id,
                              .kind = facts::PendingKind::call_cancelled,
                              .name = {},
                              .correlation_key = {},
                              .target_instance_id = step.called_instance_id,
                              .target_token_id = {},
                              .payload = Object{}});
}

void take_all(Draft& draft, const std::vector<FlowEntry>& entries, const std::string& worker_id) {
  for (const auto& entry : entries)
    take(draft, entry, worker_id);
}

std::optional<facts::Refusal> advance(Draft& draft, const facts::FlowAdvanced& event) {
  const bool ends = std::ranges::any_of(
      event.entries, [](const FlowEntry& entry) { return entry.doing == facts::FlowDoing::ended; });
  if (ends && draft.state().instance.status == facts::InstanceStatus::paused) {
    return facts::Refusal{facts::RefusalCode::instance_paused,
                          "The flow is paused: it can end when it is resumed."};
  }
  if (auto refusal = check_host(draft, event.worker_id, event.version)) return refusal;
  if (!speaks_of_what_is(draft, event.entries)) return outdated();
  const bool begins =
      !event.entries.empty() && event.entries.front().doing == facts::FlowDoing::begun;
  if (draft.run().host != event.worker_id && !begins) {
    draft.emit(facts::FlowHosted{event.worker_id});
  }
  take_all(draft, event.entries, event.worker_id);
  return std::nullopt;
}

void end_run(Draft& draft, facts::FlowEnded end, std::string_view outcome,
             const std::string& error_name) {
  std::vector<std::string> open;
  for (const auto& slot : draft.state().steps.slots()) {
    if (!slot.row.completed_at) open.push_back(slot.row.slug);
  }
  for (const auto& name : open)
    drop(draft, {.doing = facts::FlowDoing::step_dropped, .name = name});
  std::vector<Key> incidents;
  for (const auto& slot : draft.state().incidents.slots()) {
    if (slot.row.state == facts::IncidentState::open) incidents.push_back(slot.row.id);
  }
  for (const auto incident_id : incidents)
    draft.emit(facts::IncidentResolved{.incident_id = incident_id, .by = {}, .reenter = false});
  if (const auto& instance = draft.state().instance; instance.parent_token_id) {
    draft.emit(
        facts::EventSent{.pending_event_id = draft.take_key(),
                         .node_id = draft.process_id(),
                         .kind = facts::PendingKind::call_ended,
                         .name = error_name.empty() ? std::nullopt : std::optional(error_name),
                         .correlation_key = {},
                         .target_instance_id = instance.parent_instance_id,
                         .target_token_id = instance.parent_token_id,
                         .payload = Object{{"outcome", outcome},
                                           {"message", end.reason.value_or("")},
                                           {"called_id", key_text(instance.id)},
                                           {"variables", variables_of(end.output, "output")}}});
  }
  draft.emit(std::move(end));
  if (draft.kind().delivers) draft.emit(facts::FlowCompletionQueued{});
}

} // namespace perdure::flow
