// Which gatherings can still fire.
#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "decide/arrivals.h"
#include "decide/incidents.h"
#include "decide/joins.h"

namespace perdure::decide {

using definition::FlowIndex;
using definition::NodeIndex;

namespace {

/// Finds which open gatherings can still fire. A token that rests at a gathering can only move on
/// by its firing; so one gathering may depend on another, and two may wait for each other for ever.
class JoinReview {
public:
  struct Gathering {
    Key join_id;
    Key scope_id;
    NodeIndex node;
    bool can_fire;
  };

  explicit JoinReview(const Draft& draft) : draft_(draft) {
    for (const auto& slot : draft.state().joins.slots()) {
      if (slot.row.state != facts::JoinState::open) continue;
      const auto node = draft.definition().find_node(slot.row.node_id);
      for (const auto& arrival : arrivals_of(draft.state(), slot.row.id))
        resting_at_.emplace(arrival.row.token_id, gatherings_.size());
      gatherings_.push_back({slot.row.id, slot.row.scope_id, node, false});
    }
    find_movable();
    while (find_more()) {
    }
  }

  [[nodiscard]] const std::vector<Gathering>& gatherings() const { return gatherings_; }

private:
  void find_movable() {
    for (const auto& slot : draft_.state().tokens.slots()) {
      const auto& token = slot.row;
      if (is_terminal(token.state) || resting_at_.contains(token.id)) continue;
      if (token.mode == facts::TokenMode::compensation) continue;
      movable_.emplace(token.scope_id, draft_.definition().find_node(token.node_id));
    }
  }

  [[nodiscard]] bool can_be_reached(Key scope_id, FlowIndex flow) const {
    return std::ranges::any_of(movable_, [&](const auto& place) {
      return place.first == scope_id && draft_.definition().reaches(place.second, flow);
    });
  }

  [[nodiscard]] bool can_be_complete(const Gathering& gathering) const {
    const auto& incoming = draft_.definition().node(gathering.node).incoming;
    return std::ranges::all_of(incoming, [&](FlowIndex flow) {
      const auto& id = draft_.definition().flow(flow).id;
      return has_arrived(draft_.state(), gathering.join_id, id) ||
             can_be_reached(gathering.scope_id, flow);
    });
  }

  /// Tokens that keep it from firing come in the end, or die; but not those that rest for ever.
  [[nodiscard]] bool can_be_free(const facts::ParallelJoin& join) const {
    return std::ranges::all_of(draft_.state().tokens.slots(), [&](const auto& slot) {
      const auto& token = slot.row;
      if (is_terminal(token.state) || token.scope_id != join.scope_id) return true;
      const auto resting = resting_at_.find(token.id);
      if (resting == resting_at_.end() || gatherings_[resting->second].can_fire) return true;
      if (token.node_id == join.node_id) return true;
      return !blocks(draft_, join, token);
    });
  }

  [[nodiscard]] bool can_fire(const Gathering& gathering) const {
    const auto& join = *draft_.state().joins.find(gathering.join_id);
    return join.kind == facts::JoinKind::parallel ? can_be_complete(gathering) : can_be_free(join);
  }

  bool find_more() {
    bool found = false;
    for (auto& gathering : gatherings_) {
      if (gathering.can_fire || !can_fire(gathering)) continue;
      gathering.can_fire = true;
      movable_.emplace(gathering.scope_id, gathering.node);
      found = true;
    }
    return found;
  }

  const Draft& draft_;
  std::vector<Gathering> gatherings_;
  std::map<Key, std::size_t> resting_at_;       ///< by token: its gathering
  std::set<std::pair<Key, NodeIndex>> movable_; ///< scope and node of what may still move
};

void open_unreachable(Draft& draft, const JoinReview::Gathering& gathering, Key token_id) {
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
  open_incident(draft, {token_id, gathering.scope_id, node}, std::move(trouble));
}

} // namespace

void review_joins(Draft& draft) {
  const bool any_open = std::ranges::any_of(draft.state().joins.slots(), [](const auto& slot) {
    return slot.row.state == facts::JoinState::open;
  });
  if (!any_open) return;
  const JoinReview review(draft);
  for (const auto& gathering : review.gatherings()) {
    const auto token_id = first_arrived(draft.state(), gathering.join_id);
    const auto incident_id =
        open_incident_of(draft.state(), token_id, facts::IncidentKind::join_unreachable);
    if (gathering.can_fire && incident_id != kNoKey) {
      draft.emit(facts::IncidentResolved{
          .incident_id = incident_id, .by = std::string(kEngine), .reenter = false});
    } else if (!gathering.can_fire && incident_id == kNoKey && draft.has_key()) {
      open_unreachable(draft, gathering, token_id);
    }
  }
}

} // namespace perdure::decide
