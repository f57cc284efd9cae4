#include "decide/joins.h"

#include <vector>

#include "decide/arrivals.h"
#include "decide/complex_join.h"
#include "decide/elements.h"
#include "decide/incidents.h"
#include "decide/leaving.h"
#include "decide/listeners.h"
#include "decide/scopes.h"

namespace perdure::decide {

using facts::JoinKind;
using facts::Link;

namespace {

Key gathering_for(Draft& draft, const Visit& visit, std::string_view flow_id, JoinKind kind) {
  const facts::ParallelJoin* earliest = nullptr;
  for (const auto& join : draft.state().joins.of(Link::scope, visit.scope_id)) {
    if (join.state != facts::JoinState::open) continue;
    if (join.node_id != visit.node.id || has_arrived(draft.state(), join.id, flow_id)) continue;
    if (!earliest || join.generation < earliest->generation) earliest = &join;
  }
  if (earliest) return earliest->id;
  const auto join_id = draft.take_key();
  draft.emit(facts::JoinOpened{
      .join_id = join_id,
      .scope_id = visit.scope_id,
      .node_id = visit.node.id,
      .generation = draft.state().last_generation(visit.scope_id, visit.node.id) + 1,
      .expected = static_cast<std::int64_t>(visit.node.incoming.size()),
      .kind = kind == JoinKind::parallel ? std::nullopt : std::optional(kind)});
  return join_id;
}

/// The gathering is over; all its tokens but `spared` are used up.
void close_fired(Draft& draft, Key join_id, Key spared) {
  draft.emit(facts::JoinFired{.join_id = join_id});
  for (const auto& arrival : arrivals_of(draft.state(), join_id)) {
    if (arrival.token_id == spared) continue;
    resolve_incidents_of(draft, arrival.token_id);
    draft.emit(facts::TokenCompleted{.token_id = arrival.token_id});
  }
}

void fire_parallel(Draft& draft, const Visit& visit, Key join_id) {
  const auto parent_id = first_arrived(draft.state(), join_id);
  if (!visit.node.listeners.empty()) {
    // One token of the gathering listens for all.
    close_fired(draft, join_id, parent_id);
    return pass(draft, draft.visit_of(parent_id));
  }
  close_fired(draft, join_id, kNoKey);
  place_on_flows(draft, visit.scope_id, parent_id, visit.node.outgoing);
  if (visit.node.outgoing.empty()) complete_scope_if_empty(draft, visit.scope_id);
}

/// Of two gatherings at one gateway the later has the second tokens of its flows: it waits.
bool is_earliest(const facts::InstanceState& state, const facts::ParallelJoin& join) {
  return std::ranges::none_of(
      state.joins.of(Link::scope, join.scope_id), [&](const facts::ParallelJoin& other) {
        return other.state == facts::JoinState::open && other.node_id == join.node_id &&
               other.generation < join.generation;
      });
}

bool waits_for_nothing(const Draft& draft, const facts::ParallelJoin& join) {
  return std::ranges::none_of(draft.state().tokens.of(Link::scope, join.scope_id),
                              [&](const facts::Token& token) {
                                return !is_terminal(token.state) && blocks(draft, join, token);
                              });
}

/// False when none of the scope's gatherings can fire now.
bool fire_inclusive_in(Draft& draft, Key scope_id) {
  for (const auto& join : draft.state().joins.of(Link::scope, scope_id)) {
    if (join.state != facts::JoinState::open || join.kind == JoinKind::parallel) continue;
    if (join.kind == JoinKind::complex && !is_activated(draft.state(), join.id)) continue;
    if (!is_earliest(draft.state(), join) || !waits_for_nothing(draft, join)) continue;
    if (join.kind == JoinKind::complex) {
      const auto join_id = join.id;
      if (!reset(draft, join_id)) complete_scope_if_empty(draft, scope_id);
      // An incident may keep it as it is.
      if (draft.state().joins.find(join_id)->state == facts::JoinState::open) continue;
      return true;
    }
    // The token that came first goes on for all: conditions may keep it here.
    const auto token_id = first_arrived(draft.state(), join.id);
    close_fired(draft, join.id, token_id);
    pass(draft, draft.visit_of(token_id));
    return true;
  }
  return false;
}

} // namespace

bool gathers(const definition::Node& node) {
  using definition::NodeKind;
  return node.incoming.size() > 1 &&
         (node.kind == NodeKind::parallel_gateway || node.kind == NodeKind::inclusive_gateway ||
          node.kind == NodeKind::complex_gateway);
}

void arrive_at_join(Draft& draft, const Visit& visit, JoinKind kind) {
  const auto* token = draft.state().tokens.find(visit.token_id);
  PERDURE_CHECK(token && token->flow_id);
  const std::string flow_id = *token->flow_id;
  const auto join_id = gathering_for(draft, visit, flow_id, kind);
  draft.emit(
      facts::JoinArrived{.join_id = join_id, .flow_id = flow_id, .token_id = visit.token_id});
  const auto* join = draft.state().joins.find(join_id);
  if (kind == JoinKind::parallel && join->joined == join->expected) {
    fire_parallel(draft, visit, join_id);
  }
  if (kind == JoinKind::complex) try_activation(draft, join_id);
}

bool fire_inclusive(Draft& draft) {
  if (!draft.definition().has_inclusive_gateway()) return false;
  // What it sets free may make a condition true, whose event must still fit in.
  if (!draft.has_keys_for_moves(1 + draft.definition().has_conditions())) return false;
  while (!draft.unsettled().empty()) {
    const auto scope_id = *draft.unsettled().begin();
    if (fire_inclusive_in(draft, scope_id)) return true;
    draft.settle(scope_id);
  }
  return false;
}

} // namespace perdure::decide
