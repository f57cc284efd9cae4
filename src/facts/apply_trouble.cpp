// What facts about joins, incidents and dead letters do.
#include <utility>

#include "base/check.h"
#include "facts/appliers.h"

namespace perdure::facts {

namespace {

void note_generation(InstanceState& state, const JoinOpened& fact) {
  PERDURE_CHECK(fact.generation == state.last_generation(fact.scope_id, fact.node_id) + 1);
  state.generations[{fact.scope_id, fact.node_id}] = fact.generation;
}

ParallelJoin& change_join(InstanceState& state, Key join_id) {
  auto& join = state.joins.update(join_id);
  PERDURE_CHECK(join.state == JoinState::open);
  return join;
}

} // namespace

void apply_fact(InstanceState& state, Instant at, const JoinOpened& fact) {
  PERDURE_CHECK(fact.expected >= 2);
  note_generation(state, fact);
  state.joins.insert({.instance_id = state.instance.id,
                      .id = fact.join_id,
                      .scope_id = fact.scope_id,
                      .node_id = fact.node_id,
                      .generation = fact.generation,
                      .expected = fact.expected,
                      .joined = 0,
                      .state = JoinState::open,
                      .opened_at = at,
                      .closed_at = {},
                      .kind = fact.kind.value_or(JoinKind::parallel)});
}

void apply_fact(InstanceState& state, Instant at, const JoinArrived& fact) {
  auto& join = change_join(state, fact.join_id);
  PERDURE_CHECK(join.joined < join.expected);
  ++join.joined;
  state.arrivals.insert({.instance_id = state.instance.id,
                         .join_id = fact.join_id,
                         .flow_id = fact.flow_id,
                         .token_id = fact.token_id,
                         .arrived_at = at});
  change_token(state, fact.token_id, TokenState::waiting);
}

void apply_fact(InstanceState& state, Instant at, const JoinFired& fact) {
  auto& join = change_join(state, fact.join_id);
  PERDURE_CHECK(join.joined == join.expected ||
                (join.kind != JoinKind::parallel && join.joined >= 1));
  join.state = JoinState::fired;
  join.closed_at = at;
}

void apply_fact(InstanceState& state, Instant at, const JoinCancelled& fact) {
  auto& join = change_join(state, fact.join_id);
  join.state = JoinState::cancelled;
  join.closed_at = at;
}

void apply_fact(InstanceState& state, Instant at, const IncidentOpened& fact) {
  PERDURE_CHECK(fact.details.is_object());
  change_token(state, fact.token_id, TokenState::waiting);
  state.incidents.insert({.id = fact.incident_id,
                          .instance_id = state.instance.id,
                          .token_id = fact.token_id,
                          .node_id = fact.node_id,
                          .kind = fact.kind,
                          .message = fact.message,
                          .details = fact.details,
                          .state = IncidentState::open,
                          .opened_at = at,
                          .resolved_at = {},
                          .resolved_by = {}});
}

void apply_fact(InstanceState& state, Instant at, const IncidentResolved& fact) {
  auto& incident = state.incidents.update(fact.incident_id);
  PERDURE_CHECK(incident.state == IncidentState::open);
  incident.state = IncidentState::resolved;
  incident.resolved_at = at;
  incident.resolved_by = fact.by;
  if (fact.reenter) change_token(state, incident.token_id, TokenState::ready);
}

void apply_fact(InstanceState& state, Instant at, const DeadLetterOpened& fact) {
  PERDURE_CHECK(fact.payload.is_object());
  state.dead_letters.insert({.id = fact.dead_letter_id,
                             .instance_id = state.instance.id,
                             .task_id = fact.task_id,
                             .kind = fact.kind,
                             .state = DeadLetterState::open,
                             .reason = fact.reason,
                             .payload = fact.payload,
                             .opened_at = at,
                             .closed_at = {}});
}

void apply_fact(InstanceState& state, Instant at, const DeadLetterClosed& fact) {
  auto& letter = state.dead_letters.update(fact.dead_letter_id);
  PERDURE_CHECK(letter.state == DeadLetterState::open && fact.state != DeadLetterState::open);
  letter.state = fact.state;
  letter.closed_at = at;
}

} // namespace perdure::facts
