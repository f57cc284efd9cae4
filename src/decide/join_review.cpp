// Which gatherings can still fire.
#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "decide/arrivals.h"
#include "decide/complex_join.h"
#include "decide/incidents.h"
#include "decide/joins.h"

namespace perdure::decide {

using definition::FlowIndex;
using definition::NodeIndex;

namespace {

/// Finds which open gatherings of a scope can still fire. A token that rests at a gathering can
/// only move on by its firing; so one gathering may depend on another, and two may wait for each
/// other for ever.
class JoinReview {
public:
  struct Gathering {
    Key join_id;
    NodeIndex node;
    bool can_fire;
  };

  JoinReview(const Draft& draft, Key scope_id) : draft_(draft), scope_id_(scope_id) {
    for (const auto& join : draft.state().joins.of(facts::Link::scope, scope_id)) {
      if (join.state != facts::JoinState::open) continue;
      const auto node = draft.definition().find_node(join.node_id);
      for (const auto& arrival : arrivals_of(draft.state(), join.id))
        resting_at_.emplace(arrival.token_id, gatherings_.size());
      gatherings_.push_back({join.id, node, false});
    }
    if (gatherings_.empty()) return;
    find_movable();
    while (find_more()) {
    }
  }

  [[nodiscard]] const std::vector<Gathering>& gatherings() const { return gatherings_; }

private:
  void find_movable() {
    for (const auto& token : draft_.state().tokens.of(facts::Link::scope, scope_id_)) {
      if (is_terminal(token.state) || resting_at_.contains(token.id)) continue;
      if (token.mode == facts::TokenMode::compensation) continue;
      movable_.insert(draft_.definition().find_node(token.node_id));
    }
  }

  [[nodiscard]] bool can_be_reached(FlowIndex flow) const {
    return std::ranges::any_of(
        movable_, [&](NodeIndex node) { return draft_.definition().reaches(node, flow); });
  }

  [[nodiscard]] bool can_be_complete(const Gathering& gathering) const {
    const auto& incoming = draft_.definition().node(gathering.node).incoming;
    return std::ranges::all_of(incoming, [&](FlowIndex flow) {
      const auto& id = draft_.definition().flow(flow).id;
      return has_arrived(draft_.state(), gathering.join_id, id) || can_be_reached(flow);
    });
  }

  /// Whether a token can still come by a flow that has none: its condition may hold then.
  [[nodiscard]] bool can_grow(const Gathering& gathering) const {
    const auto& incoming = draft_.definition().node(gathering.node).incoming;
    return std::ranges::any_of(incoming, [&](FlowIndex flow) {
      const auto& id = draft_.definition().flow(flow).id;
      return !has_arrived(draft_.state(), gathering.join_id, id) && can_be_reached(flow);
    });
  }

  /// Tokens that keep it from firing come in the end, or die; but not those that rest for ever.
  [[nodiscard]] bool can_be_free(const facts::ParallelJoin& join) const {
    const auto tokens = draft_.state().tokens.of(facts::Link::scope, scope_id_);
    return std::ranges::all_of(tokens, [&](const facts::Token& token) {
      if (is_terminal(token.state)) return true;
      const auto resting = resting_at_.find(token.id);
      if (resting == resting_at_.end() || gatherings_[resting->second].can_fire) return true;
      if (token.node_id == join.node_id) return true;
      return !blocks(draft_, join, token);
    });
  }

  [[nodiscard]] bool can_fire(const Gathering& gathering) const {
    const auto& join = *draft_.state().joins.find(gathering.join_id);
    switch (join.kind) {
      case facts::JoinKind::parallel: return can_be_complete(gathering);
      case facts::JoinKind::inclusive: return can_be_free(join);
      case facts::JoinKind::complex:
        return is_activated(draft_.state(), join.id) || can_grow(gathering);
    }
    return true;
  }

  bool find_more() {
    bool found = false;
    for (auto& gathering : gatherings_) {
      if (gathering.can_fire || !can_fire(gathering)) continue;
      gathering.can_fire = true;
      movable_.insert(gathering.node);
      found = true;
    }
    return found;
  }

  const Draft& draft_;
  Key scope_id_;
  std::vector<Gathering> gatherings_;
  std::map<Key, std::size_t> resting_at_; ///< by token: its gathering
  std::set<NodeIndex> movable_;           ///< where something stands that may still move
};

void open_unreachable(Draft& draft, Key scope_id, const JoinReview::Gathering& gathering,
                      Key token_id) {
  const auto& node = draft.definition().node(gathering.node);
  Array missing;
  for (const auto flow : node.incoming) {
    const auto& id = draft.definition().flow(flow).id;
    if (!has_arrived(draft.state(), gathering.join_id, id)) missing.emplace_back(id);
  }
  Trouble trouble;
  trouble.kind = facts::IncidentKind::join_unreachable;
  trouble.message = "The gateway `" + node.id +
                    "` waits for flows that no token can take any more: cancel the instance and "
                    "correct the model.";
  trouble.details.append("missing", std::move(missing));
  open_incident(draft, {token_id, scope_id, node}, std::move(trouble));
}

/// A gathering waits for tokens of its own scope alone, so that each scope is looked at by itself.
void review_joins_in(Draft& draft, Key scope_id) {
  const JoinReview review(draft, scope_id);
  for (const auto& gathering : review.gatherings()) {
    const auto token_id = first_arrived(draft.state(), gathering.join_id);
    const auto incident_id =
        open_incident_of(draft.state(), token_id, facts::IncidentKind::join_unreachable);
    if (gathering.can_fire && incident_id != kNoKey) {
      draft.emit(facts::IncidentResolved{
          .incident_id = incident_id, .by = std::string(kEngine), .reenter = false});
    } else if (!gathering.can_fire && incident_id == kNoKey && draft.has_key()) {
      open_unreachable(draft, scope_id, gathering, token_id);
    }
  }
}

} // namespace

void review_joins(Draft& draft) {
  // What it finds touches these scopes again, and no other.
  const auto scopes = draft.touched();
  for (const auto scope_id : scopes)
    review_joins_in(draft, scope_id);
}

} // namespace perdure::decide
