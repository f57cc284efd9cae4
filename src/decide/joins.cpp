#include "decide/joins.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/check.h"
#include "decide/incidents.h"
#include "decide/leaving.h"
#include "decide/scopes.h"

namespace perdure::decide {

using definition::FlowIndex;
using definition::NodeIndex;

namespace {

bool has_arrived(const facts::InstanceState& state, Key join_id, std::string_view flow_id) {
  return state.arrivals.find(std::tuple(join_id, flow_id)) != nullptr;
}

/// The arrivals at the gathering, in the order of their flows.
auto arrivals_of(const facts::InstanceState& state, Key join_id) {
  return std::ranges::equal_range(state.arrivals.slots(), join_id, {},
                                  [](const auto& slot) { return slot.row.join_id; });
}

/// The token that came first.
Key first_arrived(const facts::InstanceState& state, Key join_id) {
  const auto arrivals = arrivals_of(state, join_id);
  PERDURE_CHECK(!arrivals.empty());
  const auto first = std::ranges::min_element(arrivals, {}, [](const auto& slot) {
    return std::pair(slot.row.arrived_at, slot.row.token_id);
  });
  return first->row.token_id;
}

Key gathering_for(Draft& draft, const Visit& visit, std::string_view flow_id) {
  const facts::ParallelJoin* earliest = nullptr;
  for (const auto& slot : draft.state().joins.slots()) {
    const auto& join = slot.row;
    if (join.state != facts::JoinState::open || join.scope_id != visit.scope_id) continue;
    if (join.node_id != visit.node.id || has_arrived(draft.state(), join.id, flow_id)) continue;
    if (!earliest || join.generation < earliest->generation) earliest = &join;
  }
  if (earliest) return earliest->id;
  const auto join_id = draft.take_key();
  draft.emit(facts::JoinOpened{
      .join_id = join_id,
      .scope_id = visit.scope_id,
      .node_id = visit.node.id,
      .generation = draft.state().last_generation(visit.scope_id, visit.node.id) + 1,
      .expected = static_cast<std::int64_t>(visit.node.incoming.size())});
  return join_id;
}

void fire(Draft& draft, const Visit& visit, Key join_id) {
  const auto parent_id = first_arrived(draft.state(), join_id);
  draft.emit(facts::JoinFired{.join_id = join_id});
  for (const auto& slot : arrivals_of(draft.state(), join_id)) {
    resolve_incidents_of(draft, slot.row.token_id);
    draft.emit(facts::TokenCompleted{.token_id = slot.row.token_id});
  }
  place_on_flows(draft, visit.scope_id, parent_id, visit.node.outgoing);
  if (visit.node.outgoing.empty()) complete_scope_if_empty(draft, visit.scope_id);
}

} // namespace

void arrive_at_join(Draft& draft, const Visit& visit) {
  const auto* token = draft.state().tokens.find(visit.token_id);
  PERDURE_CHECK(token && token->flow_id);
  const std::string flow_id = *token->flow_id;
  const auto join_id = gathering_for(draft, visit, flow_id);
  draft.emit(
      facts::JoinArrived{.join_id = join_id, .flow_id = flow_id, .token_id = visit.token_id});
  const auto* join = draft.state().joins.find(join_id);
  if (join->joined == join->expected) fire(draft, visit, join_id);
}

namespace {

/// Finds which open gatherings can still become complete. A token that rests at a gathering can
/// only move on by its firing; so one gathering may depend on another, and two may wait for each
/// other for ever.
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
      gatherings_.push_back({slot.row.id, slot.row.scope_id, node, false});
    }
    find_movable();
    while (find_more()) {
    }
  }

  [[nodiscard]] const std::vector<Gathering>& gatherings() const { return gatherings_; }

private:
  void find_movable() {
    std::vector<Key> resting;
    for (const auto& gathering : gatherings_) {
      for (const auto& slot : arrivals_of(draft_.state(), gathering.join_id)) {
        resting.push_back(slot.row.token_id);
      }
    }
    std::ranges::sort(resting);
    for (const auto& slot : draft_.state().tokens.slots()) {
      const auto& token = slot.row;
      if (is_terminal(token.state) || std::ranges::binary_search(resting, token.id)) continue;
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

  bool find_more() {
    bool found = false;
    for (auto& gathering : gatherings_) {
      if (gathering.can_fire || !can_be_complete(gathering)) continue;
      gathering.can_fire = true;
      found |= movable_.emplace(gathering.scope_id, gathering.node).second;
    }
    return found;
  }

  const Draft& draft_;
  std::vector<Gathering> gatherings_;
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
