// Modification: an operator places and ends tokens by hand. Everything is looked at before the
// first fact; then it is done in the order in which it was asked for.
#include <algorithm>
#include <utility>
#include <vector>

#include "decide/arming.h"
#include "decide/arrivals.h"
#include "decide/data.h"
#include "decide/elements.h"
#include "decide/events.h"
#include "decide/joins.h"
#include "decide/loops.h"
#include "decide/scopes.h"

namespace perdure::decide {

using definition::kNone;
using definition::kRootScope;
using definition::NodeKind;
using definition::ScopeIndex;
using facts::Modification;
using facts::ModificationKind;
using facts::RefusalCode;

namespace {

MaybeRefusal bad(std::string message) {
  return refuse(RefusalCode::bad_modification, std::move(message));
}

bool is_start(const Modification& change) {
  return change.kind == ModificationKind::start_before ||
         change.kind == ModificationKind::start_after;
}

bool is_within(const facts::InstanceState& state, const facts::Scope& scope, Key outer) {
  const auto* around = &scope;
  while (around->id != outer && around->parent_id)
    around = state.scopes.find(*around->parent_id);
  return around->id == outer;
}

/// Whether its scope opens when a token comes.
bool opens_by_token(const definition::Node& owner) {
  return owner.kind == NodeKind::sub_process || owner.kind == NodeKind::transaction;
}

/// Whether elements stand in such a scope: what is around runs of an activity has none.
bool has_elements(facts::ScopeKind kind) {
  return kind != facts::ScopeKind::multi_instance && kind != facts::ScopeKind::iteration &&
         kind != facts::ScopeKind::activity && kind != facts::ScopeKind::compensation;
}

/// The open rows of a scope of the model; with a hint only those in or around which it stands.
std::vector<Key> open_scopes(const Draft& draft, ScopeIndex scope, Key hint) {
  const auto owner = draft.definition().scope(scope).owner;
  if (owner == kNone) return {root_scope(draft.state()).id};
  const auto& state = draft.state();
  const auto* hinted = hint == kNoKey ? nullptr : state.scopes.find(hint);
  std::vector<Key> found;
  for (const auto& slot : state.scopes.slots()) {
    const auto& row = slot.row;
    if (row.state != facts::ScopeState::open || row.kind == facts::ScopeKind::process) continue;
    if (row.node_id != draft.definition().node(owner).id || !has_elements(row.kind)) continue;
    if (hinted && !is_within(state, row, hint) && !is_within(state, *hinted, row.id)) continue;
    found.push_back(row.id);
  }
  return found;
}

std::string not_inside_of_repeated(const definition::Node& owner) {
  return "`" + owner.id + "` is repeated and not open: start before it.";
}

/// The scopes around the element that are not open, outermost first, and the row of the one around
/// them.
struct Way {
  Key scope_id = kNoKey;
  std::vector<ScopeIndex> missing;
};

std::expected<Way, std::string> way_to(const Draft& draft, const definition::Node& node, Key hint) {
  Way way;
  for (auto scope = node.scope;; scope = draft.definition().scope(scope).parent) {
    const auto found = open_scopes(draft, scope, hint);
    if (found.size() > 1) {
      return std::unexpected("`" + node.id + "` stands in several open scopes: name one of them.");
    }
    if (found.size() == 1) {
      way.scope_id = found.front();
      std::ranges::reverse(way.missing);
      return way;
    }
    const auto& owner = draft.definition().node(draft.definition().scope(scope).owner);
    if (!opens_by_token(owner)) {
      return std::unexpected("`" + owner.id + "` is not open and opens by its event only.");
    }
    if (owner.loop) return std::unexpected(not_inside_of_repeated(owner));
    way.missing.push_back(scope);
  }
}

/// What the model alone says of a start.
MaybeRefusal check_element(const Draft& draft, const Modification& change) {
  const auto index = draft.definition().find_node(change.node_id);
  if (index == kNone) {
    return bad("The process has no element `" + change.node_id + "`: look at its model.");
  }
  const auto& node = draft.definition().node(index);
  if (node.kind == NodeKind::process) {
    return bad("`" + node.id + "` is the process itself: name an element of it.");
  }
  if (node.kind == NodeKind::event_sub_process) {
    return bad("`" + node.id + "` begins by its event: start at an element inside of it.");
  }
  if (node.for_compensation) {
    return bad("`" + node.id + "` undoes another activity: start at an event that throws for it.");
  }
  if (change.kind == ModificationKind::start_before) {
    if (node.kind == NodeKind::boundary_event) {
      return bad("`" + node.id + "` waits beside its activity: start after it.");
    }
    if (gathers(node)) {
      return bad("`" + node.id + "` joins tokens that come by its flows: start after it.");
    }
  }
  return accepted();
}

MaybeRefusal check_start(const Draft& draft, const Modification& change) {
  if (auto refusal = check_element(draft, change)) return refusal;
  if (change.kind == ModificationKind::start_after &&
      draft.state().instance.status == facts::InstanceStatus::paused) {
    return bad("In a paused instance nothing leaves an element: resume it, or start before one.");
  }
  if (change.scope_id != kNoKey && !draft.state().scopes.find(change.scope_id)) {
    return refuse(RefusalCode::not_found, "The instance has no open scope of that id.");
  }
  const auto& node = draft.definition().node(draft.definition().find_node(change.node_id));
  const auto way = way_to(draft, node, change.scope_id);
  return way ? accepted() : bad(way.error());
}

bool is_live(const facts::InstanceState& state, Key token_id) {
  const auto* token = state.tokens.find(token_id);
  return token && !is_terminal(token->state);
}

std::vector<Key> live_tokens_at(const facts::InstanceState& state, std::string_view node_id) {
  std::vector<Key> found;
  for (const auto& slot : state.tokens.slots()) {
    if (!is_terminal(slot.row.state) && slot.row.node_id == node_id) found.push_back(slot.row.id);
  }
  return found;
}

/// What others wait for by more than its place.
MaybeRefusal check_cancel(const Draft& draft, Key token_id) {
  const auto& state = draft.state();
  const auto& token = *state.tokens.find(token_id);
  bool undoes = token.mode == facts::TokenMode::compensation;
  for (auto id = std::optional(token.scope_id); id; id = state.scopes.find(*id)->parent_id)
    undoes |= state.scopes.find(*id)->kind == facts::ScopeKind::compensation;
  if (undoes) {
    return bad("The token at `" + token.node_id +
               "` undoes something that another one waits for: cancel that one.");
  }
  const auto index = draft.definition().find_node(token.node_id);
  if (index != kNone && draft.definition().node(index).kind == NodeKind::complex_gateway) {
    return bad("The token at `" + token.node_id +
               "` is counted by the gateway: cancel what is around it, or move another one.");
  }
  return accepted();
}

MaybeRefusal check(const Draft& draft, const Modification& change) {
  if (is_start(change)) return check_start(draft, change);
  if (change.kind == ModificationKind::cancel_token) {
    if (is_live(draft.state(), change.token_id)) return check_cancel(draft, change.token_id);
    return refuse(RefusalCode::not_found,
                  "The instance has no live token of that id: look at its tokens.");
  }
  const auto tokens = live_tokens_at(draft.state(), change.node_id);
  for (const auto token_id : tokens) {
    if (auto refusal = check_cancel(draft, token_id)) return refusal;
  }
  if (!tokens.empty()) return accepted();
  return bad("No token is at `" + change.node_id + "`: look at the tokens of the instance.");
}

Key place(Draft& draft, Key scope_id, const definition::Node& node) {
  const auto token_id = draft.take_key();
  draft.emit(facts::TokenPlaced{.token_id = token_id,
                                .scope_id = scope_id,
                                .node_id = node.id,
                                .flow_id = {},
                                .parent_id = {}});
  return token_id;
}

/// A token at the element, in scopes that are opened where they are missing; kNoKey when it cannot
/// come so far, because what waits beside the way cannot be armed: there is an incident then.
Key start(Draft& draft, const Modification& change) {
  const auto& definition = draft.definition();
  const auto& node = definition.node(definition.find_node(change.node_id));
  const auto way = way_to(draft, node, change.scope_id);
  PERDURE_CHECK(way);
  auto scope_id = way->scope_id;
  auto fresh = kNone;
  for (const auto missing : way->missing) {
    const auto& owner = definition.node(definition.scope(missing).owner);
    const auto token_id = place(draft, scope_id, owner);
    if (fresh != kNone && !arm_scope(draft, scope_id, fresh, token_id)) return kNoKey;
    if (!open_data(draft, draft.visit_of(token_id))) return kNoKey;
    if (!owner.boundaries.empty() && !arm_boundaries(draft, draft.visit_of(token_id))) {
      return kNoKey;
    }
    scope_id = open_scope(draft, draft.visit_of(token_id));
    fresh = missing;
  }
  const auto token_id = place(draft, scope_id, node);
  if (fresh != kNone && !arm_scope(draft, scope_id, fresh, token_id)) return kNoKey;
  return token_id;
}

/// The others of its gathering wait in a new one.
void leave_gathering(Draft& draft, Key token_id) {
  Key join_id = kNoKey;
  for (const auto& arrival : draft.state().arrivals.of(facts::Link::token, token_id)) {
    const auto* join = draft.state().joins.find(arrival.join_id);
    if (join && join->state == facts::JoinState::open) join_id = join->id;
  }
  if (join_id == kNoKey) return;
  const auto kind = draft.state().joins.find(join_id)->kind;
  std::vector<Key> others;
  for (const auto& arrival : arrivals_of(draft.state(), join_id)) {
    if (arrival.token_id != token_id) others.push_back(arrival.token_id);
  }
  draft.emit(facts::JoinCancelled{.join_id = join_id});
  for (const auto other : others)
    arrive_at_join(draft, draft.visit_of(other), kind);
}

/// A scope that an operator has emptied ends with the token that rests on it.
void settle(Draft& draft, Key scope_id) {
  const auto* scope = draft.state().scopes.find(scope_id);
  while (scope && scope->state == facts::ScopeState::open) {
    const auto id = scope->id;
    const auto tokens = draft.state().tokens.of(facts::Link::scope, id);
    const bool is_empty = std::ranges::all_of(
        tokens, [](const facts::Token& token) { return is_terminal(token.state); });
    if (!is_empty) return;
    if (scope->kind == facts::ScopeKind::iteration && abandon_iteration(draft, id)) return;
    if (!scope->token_id) {
      (void)decide_event(draft, facts::CancelRequested{.reason = "An operator ended every token."});
      return;
    }
    const auto owner = *scope->token_id;
    const auto around = draft.state().tokens.find(owner)->scope_id;
    terminate_token(draft, owner);
    scope = draft.state().scopes.find(around);
  }
}

/// Returns the scope that may be empty now.
Key cancel(Draft& draft, Key token_id) {
  const auto scope_id = draft.state().tokens.find(token_id)->scope_id;
  leave_gathering(draft, token_id);
  terminate_token(draft, token_id);
  return scope_id;
}

MaybeRefusal check_all(const Draft& draft, const facts::ModifyRequested& event) {
  if (event.modifications.empty()) return bad("Name at least one modification.");
  if (auto refusal = check_variables(event.variables.value_or(Value()))) return refusal;
  std::size_t moves = 0;
  for (const auto& change : event.modifications) {
    if (auto refusal = check(draft, change)) return refusal;
    moves += 1 + (is_start(change) ? draft.definition().scopes().size() : 0);
  }
  if (draft.has_keys_for_moves(static_cast<std::int64_t>(moves))) return accepted();
  return bad("These are too many modifications at once: send them in several requests.");
}

} // namespace

MaybeRefusal check_start_before(const Draft& draft, const std::vector<std::string>& elements) {
  for (const auto& id : elements) {
    const Modification change{.kind = ModificationKind::start_before, .node_id = id};
    if (auto refusal = check_element(draft, change)) return refusal;
    const auto& definition = draft.definition();
    for (auto scope = definition.node(definition.find_node(id)).scope; scope != kRootScope;
         scope = definition.scope(scope).parent) {
      const auto& owner = definition.node(definition.scope(scope).owner);
      if (!opens_by_token(owner)) {
        return bad("`" + owner.id + "` opens by its event only: nothing can start inside of it.");
      }
      if (owner.loop) return bad(not_inside_of_repeated(owner));
    }
  }
  const auto moves = elements.size() * (1 + draft.definition().scopes().size());
  if (draft.has_keys_for_moves(static_cast<std::int64_t>(moves))) return accepted();
  return bad("These are too many elements at once: start with fewer and modify the instance.");
}

void start_before(Draft& draft, const std::vector<std::string>& elements) {
  bool armed = false;
  for (const auto& id : elements) {
    const auto token_id = start(draft, {.kind = ModificationKind::start_before, .node_id = id});
    if (!std::exchange(armed, true) && token_id != kNoKey &&
        !arm_scope(draft, root_scope(draft.state()).id, kRootScope, token_id)) {
      continue; // the token rests on an incident
    }
    if (token_id != kNoKey) draft.make_ready(token_id);
  }
}

MaybeRefusal decide_event(Draft& draft, const facts::ModifyRequested& event) {
  if (auto refusal = check_all(draft, event)) return refusal;
  if (event.variables && event.variables->is_object()) {
    set_variables(draft, root_scope(draft.state()).id, *event.variables->as<Object>());
  }
  std::vector<Key> leaving;
  std::vector<Key> emptied;
  for (const auto& change : event.modifications) {
    if (is_start(change)) {
      const auto token_id = start(draft, change);
      if (token_id == kNoKey) continue;
      if (change.kind == ModificationKind::start_before) draft.make_ready(token_id);
      if (change.kind == ModificationKind::start_after) leaving.push_back(token_id);
      continue;
    }
    const auto doomed = change.kind == ModificationKind::cancel_token
                            ? std::vector<Key>{change.token_id}
                            : live_tokens_at(draft.state(), change.node_id);
    for (const auto token_id : doomed) {
      if (is_live(draft.state(), token_id)) emptied.push_back(cancel(draft, token_id));
    }
  }
  for (const auto scope_id : emptied)
    settle(draft, scope_id);
  // Last of all: what leaves may end its scope, and the instance with it.
  for (const auto token_id : leaving) {
    if (is_live(draft.state(), token_id)) leave(draft, draft.visit_of(token_id));
  }
  return accepted();
}

} // namespace perdure::decide
