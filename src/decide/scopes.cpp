#include "decide/scopes.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/check.h"
#include "decide/ad_hoc.h"
#include "decide/arming.h"
#include "decide/calls.h"
#include "decide/compensation.h"
#include "decide/complex_join.h"
#include "decide/elements.h"
#include "decide/incidents.h"
#include "decide/process.h"

namespace perdure::decide {

using facts::Link;

namespace {

const facts::Scope& scope_row(const facts::InstanceState& state, Key scope_id) {
  const auto* scope = state.scopes.find(scope_id);
  PERDURE_CHECK(scope != nullptr);
  return *scope;
}

/// The scope and every open one inside it, outer ones first.
std::vector<Key> scopes_within(const facts::InstanceState& state, Key scope_id) {
  std::vector<Key> found{scope_id};
  for (std::size_t begin = 0; begin < found.size();) {
    // One level at a time.
    const auto end = found.size();
    for (; begin < end; ++begin) {
      for (const auto& inner : state.scopes.of(Link::parent, found[begin])) {
        if (inner.state == facts::ScopeState::open) found.push_back(inner.id);
      }
    }
    std::sort(found.begin() + static_cast<std::ptrdiff_t>(end), found.end());
  }
  return found;
}

/// Cancels the open steps of the tokens.
void cancel_steps(Draft& draft, const std::vector<Key>& doomed) {
  std::vector<Key> steps;
  for (const auto token_id : doomed) {
    for (const auto& step : draft.state().steps.of(Link::token, token_id)) {
      if (!is_terminal(step.status)) steps.push_back(step.id);
    }
  }
  std::ranges::sort(steps);
  for (const auto id : steps) {
    const auto& step = *draft.state().steps.find(id);
    draft.emit(facts::StepCancelled{.step_id = id});
    if (step.called_instance_id) cancel_call(draft, step.node_id, *step.called_instance_id);
  }
}

/// What undoes something is split off the token that waits for it, and ends with that one.
void add_undoing(const facts::InstanceState& state, std::vector<Key>& doomed,
                 std::vector<Key>& scopes) {
  if (state.undoing.empty()) return;
  for (std::size_t next = 0; next < doomed.size(); ++next) {
    for (const auto& [token_id, record_id] : state.undoing) {
      const auto& token = *state.tokens.find(token_id);
      if (is_terminal(token.state) || token.parent_id != doomed[next]) continue;
      if (std::ranges::find(doomed, token_id) != doomed.end()) continue;
      doomed.push_back(token_id);
      const auto opened = scope_opened_by(state, token_id);
      if (opened == kNoKey) continue;
      for (const auto id : scopes_within(state, opened)) {
        scopes.push_back(id);
        for (const auto& inner : state.tokens.of(Link::scope, id)) {
          if (!is_terminal(inner.state)) doomed.push_back(inner.id);
        }
      }
    }
  }
}

/// What was being undone by tokens that have ended is not undone, and never will be.
void fail_records(Draft& draft, const std::vector<Key>& doomed) {
  std::vector<Key> records;
  for (const auto& [token_id, record_id] : draft.state().undoing) {
    if (std::ranges::find(doomed, token_id) != doomed.end()) records.push_back(record_id);
  }
  std::ranges::sort(records);
  for (const auto id : records) {
    draft.emit(
        facts::CompensationEnded{.record_id = id, .status = facts::CompensationStatus::failed});
  }
}

void cancel_joins(Draft& draft, const std::vector<Key>& scopes) {
  std::vector<Key> joins;
  for (const auto scope_id : scopes) {
    for (const auto& join : draft.state().joins.of(Link::scope, scope_id)) {
      if (join.state == facts::JoinState::open) joins.push_back(join.id);
    }
  }
  std::ranges::sort(joins);
  for (const auto id : joins)
    draft.emit(facts::JoinCancelled{.join_id = id});
}

} // namespace

namespace {

void place_at(Draft& draft, Key scope_id, definition::ScopeIndex scope,
              std::span<const definition::NodeIndex> starts) {
  if (starts.empty()) return complete_scope_if_empty(draft, scope_id);
  std::vector<Key> tokens;
  for (const auto index : starts) {
    tokens.push_back(draft.take_key());
    draft.emit(facts::TokenPlaced{.token_id = tokens.back(),
                                  .scope_id = scope_id,
                                  .node_id = draft.definition().node(index).id,
                                  .flow_id = {},
                                  .parent_id = {}});
  }
  // Without its event sub-processes the scope must not begin: the first token waits.
  const bool armed = arm_scope(draft, scope_id, scope, tokens.front());
  for (const auto token_id : tokens) {
    if (armed || token_id != tokens.front()) draft.make_ready(token_id);
  }
}

} // namespace

void place_starts(Draft& draft, Key scope_id, definition::ScopeIndex scope) {
  place_at(draft, scope_id, scope, draft.definition().scope(scope).starts);
}

void place_start(Draft& draft, Key scope_id, definition::ScopeIndex scope,
                 definition::NodeIndex start) {
  place_at(draft, scope_id, scope, std::span(&start, 1));
}

namespace {

facts::ScopeKind kind_of(definition::NodeKind kind) {
  return kind == definition::NodeKind::transaction ? facts::ScopeKind::transaction
                                                   : facts::ScopeKind::sub_process;
}

} // namespace

Key open_scope(Draft& draft, const Visit& visit) {
  const auto scope_id = draft.take_key();
  draft.emit(facts::ScopeOpened{.scope_id = scope_id,
                                .parent_id = variables_of(draft.state(), visit.token_id),
                                .token_id = visit.token_id,
                                .node_id = visit.node.id,
                                .kind = kind_of(visit.node.kind),
                                .loop_index = {},
                                .variables = with_initial(draft, visit.node.inner_scope, {})});
  return scope_id;
}

void enter_sub_process(Draft& draft, const Visit& visit) {
  place_starts(draft, open_scope(draft, visit), visit.node.inner_scope);
}

void complete_scope_if_empty(Draft& draft, Key scope_id) {
  for (const auto& token : draft.state().tokens.of(Link::scope, scope_id)) {
    if (!is_terminal(token.state)) return;
  }
  if (reset_all(draft, scope_id) || keeps_ad_hoc_open(draft, scope_id)) return;
  const auto owner = scope_row(draft.state(), scope_id).token_id;
  if (!owner) return end_process(draft);
  draft.emit(facts::ScopeClosed{.scope_id = scope_id, .state = facts::ScopeState::completed});
  const auto visit = draft.visit_of(*owner);
  if (!is_undoing(draft.state(), visit.token_id)) record_inside(draft, visit, scope_id);
  leave(draft, visit);
}

namespace {

/// What is inside a scope ends before the token that rests on the scope.
void sort_inner_first(const facts::InstanceState& state, const std::vector<Key>& scopes,
                      std::vector<Key>& tokens) {
  std::unordered_map<Key, std::int64_t> depths;
  for (const auto id : scopes)
    depths.emplace(id, std::ssize(depths) + 1);
  std::ranges::sort(tokens, {}, [&](Key id) {
    const auto depth = depths.find(state.tokens.find(id)->scope_id);
    return std::pair(depth == depths.end() ? 0 : -depth->second, id);
  });
}

/// Ends the scopes, outer ones first in the list, and the tokens inside them and beside them.
/// `kept` stays open, `spared` lives on.
void terminate(Draft& draft, std::vector<Key> scopes, Key kept, Key token_id, Key spared) {
  std::vector<Key> doomed;
  for (auto scope_id = scopes.rbegin(); scope_id != scopes.rend(); ++scope_id) {
    for (const auto& token : draft.state().tokens.of(Link::scope, *scope_id)) {
      if (!is_terminal(token.state) && token.id != spared) doomed.push_back(token.id);
    }
  }
  if (token_id != kNoKey) doomed.push_back(token_id);
  add_undoing(draft.state(), doomed, scopes);
  abandon_incidents_of(draft, doomed);
  cancel_steps(draft, doomed);
  sort_inner_first(draft.state(), scopes, doomed);
  for (const auto id : doomed)
    draft.emit(facts::TokenTerminated{.token_id = id});
  fail_records(draft, doomed);
  cancel_joins(draft, scopes);
  // Inner scopes go first: a scope never outlives the one around it.
  for (auto id = scopes.rbegin(); id != scopes.rend(); ++id) {
    if (*id == kept) continue;
    draft.emit(facts::ScopeClosed{.scope_id = *id, .state = facts::ScopeState::terminated});
  }
}

} // namespace

void terminate_inside(Draft& draft, Key scope_id, Key spared) {
  terminate(draft, scopes_within(draft.state(), scope_id), scope_id, kNoKey, spared);
}

void terminate_token(Draft& draft, Key token_id) {
  std::vector<Key> scopes;
  auto outermost = variables_of(draft.state(), token_id);
  if (outermost == draft.state().tokens.find(token_id)->scope_id) {
    outermost = scope_opened_by(draft.state(), token_id);
  }
  if (outermost != kNoKey) scopes = scopes_within(draft.state(), outermost);
  terminate(draft, scopes, kNoKey, token_id, kNoKey);
}

Object with_initial(const Draft& draft, definition::ScopeIndex scope, Object given) {
  for (const auto& [name, value] : draft.definition().scope(scope).initial) {
    if (!given.find(name)) given.append(name, value);
  }
  return given;
}

void set_variables(Draft& draft, Key scope_id, const Object& variables) {
  if (variables.empty()) return;
  std::vector<std::pair<Key, Object>> changes;
  const auto change_in = [&](Key target) -> Object& {
    const auto known = std::ranges::find(changes, target, &std::pair<Key, Object>::first);
    return known != changes.end() ? known->second : changes.emplace_back(target, Object{}).second;
  };
  for (const auto& [name, value] : variables) {
    const auto* scope = &scope_row(draft.state(), scope_id);
    while (scope->parent_id && !scope->variables.find(name)) {
      scope = &scope_row(draft.state(), *scope->parent_id);
    }
    change_in(scope->id).append(name, value);
  }
  for (auto& [target, change] : changes) {
    draft.emit(facts::VariablesSet{.scope_id = target, .variables = std::move(change)});
  }
}

const facts::Scope& root_scope(const facts::InstanceState& state) {
  const auto root = state.scopes.of(facts::Link::parent, kNoKey);
  PERDURE_CHECK(!root.empty());
  return root.front();
}

Key scope_opened_by(const facts::InstanceState& state, Key token_id) {
  for (const auto& scope : state.scopes.of(Link::token, token_id)) {
    const bool is_open = scope.state == facts::ScopeState::open;
    if (is_open && scope.kind != facts::ScopeKind::activity) return scope.id;
  }
  return kNoKey;
}

Key variables_of(const facts::InstanceState& state, Key token_id) {
  for (const auto& scope : state.scopes.of(Link::token, token_id)) {
    const bool is_open = scope.state == facts::ScopeState::open;
    if (is_open && scope.kind == facts::ScopeKind::activity) return scope.id;
  }
  return state.tokens.find(token_id)->scope_id;
}

const Value* find_variable(const facts::InstanceState& state, Key scope_id, std::string_view name) {
  const auto* scope = &scope_row(state, scope_id);
  for (;;) {
    if (const auto* value = scope->variables.find(name)) return value;
    if (!scope->parent_id) return nullptr;
    scope = &scope_row(state, *scope->parent_id);
  }
}

Value visible_variables(const facts::InstanceState& state, Key scope_id) {
  const auto* scope = &scope_row(state, scope_id);
  if (!scope->parent_id) return scope->variables;
  Object visible;
  std::unordered_set<std::string_view> seen;
  for (;;) {
    for (const auto& [name, value] : *scope->variables.as<Object>()) {
      if (seen.insert(name).second) visible.append(name, value);
    }
    if (!scope->parent_id) return visible;
    scope = &scope_row(state, *scope->parent_id);
  }
}

} // namespace perdure::decide
