#include "decide/incidents.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "decide/ad_hoc.h"
#include "decide/arming.h"
#include "decide/compensation.h"
#include "decide/complex_join.h"
#include "decide/elements.h"
#include "decide/events.h"
#include "decide/listeners.h"
#include "decide/loops.h"
#include "decide/scopes.h"
#include "decide/steps.h"

namespace perdure::decide {

using facts::IncidentKind;
using facts::IncidentState;
using facts::Link;

namespace {

/// More attempts than this make no sense and could overflow the count.
constexpr std::int64_t kMaxRetriesAdded = 1'000'000;

bool is_open(const facts::Incident& incident) { return incident.state == IncidentState::open; }

void resolve(Draft& draft, Key incident_id, std::optional<std::string> by, bool reenter) {
  draft.emit(
      facts::IncidentResolved{.incident_id = incident_id, .by = std::move(by), .reenter = reenter});
}

/// The token had done its work and was choosing its way out: it must not do the work again.
bool was_leaving(const facts::Incident& incident) {
  return incident.kind == IncidentKind::no_outgoing_flow ||
         incident.details.find(kFlowMember) != nullptr ||
         incident.details.find(kLeavingMember) != nullptr;
}

const facts::ExternalTask* failed_task_of(const facts::InstanceState& state, Key token_id) {
  for (const auto& task : state.external_tasks.of(Link::token, token_id)) {
    if (task.state == facts::TaskState::failed) return &task;
  }
  return nullptr;
}

bool has_incident(const facts::InstanceState& state, Key token_id) {
  return std::ranges::any_of(state.incidents.of(Link::token, token_id), is_open);
}

/// Whether something else than the incident will wake the token.
bool rests_on_other_row(const Draft& draft, const facts::Incident& incident) {
  if (has_more_to_open(draft, incident.token_id)) return false;
  const auto& state = draft.state();
  const auto token_id = incident.token_id;
  const auto step_id = open_step_of(state, token_id);
  const auto* step = step_id == kNoKey ? nullptr : state.steps.find(step_id);
  const bool has_work = step && !is_done_at_once(state, *step);
  const bool at_join =
      std::ranges::any_of(state.arrivals.of(Link::token, token_id), [&](const auto& arrival) {
        const auto* join = state.joins.find(arrival.join_id);
        return join && join->state == facts::JoinState::open;
      });
  const bool other_incident = std::ranges::any_of(
      state.incidents.of(Link::token, token_id),
      [&](const auto& other) { return other.id != incident.id && is_open(other); });
  return has_work || at_join || other_incident || scope_opened_by(state, token_id) != kNoKey;
}

/// The scope in which the token stands, or which it has opened, could not be armed then.
void arm_again(Draft& draft, const facts::Incident& incident, const facts::RetryRequested& event) {
  const auto visit = draft.visit_of(incident.token_id);
  const bool leaving = was_leaving(incident);
  if (visit.node.kind == definition::NodeKind::ad_hoc_sub_process) {
    resolve(draft, incident.id, event.by, false);
    return begin_ad_hoc(draft, visit);
  }
  resolve(draft, incident.id, event.by, !leaving);
  if (!arm_scope(draft, visit.scope_id, visit.node.scope, visit.token_id, leaving)) return;
  if (leaving) return go_out(draft, visit);
  draft.make_ready(visit.token_id);
}

/// The event that has placed the token could not be awaited anew.
void gather_again(Draft& draft, const facts::Incident& incident,
                  const facts::RetryRequested& event) {
  const auto visit = draft.visit_of(incident.token_id);
  resolve(draft, incident.id, event.by, true);
  if (visit.node.kind == definition::NodeKind::boundary_event) {
    const auto* carrier =
        draft.state().tokens.find(*draft.state().tokens.find(visit.token_id)->parent_id);
    const bool lives = carrier && !is_terminal(carrier->state);
    const bool can_wait = !lives ||
                          carrier->node_id != draft.definition().node(visit.node.attached_to).id ||
                          arm_anew(draft, {.token_id = carrier->id}, visit.node, visit.token_id);
    if (can_wait) draft.make_ready(visit.token_id);
    return;
  }
  const auto around = *draft.state().scopes.find(visit.scope_id)->parent_id;
  if (!arm_anew(draft, {.scope_id = around}, visit.node, visit.token_id)) return;
  if (arm_scope(draft, visit.scope_id, visit.node.scope, visit.token_id)) {
    draft.make_ready(visit.token_id);
  }
}

void retry(Draft& draft, const facts::Incident& incident, const facts::RetryRequested& event) {
  const auto incident_id = incident.id;
  const auto token_id = incident.token_id;
  const auto* task = failed_task_of(draft.state(), token_id);
  PERDURE_CHECK(task || incident.kind != IncidentKind::retries_exhausted);
  if (task) {
    draft.emit(facts::StepRetried{
        .step_id = task->step_id,
        .task_id = task->id,
        .retries = std::clamp<std::int64_t>(event.retries, 1, kMaxRetriesAdded)});
    requeue_dead_letter(draft, task->id);
    resolve(draft, incident_id, event.by, false);
  } else if (incident.kind == IncidentKind::call_failed) {
    draft.emit(facts::StepCancelled{.step_id = open_step_of(draft.state(), token_id)});
    resolve(draft, incident_id, event.by, true);
    draft.make_ready(token_id);
  } else if (incident.kind == IncidentKind::compensation_failed) {
    resolve(draft, incident_id, event.by, false);
    undo_next(draft, token_id);
  } else if (incident.details.find(kArmingMember)) {
    arm_again(draft, incident, event);
  } else if (incident.details.find(kGatheringMember)) {
    gather_again(draft, incident, event);
  } else if (rests_on_other_row(draft, incident)) {
    resolve(draft, incident_id, event.by, false);
    // Variables may have been corrected that its condition reads.
    const auto join_id = complex_gathering_of(draft.state(), token_id);
    if (join_id != kNoKey) try_activation(draft, join_id);
  } else if (was_leaving(incident)) {
    resolve(draft, incident_id, event.by, false);
    leave_again(draft, draft.visit_of(token_id));
  } else {
    resolve(draft, incident_id, event.by, true);
    draft.make_ready(token_id);
  }
}

} // namespace

void open_incident(Draft& draft, const Visit& visit, Trouble trouble) {
  draft.emit(facts::IncidentOpened{.incident_id = draft.take_key(),
                                   .token_id = visit.token_id,
                                   .node_id = visit.node.id,
                                   .kind = trouble.kind,
                                   .message = std::move(trouble.message),
                                   .details = std::move(trouble.details)});
}

void resolve_incidents_of(Draft& draft, Key token_id) {
  for (const auto& incident : draft.state().incidents.of(Link::token, token_id)) {
    if (is_open(incident)) resolve(draft, incident.id, std::string(kEngine), false);
  }
}

void abandon_incidents_of(Draft& draft, const std::vector<Key>& tokens) {
  std::vector<Key> letters;
  for (const auto token_id : tokens) {
    resolve_incidents_of(draft, token_id);
    for (const auto& task : draft.state().external_tasks.of(Link::token, token_id)) {
      for (const auto& letter : draft.state().dead_letters.of(Link::task, task.id)) {
        if (letter.state == facts::DeadLetterState::open) letters.push_back(letter.id);
      }
    }
  }
  for (const auto id : letters) {
    draft.emit(
        facts::DeadLetterClosed{.dead_letter_id = id, .state = facts::DeadLetterState::discarded});
  }
}

void requeue_dead_letter(Draft& draft, Key task_id) {
  for (const auto& letter : draft.state().dead_letters.of(Link::task, task_id)) {
    if (letter.state != facts::DeadLetterState::open) continue;
    draft.emit(facts::DeadLetterClosed{.dead_letter_id = letter.id,
                                       .state = facts::DeadLetterState::requeued});
  }
}

Key open_incident_of(const facts::InstanceState& state, Key token_id, IncidentKind kind) {
  for (const auto& incident : state.incidents.of(Link::token, token_id)) {
    if (incident.kind == kind && is_open(incident)) return incident.id;
  }
  return kNoKey;
}

MaybeRefusal decide_event(Draft& draft, const facts::RetryRequested& event) {
  std::vector<Key> chosen;
  for (const auto& slot : draft.state().incidents.slots()) {
    if (!is_open(slot.row)) continue;
    if (event.incident_id == kNoKey || event.incident_id == slot.row.id) {
      chosen.push_back(slot.row.id);
    }
  }
  if (chosen.empty()) {
    return refuse(facts::RefusalCode::nothing_to_retry,
                  "No incident is open here: look at the instance, it may have gone on already.");
  }
  const auto corrections = event.variables.value_or(Value());
  if (auto refusal = check_variables(corrections)) return refusal;
  if (const auto* members = corrections.as<Object>()) {
    const auto* first = draft.state().incidents.find(chosen.front());
    set_variables(draft, variables_of(draft.state(), first->token_id), *members);
  }
  for (const auto id : chosen) {
    // What does not fit into this decision stays open for the next retry.
    if (id != chosen.front() && !draft.has_room()) break;
    const auto* incident = draft.state().incidents.find(id);
    if (is_open(*incident)) retry(draft, *incident, event);
  }
  return accepted();
}

MaybeRefusal decide_event(Draft& draft, const facts::SetAside& event) {
  // Ready tokens come first: they are what the engine would run into the same bug again.
  std::vector<Key> tokens;
  Key first_free = kNoKey; // a token rests on one incident at most
  for (const auto& slot : draft.state().tokens.slots()) {
    if (is_terminal(slot.row.state)) continue;
    if (first_free == kNoKey && !has_incident(draft.state(), slot.row.id)) first_free = slot.row.id;
    if (slot.row.state == facts::TokenState::ready) tokens.push_back(slot.row.id);
  }
  const bool is_marked = std::ranges::any_of(draft.state().incidents.slots(), [](const auto& slot) {
    return is_open(slot.row) && slot.row.kind == IncidentKind::engine_error;
  });
  if (tokens.empty() && (is_marked || first_free == kNoKey)) {
    return refuse(facts::RefusalCode::token_invalid_transition,
                  "The instance is set aside already: resolve its incident by a retry.");
  }
  if (tokens.empty()) tokens.push_back(first_free);
  for (const auto token_id : tokens) {
    if (draft.has_facts() && !draft.has_room()) break;
    const auto* token = draft.state().tokens.find(token_id);
    // The model may be what is broken: its node is not looked up.
    draft.emit(facts::IncidentOpened{
        .incident_id = draft.take_key(),
        .token_id = token_id,
        .node_id = token->node_id,
        .kind = IncidentKind::engine_error,
        .message = "A bug in Perdure stopped this instance: report it, then retry with a version "
                   "that has it fixed.",
        .details = Object{{"reason", event.message}}});
  }
  return accepted();
}

} // namespace perdure::decide
