#include "decide/throwing.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "decide/calls.h"
#include "decide/catching.h"
#include "decide/compensation.h"
#include "decide/data.h"
#include "decide/elements.h"
#include "decide/evaluate.h"
#include "decide/events.h"
#include "decide/incidents.h"
#include "decide/leaving.h"
#include "decide/scopes.h"
#include "decide/steps.h"

namespace perdure::decide {

using definition::EventKind;
using definition::EventSpec;
using definition::kNone;
using definition::Node;
using definition::NodeIndex;

namespace {

struct Catcher {
  Owner owner;
  NodeIndex event = kNone;
};

/// The event of those that catches the code: one that names it before one that takes any.
NodeIndex best_of(const Draft& draft, std::span<const NodeIndex> events, const Thrown& thrown) {
  auto any = kNone;
  for (const auto index : events) {
    for (const auto& event : draft.definition().node(index).events) {
      if (event.kind != thrown.kind) continue;
      if (!thrown.code.empty() && event.name.text == thrown.code) return index;
      if (event.name.text.empty() && any == kNone) any = index;
    }
  }
  return any;
}

/// Among the event sub-processes of the scope, but for the one that it was thrown in.
NodeIndex start_in(const Draft& draft, const facts::Scope& scope, NodeIndex thrown_in,
                   const Thrown& thrown) {
  const auto index =
      scope.parent_id
          ? draft.definition().node(draft.definition().find_node(scope.node_id)).inner_scope
          : definition::kRootScope;
  if (index == kNone) return kNone;
  std::vector<NodeIndex> starts;
  for (const auto node : draft.definition().scope(index).event_sub_processes) {
    if (node == thrown_in) continue;
    const auto inner = draft.definition().node(node).inner_scope;
    starts.push_back(draft.definition().scope(inner).event_starts.front());
  }
  return best_of(draft, starts, thrown);
}

/// Whether the scope is inside an event sub-process that has interrupted the scope around it: no
/// other of its event sub-processes can begin.
bool has_interrupted(const Draft& draft, const Node& node) {
  if (node.kind != definition::NodeKind::event_sub_process) return false;
  const auto& inner = draft.definition().scope(node.inner_scope);
  return draft.definition().node(inner.event_starts.front()).interrupting;
}

/// Outwards from where it was thrown; in each scope an event sub-process comes before the boundary
/// events of the activity that opened the scope.
std::optional<Catcher> find_catcher(const Draft& draft, const Visit& visit, const Thrown& thrown) {
  auto token_id = visit.token_id;
  const auto* node = &visit.node;
  for (;;) {
    const auto& token = *draft.state().tokens.find(token_id);
    if (token.mode == facts::TokenMode::compensation) {
      // What fails while something is undone is a fault of the one that had it undone.
      token_id = *token.parent_id;
      node = &draft.visit_of(token_id).node;
      continue;
    }
    const auto& scope = *draft.state().scopes.find(token.scope_id);
    const bool repeated =
        scope.kind == facts::ScopeKind::iteration && scope.node_id == token.node_id;
    if (!repeated) {
      const auto event = best_of(draft, node->boundaries, thrown);
      if (event != kNone) return Catcher{.owner = {.token_id = token_id}, .event = event};
      if (!has_interrupted(draft, *node)) {
        const auto thrown_in = draft.definition().find_node(node->id);
        const auto start = start_in(draft, scope, thrown_in, thrown);
        if (start != kNone) return Catcher{.owner = {.scope_id = scope.id}, .event = start};
      }
    }
    if (!scope.token_id) return std::nullopt;
    token_id = *scope.token_id;
    node = &draft.visit_of(token_id).node;
  }
}

const EventSpec& spec_of(const Node& event, EventKind kind) {
  for (const auto& spec : event.events) {
    if (spec.kind == kind) return spec;
  }
  PERDURE_CHECK(false);
  return event.events.front();
}

Object caught_variables(const EventSpec& spec, const Thrown& thrown) {
  auto variables = thrown.variables;
  if (!spec.code_variable.empty()) variables.set(spec.code_variable, thrown.code);
  if (!spec.message_variable.empty()) variables.set(spec.message_variable, thrown.message);
  return variables;
}

std::optional<std::string> or_none(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

void report_unhandled(Draft& draft, const Visit& visit, const Thrown& thrown) {
  Trouble trouble;
  trouble.kind = facts::IncidentKind::unhandled_error;
  trouble.message = "The error `" + thrown.code + "` of `" + visit.node.id +
                    "` is caught by no event: add one to the model, or mend the cause, then retry.";
  trouble.details = Object{{"code", thrown.code}, {"message", thrown.message}};
  open_incident(draft, visit, std::move(trouble));
}

/// Nothing in this instance catches it.
void raise_further(Draft& draft, const Visit& visit, const Thrown& thrown) {
  const bool is_error = thrown.kind == EventKind::error;
  if (!draft.state().instance.parent_token_id) {
    if (!is_error) return;
    const auto undoing = undoing_around(draft.state(), visit.token_id);
    if (undoing != kNoKey) return fail_undoing(draft, undoing, thrown.code, thrown.message);
    return report_unhandled(draft, visit, thrown);
  }
  if (is_error) return fail_to_caller(draft, thrown.code, thrown.message, thrown.variables);
  send_to_caller(draft, facts::PendingKind::call_escalated, visit.node.id, thrown.code,
                 Object{{"variables", thrown.variables}});
}

void jump(Draft& draft, const Visit& visit, NodeIndex target) {
  close_data(draft, visit);
  draft.emit(facts::TokenCompleted{.token_id = visit.token_id});
  const auto token_id = draft.take_key();
  draft.emit(facts::TokenPlaced{.token_id = token_id,
                                .scope_id = visit.scope_id,
                                .node_id = draft.definition().node(target).id,
                                .flow_id = {},
                                .parent_id = visit.token_id});
  draft.make_ready(token_id);
}

/// Who waits for the signal in this instance, in the order in which they have it: within a scope
/// the event sub-processes before all else, and of these first the one that interrupts.
std::vector<Key> receivers_here(const Draft& draft, const std::string& signal) {
  std::vector<std::tuple<int, Key>> found;
  for (const auto& slot : draft.state().subscriptions.slots()) {
    const auto& row = slot.row;
    if (row.state != facts::SubscriptionState::open || row.name != signal) continue;
    if (row.kind != facts::SubscriptionKind::signal) continue;
    const auto& node = draft.definition().node(draft.definition().find_node(row.node_id));
    found.emplace_back(!row.scope_id ? 2 : node.interrupting ? 0 : 1, row.id);
  }
  std::ranges::sort(found);
  std::vector<Key> receivers;
  for (const auto& [rank, id] : found)
    receivers.push_back(id);
  return receivers;
}

/// Whoever waits for the signal in this instance has it at once (BPMN 10.5.1, publication): what
/// the token does next may take the waiting away. An event sub-process absorbs the signal, so that
/// a boundary event of the same activity has it only when it is thrown again (10.5.6).
void publish_here(Draft& draft, const std::string& signal, const Object& variables) {
  std::vector<Key> absorbed;
  for (const auto id : receivers_here(draft, signal)) {
    const auto row = *draft.state().subscriptions.find(id);
    if (row.state != facts::SubscriptionState::open) continue;
    const auto& node = draft.definition().node(draft.definition().find_node(row.node_id));
    if (row.scope_id) {
      if (const auto owner = draft.state().scopes.find(*row.scope_id)->token_id) {
        absorbed.push_back(*owner);
      }
    } else if (std::ranges::find(absorbed, *row.token_id) != absorbed.end()) {
      continue;
    }
    draft.emit(facts::SubscriptionTriggered{.subscription_id = id, .stays_open = can_repeat(node)});
    catch_event(draft, {.token_id = row.token_id, .scope_id = row.scope_id}, node, variables);
  }
}

/// What an event takes along: the variables that its inputs made. Without inputs nothing, since who
/// hears it need not know the process.
Object carried(const Draft& draft, const Visit& visit) {
  if (!visit.node.data || visit.node.data->inputs.empty()) return {};
  const auto own = variables_of(draft.state(), visit.token_id);
  return *draft.state().scopes.find(own)->variables.as<Object>();
}

/// False when the token rests on an incident, or ended by what it sent.
bool send(Draft& draft, const Visit& visit, const EventSpec& event) {
  auto name = evaluate_name(draft, visit, event);
  if (!name) {
    open_incident(draft, visit, std::move(name.error()));
    return false;
  }
  facts::EventSent sent{.pending_event_id = kNoKey,
                        .node_id = visit.node.id,
                        .kind = facts::PendingKind::signal,
                        .name = *std::move(name),
                        .correlation_key = {},
                        .target_instance_id = {},
                        .target_token_id = {},
                        .payload = Object{{"variables", carried(draft, visit)}}};
  if (event.kind == EventKind::message) {
    sent.kind = facts::PendingKind::message;
    auto key = evaluate_key(draft, visit, event.correlation_key);
    if (!key) {
      open_incident(draft, visit, std::move(key.error()));
      return false;
    }
    sent.correlation_key = *std::move(key);
  }
  sent.pending_event_id = draft.take_key();
  const auto name_sent = sent.name.value_or("");
  draft.emit(std::move(sent));
  if (event.kind == EventKind::message) return true;
  publish_here(draft, name_sent, carried(draft, visit));
  return !is_terminal(draft.state().tokens.find(visit.token_id)->state);
}

/// False when nothing is left to do for the caller.
bool throw_coded(Draft& draft, const Visit& visit, const EventSpec& event) {
  auto code = evaluate_text(draft, visit, event.name,
                            event.kind == EventKind::error ? "error code" : "escalation code");
  if (!code) {
    open_incident(draft, visit, std::move(code.error()));
    return false;
  }
  raise(draft, visit,
        {.kind = event.kind,
         .code = code->value_or(""),
         .message = {},
         .variables = carried(draft, visit)});
  if (event.kind == EventKind::error) return false;
  const auto* token = draft.state().tokens.find(visit.token_id);
  return token && !is_terminal(token->state);
}

int rank_of(EventKind kind) {
  switch (kind) {
    case EventKind::message:
    case EventKind::signal:
    case EventKind::escalation:
    case EventKind::timer:
    case EventKind::conditional:
    case EventKind::link: return 0;
    case EventKind::compensation: return 1;
    case EventKind::error:
    case EventKind::cancel:
    case EventKind::terminate: return 2;
  }
  return 0;
}

} // namespace

bool throw_event(Draft& draft, const Visit& visit, const EventSpec& event) {
  switch (event.kind) {
    case EventKind::message:
    case EventKind::signal: return send(draft, visit, event);
    case EventKind::error:
    case EventKind::escalation: return throw_coded(draft, visit, event);
    case EventKind::link: jump(draft, visit, event.activity); return false;
    case EventKind::terminate: terminate_inside(draft, visit.scope_id, visit.token_id); return true;
    case EventKind::compensation: return throw_compensation(draft, visit);
    case EventKind::cancel: throw_cancel(draft, visit); return false;
    case EventKind::timer:
    case EventKind::conditional: break;
  }
  PERDURE_CHECK(false);
  return false;
}

MaybeRefusal decide_event(Draft& draft, const facts::SignalOccurred& event) {
  if (receivers_here(draft, event.name).empty()) {
    return refuse(facts::RefusalCode::token_finalized_twice,
                  "Nothing in this instance waits for the signal any more: nothing is left to do.");
  }
  const auto variables = event.variables.value_or(Object{});
  if (auto refusal = check_variables(variables)) return refusal;
  publish_here(draft, event.name, variables.is_null() ? Object{} : *variables.as<Object>());
  return accepted();
}

void raise(Draft& draft, const Visit& visit, const Thrown& thrown) {
  const auto catcher = find_catcher(draft, visit, thrown);
  const auto* event = catcher ? &draft.definition().node(catcher->event) : nullptr;
  draft.emit(facts::EventThrown{.token_id = visit.token_id,
                                .node_id = visit.node.id,
                                .kind = std::string(name_of(thrown.kind)),
                                .code = or_none(thrown.code),
                                .message = or_none(thrown.message),
                                .caught_by = event ? std::optional(event->id) : std::nullopt});
  if (!event) return raise_further(draft, visit, thrown);
  catch_event(draft, catcher->owner, *event,
              caught_variables(spec_of(*event, thrown.kind), thrown));
}

bool throw_events(Draft& draft, const Visit& visit) {
  if (visit.node.worker) {
    open_worker_step(draft, visit, facts::StepType::throw_event);
    return false;
  }
  // What lets the token go on comes before what it waits for, and that before what ends it.
  for (int rank = 0; rank < 3; ++rank) {
    for (const auto& event : visit.node.events) {
      if (rank_of(event.kind) == rank && !throw_event(draft, visit, event)) return false;
      // One throw undoes for all events of the node that ask for it.
      if (rank == 1 && event.kind == EventKind::compensation) break;
    }
  }
  return true;
}

} // namespace perdure::decide
