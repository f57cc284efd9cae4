#include "decide/draft.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/check.h"
#include "facts/apply.h"

namespace perdure::decide {

Draft::Draft(const definition::Definition& definition, facts::InstanceState& state, Instant at,
             KeyRange keys, const Policy& policy, const Catalog* catalog)
    : definition_(definition),
      state_(state),
      at_(at),
      keys_(keys),
      policy_(policy),
      catalog_(catalog),
      keys_per_move_(keys_per_move(definition)),
      ready_(state.ready.begin(), state.ready.end()) {
  for (const auto token_id : state.ready)
    unsettled_.insert(state.tokens.find(token_id)->scope_id);
  if (!ready_.empty()) changes_.push_back({.everything = true});
}

void Draft::emit(facts::FactData data) {
  if (definition_.has_conditions()) note_change(data);
  facts_.push_back(
      {.sequence = state_.instance.last_sequence + 1, .at = at_, .data = std::move(data)});
  facts::apply(state_, facts_.back());
  if (!state_.joins.empty()) touch(facts_.back().data);
}

void Draft::touch(const facts::FactData& data) {
  std::visit(
      [&]<class Data>(const Data& fact) {
        if constexpr (std::is_same_v<Data, facts::IncidentResolved>) {
          touch_scope_of(state_.incidents.find(fact.incident_id)->token_id);
        } else if constexpr (std::is_same_v<Data, facts::JoinOpened>) {
          touch_scope(fact.scope_id, true);
        } else if constexpr (std::is_same_v<Data, facts::TokenPlaced>) {
          touch_scope(fact.scope_id, false);
        } else if constexpr (requires { Key{fact.token_id}; }) {
          touch_scope_of(fact.token_id);
        }
      },
      data);
}

void Draft::touch_all_joins() {
  for (const auto& slot : state_.joins.slots()) {
    if (slot.row.state == facts::JoinState::open) touch_scope(slot.row.scope_id, false);
  }
}

void Draft::touch_scope_of(Key token_id) {
  touch_scope(state_.tokens.find(token_id)->scope_id, false);
}

void Draft::touch_scope(Key scope_id, bool gathers) {
  unsettled_.insert(scope_id);
  if (touched_.insert(scope_id).second) {
    gatherings_ += std::ranges::distance(state_.joins.of(facts::Link::scope, scope_id));
  } else if (gathers) {
    ++gatherings_;
  }
}

void Draft::note_change(const facts::FactData& data) {
  if (const auto* set = std::get_if<facts::VariablesSet>(&data)) {
    VariableChange change{.scope_id = set->scope_id};
    for (const auto& [name, value] : *set->variables.as<Object>())
      change.names.push_back(name);
    changes_.push_back(std::move(change));
  } else if (const auto* opened = std::get_if<facts::SubscriptionOpened>(&data)) {
    if (opened->condition_holds) changes_.push_back({.opened = opened->subscription_id});
  }
}

Key Draft::take_key() {
  PERDURE_CHECK(keys_.left() > 0);
  return keys_.take();
}

std::optional<Key> Draft::next_ready() {
  while (!ready_.empty() && has_room()) {
    const auto token_id = ready_.front();
    ready_.pop_front();
    const auto* token = state_.tokens.find(token_id);
    // It may have been terminated while it stood in the queue.
    if (!token || token->state != facts::TokenState::ready) continue;
    ++moves_;
    return token_id;
  }
  return std::nullopt;
}

bool Draft::has_room() const {
  if (moves_ >= policy_.max_moves) return false;
  // What a move sets free at an inclusive gateway is a move of its own.
  // So is the event of a condition that a move makes true.
  const auto moves = 1 + definition_.has_inclusive_gateway() + definition_.has_conditions();
  const auto spare = keys_.left() - moves * keys_per_move_;
  // At the end each open join of a scope that changed may need an incident. Yet one move is always
  // made: many open joins must not keep an instance from going on.
  return spare >= gatherings_ || (moves_ == 0 && spare >= 0);
}

bool Draft::has_keys_for_moves(std::int64_t count) const {
  return keys_.left() >= count * keys_per_move_;
}

Visit Draft::visit_of(Key token_id) const {
  const auto* token = state_.tokens.find(token_id);
  PERDURE_CHECK(token != nullptr);
  const auto node = definition_.find_node(token->node_id);
  PERDURE_CHECK(node != definition::kNone);
  return {token_id, token->scope_id, definition_.node(node)};
}

Decision Draft::take_decision() && {
  return {.facts = std::move(facts_), .refusal = {}, .keys = keys_, .moves = moves_};
}

std::int64_t keys_per_move(const definition::Definition& definition) {
  // What is around the runs of a repeated activity, and around each, is opened again to undo it.
  const auto repeated = std::ranges::count_if(
      definition.nodes(), [](const auto& node) { return node.loop.has_value(); });
  std::int64_t events = 0;
  for (const auto& node : definition.nodes())
    events += std::ssize(node.events);
  return std::ssize(definition.flows()) + 3 * std::ssize(definition.nodes()) + 4 * repeated +
         events + 16;
}

} // namespace perdure::decide
