#include "decide/complex_join.h"

#include <utility>
#include <vector>

#include "decide/arrivals.h"
#include "decide/evaluate.h"
#include "decide/incidents.h"
#include "decide/leaving.h"

namespace perdure::decide {

using definition::FlowIndex;
using definition::kNone;
using definition::Node;

namespace {

bool is_live(const facts::InstanceState& state, Key token_id) {
  const auto* token = state.tokens.find(token_id);
  return token && !is_terminal(token->state);
}

const Node& gateway_of(const Draft& draft, const facts::ParallelJoin& join) {
  return draft.definition().node(draft.definition().find_node(join.node_id));
}

/// What the conditions of the gateway see beside the variables.
Object counts(const Draft& draft, const facts::ParallelJoin& join, bool waits_for_start) {
  Object seen;
  std::int64_t count = 0;
  for (const auto flow : gateway_of(draft, join).incoming) {
    const auto& id = draft.definition().flow(flow).id;
    const auto* arrival = draft.state().arrivals.find(std::tuple(join.id, std::string_view(id)));
    const bool counted = arrival && (waits_for_start || is_live(draft.state(), arrival->token_id));
    count += counted;
    seen.set(id, counted ? 1 : 0);
  }
  seen.set("activationCount", count);
  seen.set("waitingForStart", waits_for_start);
  return seen;
}

/// The flows that a phase takes.
Outcome<std::vector<FlowIndex>> flows_of(const Draft& draft, const facts::ParallelJoin& join,
                                         bool waits_for_start) {
  const auto& gateway = gateway_of(draft, join);
  const auto seen = counts(draft, join, waits_for_start);
  std::vector<FlowIndex> taken;
  bool any_condition_holds = false;
  for (const auto index : gateway.outgoing) {
    const auto& flow = draft.definition().flow(index);
    if (index == gateway.default_flow) continue;
    if (flow.condition) {
      auto holds = evaluate_condition(draft, join.scope_id, flow, &seen);
      if (!holds) return std::unexpected(std::move(holds.error()));
      if (!*holds) continue;
      any_condition_holds = true;
    } else if (!waits_for_start) {
      continue;
    }
    taken.push_back(index);
  }
  if (waits_for_start && gateway.default_flow != kNone && !any_condition_holds) {
    taken.push_back(gateway.default_flow);
  }
  return taken;
}

std::vector<Key> resting(const facts::InstanceState& state, Key join_id) {
  std::vector<Key> tokens;
  for (const auto& arrival : arrivals_of(state, join_id)) {
    if (is_live(state, arrival.token_id)) tokens.push_back(arrival.token_id);
  }
  return tokens;
}

void use_up(Draft& draft, const std::vector<Key>& tokens) {
  for (const auto token_id : tokens) {
    resolve_incidents_of(draft, token_id);
    draft.emit(facts::TokenCompleted{.token_id = token_id});
  }
}

const facts::ParallelJoin* earliest_at(const facts::InstanceState& state, Key scope_id,
                                       std::string_view node_id) {
  const facts::ParallelJoin* earliest = nullptr;
  for (const auto& join : state.joins.of(facts::Link::scope, scope_id)) {
    if (join.state != facts::JoinState::open || join.node_id != node_id) continue;
    if (!earliest || join.generation < earliest->generation) earliest = &join;
  }
  return earliest;
}

bool has_incident(const facts::InstanceState& state, Key token_id) {
  return open_incident_of(state, token_id, facts::IncidentKind::expression_error) != kNoKey ||
         open_incident_of(state, token_id, facts::IncidentKind::no_outgoing_flow) != kNoKey;
}

} // namespace

void try_activation(Draft& draft, Key join_id) {
  const auto join = *draft.state().joins.find(join_id);
  const auto* earliest = earliest_at(draft.state(), join.scope_id, join.node_id);
  if (earliest->id != join_id || is_activated(draft.state(), join_id)) return;
  const auto& gateway = gateway_of(draft, join);
  const auto first = first_arrived(draft.state(), join_id);
  if (has_incident(draft.state(), first)) return;
  const auto seen = counts(draft, join, true);
  if (!evaluate_holds(draft, join.scope_id, *gateway.activation, &seen)) return;
  auto flows = flows_of(draft, join, true);
  const Visit visit{first, join.scope_id, gateway};
  if (!flows) return open_incident(draft, visit, std::move(flows.error()));
  if (flows->empty() && !gateway.outgoing.empty()) {
    return open_incident(draft, visit, no_way_out(gateway));
  }
  use_up(draft, resting(draft.state(), join_id));
  place_on_flows(draft, join.scope_id, first, *flows);
}

Key complex_gathering_of(const facts::InstanceState& state, Key token_id) {
  for (const auto& arrival : state.arrivals.of(facts::Link::token, token_id)) {
    const auto* join = state.joins.find(arrival.join_id);
    if (!join || join->state != facts::JoinState::open) continue;
    if (join->kind == facts::JoinKind::complex) return join->id;
  }
  return kNoKey;
}

bool is_activated(const facts::InstanceState& state, Key join_id) {
  for (const auto& arrival : arrivals_of(state, join_id)) {
    if (!is_live(state, arrival.token_id)) return true;
  }
  return false;
}

bool reset(Draft& draft, Key join_id) {
  const auto join = *draft.state().joins.find(join_id);
  const auto late = resting(draft.state(), join_id);
  auto flows = flows_of(draft, join, false);
  if (!flows && !late.empty()) {
    if (has_incident(draft.state(), late.front())) return true;
    open_incident(draft, {late.front(), join.scope_id, gateway_of(draft, join)},
                  std::move(flows.error()));
    return true;
  }
  draft.emit(facts::JoinFired{.join_id = join_id});
  use_up(draft, late);
  bool placed = false;
  if (flows) {
    placed = !flows->empty();
    place_on_flows(draft, join.scope_id, late.empty() ? std::nullopt : std::optional(late.front()),
                   *flows);
  }
  const auto* next = earliest_at(draft.state(), join.scope_id, join.node_id);
  if (next) try_activation(draft, next->id);
  return placed || next;
}

bool reset_all(Draft& draft, Key scope_id) {
  for (const auto& join : draft.state().joins.of(facts::Link::scope, scope_id)) {
    if (join.state != facts::JoinState::open) continue;
    if (join.kind == facts::JoinKind::complex && reset(draft, join.id)) return true;
  }
  return false;
}

} // namespace perdure::decide
