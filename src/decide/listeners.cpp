#include "decide/listeners.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/check.h"
#include "decide/compensation.h"
#include "decide/data.h"
#include "decide/elements.h"
#include "decide/evaluate.h"
#include "decide/incidents.h"
#include "decide/joins.h"
#include "decide/loops.h"
#include "decide/scopes.h"
#include "decide/steps.h"

namespace perdure::decide {

using definition::ListenerPhase;
using definition::ListenerSpec;
using definition::NodeKind;

namespace {

std::span<const ListenerSpec> listeners_in(const definition::Node& node, ListenerPhase phase) {
  const auto found =
      std::ranges::equal_range(node.listeners, phase, std::ranges::less{}, &ListenerSpec::phase);
  return {found.begin(), found.end()};
}

/// From 1, as Token::listener counts.
std::int64_t position_of(const definition::Node& node, const ListenerSpec& listener) {
  return &listener - node.listeners.data() + 1;
}

std::int64_t progress_of(const facts::InstanceState& state, Key token_id) {
  return state.tokens.find(token_id)->listener;
}

/// The next one of that phase; nullptr when all have begun.
const ListenerSpec* next_in(const Draft& draft, const Visit& visit, ListenerPhase phase) {
  const auto progress = progress_of(draft.state(), visit.token_id);
  for (const auto& listener : listeners_in(visit.node, phase)) {
    if (position_of(visit.node, listener) > progress) return &listener;
  }
  return nullptr;
}

/// `node:start:1`, and from the second time on `node:start:1#2`.
std::string slug_of(const Draft& draft, const definition::Node& node,
                    const ListenerSpec& listener) {
  const auto among = listeners_in(node, listener.phase);
  auto slug = node.id + ":" + std::string(name_of(listener.phase)) + ":" +
              std::to_string(&listener - among.data() + 1);
  const auto visits = draft.state().visit_count(node.id, position_of(node, listener)) + 1;
  return visits == 1 ? slug : slug + "#" + std::to_string(visits);
}

bool leads_out(ListenerPhase phase) {
  return phase == ListenerPhase::completing || phase == ListenerPhase::end;
}

/// The event-based gateway has let the token come with the event that it chose.
bool came_with_event(const Draft& draft, const Visit& visit) {
  const auto& flow_id = draft.state().tokens.find(visit.token_id)->flow_id;
  const auto flow = flow_id ? draft.definition().find_flow(*flow_id) : definition::kNone;
  if (flow == definition::kNone) return false;
  const auto source = draft.definition().flow(flow).source;
  return draft.definition().node(source).kind == NodeKind::event_based_gateway;
}

bool is_passed(const Draft& draft, const Visit& visit) {
  return gathers(visit.node) || came_with_event(draft, visit);
}

void open(Draft& draft, const Visit& visit, const ListenerSpec& listener) {
  auto step = worker_step(draft, visit, listener.worker, facts::StepType::listener);
  if (!step) {
    // What it does is part of the way out: the work is not done again.
    if (leads_out(listener.phase) || is_passed(draft, visit)) {
      step.error().details.append(std::string(kLeavingMember), true);
    }
    return open_incident(draft, visit, std::move(step.error()));
  }
  resolve_incidents_of(draft, visit.token_id);
  step->slug = slug_of(draft, visit.node, listener);
  step->name = step->worker->type;
  step->listener = position_of(visit.node, listener);
  draft.emit(*std::move(step));
}

/// A user task that nobody is assigned to has no such moment.
Outcome<bool> comes_to_pass(const Draft& draft, const Visit& visit, ListenerPhase phase) {
  if (phase != ListenerPhase::assigning || !visit.node.user_task) return true;
  auto assignee = evaluate_text(draft, visit, visit.node.user_task->assignee, "assignee");
  if (!assignee) return std::unexpected(std::move(assignee.error()));
  return assignee->has_value();
}

/// Whether the token is the one around all iterations of a repeated activity.
bool is_around(const Draft& draft, const Visit& visit) {
  return visit.node.loop && !is_in_iteration(draft.state(), visit);
}

bool set_outputs(Draft& draft, const Visit& visit) {
  auto outputs = evaluate_outputs(draft, visit);
  if (!outputs) {
    open_incident(draft, visit, std::move(outputs.error()));
    return false;
  }
  set_around(draft, visit, *outputs);
  return true;
}

/// Where the variables go that the listener gives: outwards at the end, else to the element alone.
void keep(Draft& draft, const Visit& visit, ListenerPhase phase, const Object& variables) {
  if (variables.empty()) return;
  if (phase == ListenerPhase::end) return set_around(draft, visit, variables);
  if (phase == ListenerPhase::completing) return take_result(draft, visit, variables);
  set_own(draft, visit, variables);
}

} // namespace

bool has_listened(const facts::InstanceState& state, Key token_id) {
  return progress_of(state, token_id) > 0;
}

bool listen(Draft& draft, const Visit& visit, ListenerPhase phase) {
  const auto* next = next_in(draft, visit, phase);
  if (!next) return true;
  const auto happens = comes_to_pass(draft, visit, phase);
  if (happens && !*happens) return true;
  if (!happens) {
    open_incident(draft, visit, happens.error());
  } else {
    open(draft, visit, *next);
  }
  return false;
}

bool listen_before_work(Draft& draft, const Visit& visit) {
  return listen(draft, visit, ListenerPhase::start) &&
         listen(draft, visit, ListenerPhase::creating) &&
         listen(draft, visit, ListenerPhase::assigning);
}

bool listen_after_work(Draft& draft, const Visit& visit) {
  if (visit.node.listeners.empty() || is_around(draft, visit)) return true;
  // A sub-process that is undone has ended before.
  if (is_undoing(draft.state(), visit.token_id) && !visit.node.for_compensation) return true;
  if (!listen(draft, visit, ListenerPhase::completing)) return false;
  if (!next_in(draft, visit, ListenerPhase::end)) return true;
  if (!has_set_outputs(draft, visit) && !set_outputs(draft, visit)) return false;
  return listen(draft, visit, ListenerPhase::end);
}

bool has_set_outputs(const Draft& draft, const Visit& visit) {
  const auto at_end = listeners_in(visit.node, ListenerPhase::end);
  return !at_end.empty() &&
         progress_of(draft.state(), visit.token_id) >= position_of(visit.node, at_end.front());
}

void pass(Draft& draft, const Visit& visit) {
  if (listen(draft, visit, ListenerPhase::start)) leave(draft, visit);
}

void finish_listener(Draft& draft, Key token_id, const Object& variables) {
  const auto visit = draft.visit_of(token_id);
  const auto position = progress_of(draft.state(), token_id);
  PERDURE_CHECK(position >= 1 && position <= std::ssize(visit.node.listeners));
  const auto phase = visit.node.listeners[static_cast<std::size_t>(position - 1)].phase;
  keep(draft, visit, phase, variables);
  if (leads_out(phase)) return leave(draft, visit);
  if (is_passed(draft, visit)) return pass(draft, visit);
  enter(draft, visit);
}

void leave_again(Draft& draft, const Visit& visit) {
  if (is_undoing(draft.state(), visit.token_id)) return leave(draft, visit);
  if (is_passed(draft, visit) && next_in(draft, visit, ListenerPhase::start)) {
    return pass(draft, visit);
  }
  const bool listens =
      next_in(draft, visit, ListenerPhase::completing) || next_in(draft, visit, ListenerPhase::end);
  if (listens && !is_around(draft, visit)) return leave(draft, visit);
  go_out(draft, visit);
}

} // namespace perdure::decide
