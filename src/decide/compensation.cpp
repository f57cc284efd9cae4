#include "decide/compensation.h"

#include <algorithm>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "base/check.h"
#include "decide/arming.h"
#include "decide/catching.h"
#include "decide/elements.h"
#include "decide/evaluate.h"
#include "decide/incidents.h"
#include "decide/leaving.h"
#include "decide/loops.h"
#include "decide/scopes.h"
#include "decide/steps.h"

namespace perdure::decide {

using definition::EventKind;
using definition::kNone;
using definition::Node;
using definition::NodeKind;
using facts::CompensationRecord;
using facts::CompensationStatus;
using facts::TokenMode;

namespace {

/// Where what is undone was recorded, and the open scope in which it is undone.
struct Place {
  Key recorded_in;
  Key undone_in;
};

const CompensationRecord* record_of(const facts::InstanceState& state, Key token_id) {
  const auto found = state.undoing.find(token_id);
  return found == state.undoing.end() ? nullptr : state.compensations.find(found->second);
}

/// Whether something that was recorded in the scope can be undone.
bool can_undo(const facts::InstanceState& state, Key scope_id) {
  const auto records = state.undoable.find(scope_id);
  return records != state.undoable.end() &&
         std::ranges::any_of(records->second, [&](const auto& entry) {
           const auto& record = *state.compensations.find(entry.second);
           return record.handler_id || can_undo(state, *record.inner_scope_id);
         });
}

void record(Draft& draft, facts::CompensationRecorded fact) {
  fact.record_id = draft.take_key();
  // Grows with each success, and no other record of the instance has it.
  fact.ordinal = draft.state().instance.last_sequence + 1;
  draft.emit(std::move(fact));
}

const Node* handler_of(const Draft& draft, const Node& activity) {
  for (const auto index : activity.boundaries) {
    const auto& boundary = draft.definition().node(index);
    if (boundary.handler != kNone) return &draft.definition().node(boundary.handler);
  }
  return nullptr;
}

/// A scope that was opened again stands for the one in which things were recorded.
Key recorded_scope(const facts::InstanceState& state, const facts::Scope& scope) {
  if (scope.kind != facts::ScopeKind::compensation) return scope.id;
  const auto* record = record_of(state, *scope.token_id);
  PERDURE_CHECK(record && record->inner_scope_id);
  return *record->inner_scope_id;
}

/// BPMN 10.5.5: an event undoes what stands on its own level and, inside an event sub-process, on
/// the level around it. A transaction, or an activity that is opened again, undoes what is inside.
std::vector<Place> places_of(const facts::InstanceState& state, const facts::Token& token) {
  std::vector<Place> places;
  if (const auto scope_id = scope_opened_by(state, token.id); scope_id != kNoKey) {
    places.push_back({recorded_scope(state, *state.scopes.find(scope_id)), scope_id});
    return places;
  }
  const auto* scope = state.scopes.find(token.scope_id);
  for (;;) {
    places.push_back({recorded_scope(state, *scope), scope->id});
    if (scope->kind != facts::ScopeKind::event_sub_process) return places;
    scope = state.scopes.find(*scope->parent_id);
  }
}

/// Whether the token that undoes means this activity: an event may name one.
bool is_meant(const Draft& draft, const Visit& undoing, const std::string& activity_id) {
  if (scope_opened_by(draft.state(), undoing.token_id) != kNoKey) return true;
  return std::ranges::any_of(undoing.node.events, [&](const definition::EventSpec& event) {
    return event.kind == EventKind::compensation &&
           (event.activity == kNone || draft.definition().node(event.activity).id == activity_id);
  });
}

struct Choice {
  Key record_id;
  Key scope_id;
};

/// The latest success that is left for the token to undo.
std::optional<Choice> latest(const Draft& draft, Key token_id) {
  const auto& state = draft.state();
  const auto visit = draft.visit_of(token_id);
  std::int64_t ordinal = 0;
  std::optional<Choice> found;
  for (const auto& [recorded_in, undone_in] : places_of(state, *state.tokens.find(token_id))) {
    const auto records = state.undoable.find(recorded_in);
    if (records == state.undoable.end()) continue;
    for (const auto& [number, id] : std::views::reverse(records->second)) {
      if (number < ordinal) break;
      const auto& row = *state.compensations.find(id);
      if (!row.handler_id && !can_undo(state, *row.inner_scope_id)) continue;
      if (!is_meant(draft, visit, row.node_id)) continue;
      ordinal = number;
      found = Choice{id, undone_in};
      break;
    }
  }
  return found;
}

const Node& node_of(const Draft& draft, std::string_view id) {
  return draft.definition().node(draft.definition().find_node(id));
}

/// The sub-process, or what is around its runs, is opened again as it was at its end.
void reopen(Draft& draft, const CompensationRecord& record, Key scope_id, Key token_id) {
  const auto handler_id = record.handler_id;
  const auto inner_id = draft.take_key();
  draft.emit(facts::ScopeOpened{.scope_id = inner_id,
                                .parent_id = scope_id,
                                .token_id = token_id,
                                .node_id = record.node_id,
                                .kind = facts::ScopeKind::compensation,
                                .loop_index = {},
                                .variables = record.variables});
  if (!handler_id) return undo_next(draft, token_id);
  const auto& inner = draft.definition().scope(node_of(draft, *handler_id).inner_scope);
  catch_event(draft, {.scope_id = inner_id}, draft.definition().node(inner.event_starts.front()),
              {});
}

void undo(Draft& draft, Key waiting_id, const Choice& choice) {
  const auto record = *draft.state().compensations.find(choice.record_id);
  const auto token_id = draft.take_key();
  draft.emit(
      facts::TokenPlaced{.token_id = token_id,
                         .scope_id = choice.scope_id,
                         .node_id = record.inner_scope_id ? record.node_id : *record.handler_id,
                         .flow_id = {},
                         .parent_id = waiting_id,
                         .mode = TokenMode::compensation});
  draft.emit(facts::CompensationStarted{.record_id = record.id, .token_id = token_id});
  if (record.inner_scope_id) return reopen(draft, record, choice.scope_id, token_id);
  draft.make_ready(token_id);
}

const Node* cancel_boundary(const Draft& draft, const Node& transaction) {
  for (const auto index : transaction.boundaries) {
    const auto& boundary = draft.definition().node(index);
    if (boundary.has(EventKind::cancel)) return &boundary;
  }
  return nullptr;
}

/// The token that carries the boundary events: of a repeated activity they stand around all runs.
Key carrier_of(const Draft& draft, const Visit& visit) {
  if (!is_in_iteration(draft.state(), visit)) return visit.token_id;
  return *draft.state().scopes.find(visit.scope_id)->token_id;
}

/// Whether the event lets its own token go on at once.
bool waits(const Node& thrower) {
  return std::ranges::all_of(thrower.events, [](const definition::EventSpec& event) {
    return event.kind != EventKind::compensation || event.waits;
  });
}

void finish(Draft& draft, const Visit& visit) {
  if (is_undoing(draft.state(), visit.token_id)) {
    draft.emit(facts::ScopeClosed{.scope_id = scope_opened_by(draft.state(), visit.token_id),
                                  .state = facts::ScopeState::completed});
    return leave(draft, visit);
  }
  if (scope_opened_by(draft.state(), visit.token_id) != kNoKey) {
    return catch_event(draft, {.token_id = carrier_of(draft, visit)},
                       *cancel_boundary(draft, visit.node), {});
  }
  draft.emit(
      facts::StepCompleted{.step_id = open_step_of(draft.state(), visit.token_id), .output = {}});
  // Who does not wait has gone on by a token of its own.
  if (!waits(visit.node)) return end_token(draft, visit);
  leave(draft, visit);
}

/// What was recorded in a scope that has closed, as one record of the scope around it.
void record_parts(Draft& draft, Key scope_id, const Node& activity, Key inner_scope_id,
                  definition::NodeIndex handler) {
  if (handler == kNone && !can_undo(draft.state(), inner_scope_id)) return;
  record(draft,
         {.record_id = kNoKey,
          .scope_id = scope_id,
          .node_id = activity.id,
          .handler_id =
              handler == kNone ? std::nullopt : std::optional(draft.definition().node(handler).id),
          .inner_scope_id = inner_scope_id,
          .ordinal = 0,
          .variables = draft.state().scopes.find(inner_scope_id)->variables});
}

} // namespace

void record_success(Draft& draft, Key scope_id, const Node& activity) {
  const auto* handler = handler_of(draft, activity);
  if (!handler) return;
  record(draft, {.record_id = kNoKey,
                 .scope_id = scope_id,
                 .node_id = activity.id,
                 .handler_id = handler->id,
                 .inner_scope_id = {},
                 .ordinal = 0,
                 .variables = Object{}});
}

void record_inside(Draft& draft, const Visit& visit, Key inner_scope_id) {
  const auto index = draft.definition().scope(visit.node.inner_scope).compensation;
  // What undoes the whole, seen from outside, does so instead of what undoes its parts.
  if (index == kNone && handler_of(draft, visit.node)) return;
  record_parts(draft, visit.scope_id, visit.node, inner_scope_id, index);
}

void record_runs(Draft& draft, Key scope_id, const Node& activity, Key inner_scope_id) {
  record_parts(draft, scope_id, activity, inner_scope_id, kNone);
}

bool throw_compensation(Draft& draft, const Visit& visit) {
  draft.emit(facts::EventThrown{.token_id = visit.token_id,
                                .node_id = visit.node.id,
                                .kind = std::string(name_of(EventKind::compensation)),
                                .code = {},
                                .message = {},
                                .caught_by = {}});
  if (!latest(draft, visit.token_id)) return true;
  if (waits(visit.node)) {
    draft.emit(new_step(draft, visit, facts::StepType::throw_event));
    undo_next(draft, visit.token_id);
    return false;
  }
  const auto token_id = draft.take_key();
  draft.emit(facts::TokenPlaced{.token_id = token_id,
                                .scope_id = visit.scope_id,
                                .node_id = visit.node.id,
                                .flow_id = {},
                                .parent_id = visit.token_id});
  draft.emit(new_step(draft, draft.visit_of(token_id), facts::StepType::throw_event));
  undo_next(draft, token_id);
  return true;
}

void throw_cancel(Draft& draft, const Visit& visit) {
  const auto* scope = draft.state().scopes.find(visit.scope_id);
  while (scope->kind != facts::ScopeKind::transaction)
    scope = draft.state().scopes.find(*scope->parent_id);
  const auto scope_id = scope->id;
  const auto token_id = *scope->token_id;
  const auto* boundary = cancel_boundary(draft, draft.visit_of(token_id).node);
  PERDURE_CHECK(boundary != nullptr);
  draft.emit(facts::EventThrown{.token_id = visit.token_id,
                                .node_id = visit.node.id,
                                .kind = std::string(name_of(EventKind::cancel)),
                                .code = {},
                                .message = {},
                                .caught_by = boundary->id});
  // From here on nothing interrupts it and nothing in it begins.
  terminate_inside(draft, scope_id);
  disarm_scope(draft, scope_id);
  disarm_token(draft, token_id);
  disarm_token(draft, carrier_of(draft, draft.visit_of(token_id)));
  undo_next(draft, token_id);
}

bool is_undoing(const facts::InstanceState& state, Key token_id) {
  const auto* token = state.tokens.find(token_id);
  return token && token->mode == TokenMode::compensation;
}

void finish_undoing(Draft& draft, const Visit& visit) {
  const auto waiting_id = *draft.state().tokens.find(visit.token_id)->parent_id;
  const auto record_id = record_of(draft.state(), visit.token_id)->id;
  draft.emit(facts::TokenCompleted{.token_id = visit.token_id});
  draft.emit(
      facts::CompensationEnded{.record_id = record_id, .status = CompensationStatus::completed});
  undo_next(draft, waiting_id);
}

void undo_next(Draft& draft, Key token_id) {
  if (const auto choice = latest(draft, token_id)) return undo(draft, token_id, *choice);
  finish(draft, draft.visit_of(token_id));
}

Key undoing_around(const facts::InstanceState& state, Key token_id) {
  std::optional<Key> next = token_id;
  while (next) {
    const auto& token = *state.tokens.find(*next);
    if (token.mode == TokenMode::compensation) return token.id;
    next = state.scopes.find(token.scope_id)->token_id;
  }
  return kNoKey;
}

void fail_undoing(Draft& draft, Key token_id, std::string_view code, std::string_view message) {
  const auto record = *record_of(draft.state(), token_id);
  const auto waiting_id = *draft.state().tokens.find(token_id)->parent_id;
  Trouble trouble;
  trouble.kind = facts::IncidentKind::compensation_failed;
  trouble.message = "What undoes `" + record.node_id + "` threw the error `" + std::string(code) +
                    "`, which nothing catches, so it stays as it is: undo it by hand, then retry "
                    "to go on with the rest.";
  trouble.details = Object{{"activity_id", record.node_id},
                           {"handler_id", record.handler_id.value_or("")},
                           {"record_id", key_text(record.id)},
                           {"code", code},
                           {"message", message}};
  terminate_token(draft, token_id); // and its record fails with it
  open_incident(draft, draft.visit_of(waiting_id), std::move(trouble));
}

} // namespace perdure::decide
