#include "decide/conditions.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "decide/catching.h"
#include "decide/evaluate.h"
#include "decide/events.h"

namespace perdure::decide {

namespace {

using facts::EventSubscription;

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

bool sees(const facts::InstanceState& state, Key scope_id, Key changed) {
  for (std::optional<Key> next = scope_id; next;) {
    if (*next == changed) return true;
    next = state.scopes.find(*next)->parent_id;
  }
  return false;
}

bool reads(const expr::Expression& condition, const std::vector<std::string>& names) {
  return std::ranges::any_of(names, [&](const std::string& name) {
    return std::ranges::binary_search(condition.variables(), name);
  });
}

bool is_touched(const Draft& draft, const EventSubscription& row, const VariableChange& change) {
  if (change.everything) return true;
  return reads(condition_of(draft, row), change.names) &&
         sees(draft.state(), scope_of(draft.state(), row), change.scope_id);
}

/// Open conditions that a change touches, oldest first.
std::vector<Key> touched(Draft& draft) {
  const auto changes = draft.take_changes();
  std::vector<Key> found;
  if (changes.empty()) return found;
  for (const auto& slot : draft.state().subscriptions.slots()) {
    const auto& row = slot.row;
    if (row.state != facts::SubscriptionState::open) continue;
    if (row.kind != facts::SubscriptionKind::conditional) continue;
    const bool is_new = std::ranges::any_of(
        changes, [&](const VariableChange& change) { return change.opened == row.id; });
    if (is_new || std::ranges::any_of(changes, [&](const VariableChange& change) {
          return is_touched(draft, row, change);
        })) {
      found.push_back(row.id);
    }
  }
  return found;
}

} // namespace

bool has_stale_condition(const Draft& draft) {
  if (!draft.definition().has_conditions()) return false;
  return std::ranges::any_of(draft.state().subscriptions.slots(), [&](const auto& slot) {
    const auto& row = slot.row;
    return row.state == facts::SubscriptionState::open &&
           row.kind == facts::SubscriptionKind::conditional &&
           evaluate_holds(draft, scope_of(draft.state(), row), condition_of(draft, row)) !=
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
