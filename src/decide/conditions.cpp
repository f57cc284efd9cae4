#include "decide/conditions.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "decide/catching.h"
#include "decide/evaluate.h"
#include "decide/events.h"

namespace perdure::decide {

namespace {

using facts::EventSubscription;
using facts::Link;

const definition::Node& node_of(const Draft& draft, const EventSubscription& row) {
  return draft.definition().node(draft.definition().find_node(row.node_id));
}

const expr::Expression& condition_of(const Draft& draft, const EventSubscription& row) {
  return *node_of(draft, row).events[static_cast<std::size_t>(row.position)].condition;
}

/// The scope whose variables the condition sees.
Key scope_of(const facts::InstanceState& state, const EventSubscription& row) {
  return row.scope_id ? *row.scope_id : state.tokens.find(*row.token_id)->scope_id;
}

bool reads(const expr::Expression& condition, const std::vector<std::string>& names) {
  return std::ranges::any_of(names, [&](const std::string& name) {
    return std::ranges::binary_search(condition.variables(), name);
  });
}

void add_conditions(const facts::InstanceState& state, auto&& rows, std::set<Key>& found) {
  for (const EventSubscription& row : rows) {
    if (state.conditions.contains(row.id)) found.insert(row.id);
  }
}

/// Open conditions that see the variables of the scope: of itself and of all inside it.
std::set<Key> conditions_within(const facts::InstanceState& state, Key scope_id) {
  if (!state.scopes.find(scope_id)->parent_id) return state.conditions;
  std::set<Key> found;
  std::vector<Key> scopes{scope_id};
  for (std::size_t next = 0; next < scopes.size(); ++next) {
    const auto id = scopes[next];
    add_conditions(state, state.subscriptions.of(Link::scope, id), found);
    for (const auto& token : state.tokens.of(Link::scope, id))
      add_conditions(state, state.subscriptions.of(Link::token, token.id), found);
    for (const auto& inner : state.scopes.of(Link::parent, id)) {
      if (inner.state == facts::ScopeState::open) scopes.push_back(inner.id);
    }
  }
  return found;
}

void add_touched(const Draft& draft, const VariableChange& change, std::set<Key>& found) {
  const auto& state = draft.state();
  if (change.everything) {
    found.insert(state.conditions.begin(), state.conditions.end());
  } else if (change.opened != kNoKey) {
    if (state.conditions.contains(change.opened)) found.insert(change.opened);
  } else if (!state.conditions.empty()) {
    for (const auto id : conditions_within(state, change.scope_id)) {
      const auto& row = *state.subscriptions.find(id);
      if (reads(condition_of(draft, row), change.names)) found.insert(id);
    }
  }
}

/// Open conditions that a change touches, oldest first.
std::set<Key> touched(Draft& draft) {
  std::set<Key> found;
  for (const auto& change : draft.take_changes())
    add_touched(draft, change, found);
  return found;
}

} // namespace

bool has_stale_condition(const Draft& draft) {
  if (!draft.definition().has_conditions()) return false;
  return std::ranges::any_of(draft.state().conditions, [&](Key id) {
    const auto& row = *draft.state().subscriptions.find(id);
    return evaluate_holds(draft, scope_of(draft.state(), row), condition_of(draft, row)) !=
           *row.condition_holds;
  });
}

bool review_conditions(Draft& draft) {
  if (!draft.definition().has_conditions()) return true;
  for (;;) {
    const auto ids = touched(draft);
    if (ids.empty()) return true;
    for (const auto id : ids) {
      const auto* row = draft.state().subscriptions.find(id);
      if (row->state != facts::SubscriptionState::open) continue;
      const bool holds =
          evaluate_holds(draft, scope_of(draft.state(), *row), condition_of(draft, *row));
      if (holds == *row->condition_holds) continue;
      if (holds && !draft.has_keys_for_moves(1)) return false;
      draft.emit(facts::ConditionChanged{.subscription_id = id, .holds = holds});
      if (holds) occur(draft, id, {});
    }
  }
}

} // namespace perdure::decide
