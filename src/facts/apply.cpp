// The dispatch, and what facts about the instance, its scopes, variables and tokens do.
#include "facts/apply.h"

#include <utility>

#include "base/check.h"
#include "facts/appliers.h"

namespace perdure::facts {

namespace {

void count_iteration(InstanceState& state, const ScopeOpened& fact) {
  PERDURE_CHECK(!(fact.loop_total || fact.collection) || fact.kind == ScopeKind::multi_instance);
  if (fact.kind == ScopeKind::multi_instance) state.loops.try_emplace(fact.scope_id);
  if (fact.kind != ScopeKind::iteration) return;
  const auto progress = state.loops.find(fact.parent_id);
  PERDURE_CHECK(progress != state.loops.end());
  // One after the other, without gaps: so none is run twice and none is left out.
  PERDURE_CHECK(fact.loop_index == progress->second.opened);
  ++progress->second.opened;
}

void end_iteration(InstanceState& state, const Scope& iteration) {
  const auto found = state.loops.find(*iteration.parent_id);
  PERDURE_CHECK(found != state.loops.end());
  auto& progress = found->second;
  ++(iteration.state == ScopeState::completed ? progress.completed : progress.terminated);
  if (iteration.output) progress.outputs.emplace(*iteration.loop_index, *iteration.output);
}

void end_token(InstanceState& state, Instant at, Key token_id, TokenState end) {
  auto& token = change_token(state, token_id, end);
  token.ended_at = at;
  disarm_token(state, at, token_id);
}

} // namespace

void end_instance(InstanceState& state, Instant at, InstanceStatus status, ScopeState scope_state,
                  const std::optional<std::string>& reason) {
  auto& instance = state.instance;
  PERDURE_CHECK(!is_terminal(instance.status));
  instance.status = status;
  instance.end_reason = reason;
  instance.ended_at = at;
  for (const auto& slot : state.scopes.slots()) {
    if (slot.row.state != ScopeState::open) continue;
    // Only the root scope ends with the instance; every other one has its own fact.
    PERDURE_CHECK(slot.row.kind == ScopeKind::process);
    auto& root = state.scopes.update(slot.row.id);
    root.state = scope_state;
    root.closed_at = at;
    disarm_scope(state, at, root.id);
  }
  for (const auto& slot : state.tokens.slots())
    PERDURE_CHECK(is_terminal(slot.row.state));
}

void apply(InstanceState& state, const Fact& fact) {
  PERDURE_CHECK(fact.sequence == state.instance.last_sequence + 1);
  const bool starts = std::holds_alternative<InstanceStarted>(fact.data);
  PERDURE_CHECK(starts == (fact.sequence == 1));
  // That its end is to be told is the only thing that follows it.
  const bool follows = std::holds_alternative<FlowCompletionQueued>(fact.data);
  PERDURE_CHECK(starts || follows == is_terminal(state.instance.status));
  std::visit([&](const auto& data) { apply_fact(state, fact.at, data); }, fact.data);
  state.instance.last_sequence = fact.sequence;
  state.instance.version = fact.sequence;
  state.instance.updated_at = fact.at;
  if (state.instance_change == Change::none) state.instance_change = Change::updated;
}

Token& change_token(InstanceState& state, Key token_id, TokenState next) {
  auto& token = state.tokens.update(token_id);
  PERDURE_CHECK(!is_terminal(token.state));
  ++token.version;
  if (token.state == TokenState::ready) state.ready.erase(token_id);
  if (next == TokenState::ready) state.ready.insert(token_id);
  token.state = next;
  return token;
}

void apply_fact(InstanceState& state, Instant at, const InstanceStarted& fact) {
  PERDURE_CHECK(state.instance.id == kNoKey && state.scopes.empty() && state.tokens.empty());
  PERDURE_CHECK(fact.instance_id != kNoKey && fact.input.is_object());
  auto& instance = state.instance;
  instance.id = fact.instance_id;
  instance.definition_id = fact.definition_id;
  instance.tenant_id = fact.tenant_id;
  instance.process_id = fact.process_id;
  instance.business_key = fact.business_key;
  instance.unique_business_key = fact.unique_business_key;
  instance.status = InstanceStatus::running;
  instance.input = fact.input;
  instance.created_at = at;
  instance.started_at = at;
  instance.parent_instance_id = fact.parent_instance_id;
  instance.parent_token_id = fact.parent_token_id;
  state.instance_change = Change::inserted;
  state.scopes.insert({.instance_id = fact.instance_id,
                       .id = fact.root_scope_id,
                       .parent_id = {},
                       .token_id = {},
                       .node_id = fact.process_id,
                       .kind = ScopeKind::process,
                       .state = ScopeState::open,
                       .loop_index = {},
                       .variables = fact.input,
                       .opened_at = at,
                       .closed_at = {},
                       .output = {},
                       .loop_total = {},
                       .collection = {}});
}

void apply_fact(InstanceState& state, Instant at, const InstanceCompleted& fact) {
  end_instance(state, at, InstanceStatus::completed, ScopeState::completed, fact.reason);
}

void apply_fact(InstanceState& state, Instant at, const InstanceCancelled& fact) {
  end_instance(state, at, InstanceStatus::cancelled, ScopeState::terminated, fact.reason);
}

void apply_fact(InstanceState& state, Instant at, const InstanceFailed& fact) {
  end_instance(state, at, InstanceStatus::failed, ScopeState::terminated, fact.reason);
}

void apply_fact(InstanceState& state, Instant, const InstancePaused&) {
  PERDURE_CHECK(state.instance.status == InstanceStatus::running);
  state.instance.status = InstanceStatus::paused;
}

void apply_fact(InstanceState& state, Instant, const InstanceResumed&) {
  PERDURE_CHECK(state.instance.status == InstanceStatus::paused);
  state.instance.status = InstanceStatus::running;
}

void apply_fact(InstanceState& state, Instant at, const ScopeOpened& fact) {
  const auto* parent = state.scopes.find(fact.parent_id);
  PERDURE_CHECK(parent && parent->state == ScopeState::open && fact.variables.is_object());
  if (!fact.keeps_state.value_or(false)) {
    const bool goes_on = fact.stays_ready.value_or(false);
    change_token(state, fact.token_id, goes_on ? TokenState::ready : TokenState::waiting);
  }
  count_iteration(state, fact);
  state.scopes.insert({.instance_id = state.instance.id,
                       .id = fact.scope_id,
                       .parent_id = fact.parent_id,
                       .token_id = fact.token_id,
                       .node_id = fact.node_id,
                       .kind = fact.kind,
                       .state = ScopeState::open,
                       .loop_index = fact.loop_index,
                       .variables = fact.variables,
                       .opened_at = at,
                       .closed_at = {},
                       .output = {},
                       .loop_total = fact.loop_total,
                       .collection = fact.collection});
}

void apply_fact(InstanceState& state, Instant at, const ScopeClosed& fact) {
  auto& scope = state.scopes.update(fact.scope_id);
  PERDURE_CHECK(scope.state == ScopeState::open && fact.state != ScopeState::open);
  PERDURE_CHECK(!fact.output || scope.kind == ScopeKind::iteration);
  scope.state = fact.state;
  scope.closed_at = at;
  scope.output = fact.output;
  if (scope.kind == ScopeKind::multi_instance) state.loops.erase(scope.id);
  if (scope.kind == ScopeKind::iteration) end_iteration(state, scope);
  disarm_scope(state, at, fact.scope_id);
}

void apply_fact(InstanceState& state, Instant, const VariablesSet& fact) {
  auto& scope = state.scopes.update(fact.scope_id);
  auto* variables = scope.variables.as<Object>();
  const auto* changes = fact.variables.as<Object>();
  PERDURE_CHECK(scope.state == ScopeState::open && variables && changes);
  for (const auto& [name, value] : *changes)
    variables->set(name, value);
}

void apply_fact(InstanceState& state, Instant at, const TokenPlaced& fact) {
  const auto* scope = state.scopes.find(fact.scope_id);
  PERDURE_CHECK(scope && scope->state == ScopeState::open);
  state.ready.insert(fact.token_id);
  state.tokens.insert({.instance_id = state.instance.id,
                       .id = fact.token_id,
                       .scope_id = fact.scope_id,
                       .parent_id = fact.parent_id,
                       .node_id = fact.node_id,
                       .flow_id = fact.flow_id,
                       .state = TokenState::ready,
                       .mode = fact.mode.value_or(TokenMode::forward),
                       .attempt = 0,
                       .version = 1,
                       .placed_at = at,
                       .ended_at = {}});
}

void apply_fact(InstanceState& state, Instant at, const TokenMoved& fact) {
  auto& token = change_token(state, fact.token_id, TokenState::ready);
  token.flow_id = fact.flow_id;
  token.node_id = fact.node_id;
  token.attempt = 0;
  token.listener = 0;
  disarm_token(state, at, fact.token_id);
}

void apply_fact(InstanceState& state, Instant at, const TokenCompleted& fact) {
  end_token(state, at, fact.token_id, TokenState::completed);
}

void apply_fact(InstanceState& state, Instant at, const TokenTerminated& fact) {
  end_token(state, at, fact.token_id, TokenState::terminated);
}

} // namespace perdure::facts
