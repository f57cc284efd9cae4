// Draft: one decision in the making. Handlers look at the state and emit facts, each of which is
// applied at once, so that the next look sees it. Lives as long as decide() runs.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "decide/decide.h"
#include "definition/definition.h"
#include "facts/event.h"
#include "facts/fact.h"
#include "facts/instance_state.h"

namespace perdure::decide {

/// One token at one node. Holds keys and not rows: rows move when facts are applied.
struct Visit {
  Key token_id = kNoKey;
  Key scope_id = kNoKey;
  const definition::Node& node;
};

/// Why awaited conditions are to be looked at.
struct VariableChange {
  bool everything = false; ///< an earlier decision may have left some of them behind
  Key opened = kNoKey;     ///< a subscription that is new
  Key scope_id = kNoKey;   ///< whose variables have changed
  std::vector<std::string> names{};
};

class Draft {
public:
  Draft(const definition::Definition& definition, facts::InstanceState& state, Instant at,
        KeyRange keys, const Policy& policy, const Catalog* catalog);

  [[nodiscard]] const definition::Definition& definition() const { return definition_; }
  [[nodiscard]] const facts::InstanceState& state() const { return state_; }
  [[nodiscard]] Instant at() const { return at_; }
  [[nodiscard]] const Policy& policy() const { return policy_; }
  /// What has been deployed; nullptr: nothing.
  [[nodiscard]] const Catalog* catalog() const { return catalog_; }

  /// Appends the fact and applies it.
  void emit(facts::FactData data);
  /// What has happened since the last call that conditions depend on; empty in a model without.
  /// Every condition is to be looked at.
  void look_at_all_conditions() { changes_.push_back({.everything = true}); }
  [[nodiscard]] std::vector<VariableChange> take_changes() { return std::exchange(changes_, {}); }
  /// A fresh key. Running out of them is a bug: has_room() keeps a reserve.
  [[nodiscard]] Key take_key();
  [[nodiscard]] bool has_key() const { return keys_.left() > 0; }

  /// The token stands ready before its node: it will be entered in its turn, first come first
  /// served.
  void make_ready(Key token_id) { ready_.push_back(token_id); }
  /// The next token to enter, in order; nullopt when none is left or the bound of the decision is
  /// reached.
  [[nodiscard]] std::optional<Key> next_ready();
  /// Whether one more move fits into this decision.
  [[nodiscard]] bool has_room() const;
  /// Whether the keys are enough for so many moves, whatever the bound.
  [[nodiscard]] bool has_keys_for_moves(std::int64_t count) const;

  /// The scopes in which tokens or gatherings changed: what holds in others holds as before.
  [[nodiscard]] const std::set<Key>& touched() const { return touched_; }
  /// Those of them that changed since they were settled, and those of ready tokens.
  [[nodiscard]] const std::set<Key>& unsettled() const { return unsettled_; }
  /// Every gathering is to be looked at, as if its scope had changed.
  void touch_all_joins();
  void settle(Key scope_id) { unsettled_.erase(scope_id); }

  /// Where the token stands. It must exist, and the model must have its node.
  [[nodiscard]] Visit visit_of(Key token_id) const;

  [[nodiscard]] bool has_facts() const { return !facts_.empty(); }
  [[nodiscard]] Decision take_decision() &&;

private:
  void note_change(const facts::FactData& data);

  const definition::Definition& definition_;
  facts::InstanceState& state_;
  Instant at_;
  KeyRange keys_;
  const Policy& policy_;
  const Catalog* catalog_;
  std::int64_t keys_per_move_; ///< has_room() asks for every move, and it takes a walk of the model
  std::vector<facts::Fact> facts_;
  std::deque<Key> ready_;
  std::int64_t moves_ = 0;
  std::vector<VariableChange> changes_;
  std::set<Key> touched_;
  std::set<Key> unsettled_;
  std::int64_t gatherings_ = 0; ///< at most so many are open in the scopes that were touched

  void touch(const facts::FactData& data);
  void touch_scope(Key scope_id, bool gathers);
  void touch_scope_of(Key token_id);
};

/// Keys that one move can need at most: new tokens for every flow of the nodes that are left on the
/// way up the scopes, for every start of a scope that opens, for the next iteration of each
/// repeated activity, and a handful for steps, tasks and incidents.
[[nodiscard]] std::int64_t keys_per_move(const definition::Definition& definition);

} // namespace perdure::decide
