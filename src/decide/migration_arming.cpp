// Which events the owners of a migrated instance wait for. A row stays when its event is in the new
// version and is told by the same name, key or condition; a timer stays whatever its text is now.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "decide/migration.h"
#include "decide/scopes.h"
#include "decide/steps.h"

namespace perdure::decide {

using definition::EventKind;
using definition::EventSpec;
using definition::kNone;
using definition::Node;
using definition::NodeIndex;
using definition::NodeKind;
using facts::InstanceState;
using facts::Link;
using facts::ScopeKind;

namespace {

bool is_live(const facts::Token& token) { return !is_terminal(token.state); }
bool is_armed(const facts::Timer& row) { return row.status == facts::TimerStatus::scheduled; }
bool is_armed(const facts::EventSubscription& row) {
  return row.state == facts::SubscriptionState::open;
}

std::string_view text_of(const std::optional<expr::Expression>& expression) {
  return expression ? std::string_view(expression->text()) : std::string_view();
}

bool same_event(const EventSpec& left, const EventSpec& right) {
  if (left.kind != right.kind) return false;
  switch (left.kind) {
    case EventKind::message:
      return left.name.text == right.name.text &&
             left.correlation_key.text == right.correlation_key.text;
    case EventKind::signal: return left.name.text == right.name.text;
    case EventKind::conditional: return text_of(left.condition) == text_of(right.condition);
    default: return true;
  }
}

bool same_events(const Node& left, const Node& right) {
  return left.all_events == right.all_events &&
         std::ranges::equal(left.events, right.events, same_event);
}

bool needs_row(const Node& node) {
  return node.has(EventKind::timer) || node.has(EventKind::message) ||
         node.has(EventKind::signal) || node.has(EventKind::conditional);
}

/// The events that a token at the node can wait for: its own, those behind an event-based gateway,
/// and, unless it is inside an iteration, those at the boundary.
std::vector<NodeIndex> events_at(const definition::Definition& definition, const Node& node,
                                 bool in_iteration) {
  std::vector<NodeIndex> events;
  if (node.kind == NodeKind::event_based_gateway) {
    for (const auto flow : node.outgoing)
      events.push_back(definition.flow(flow).target);
    return events;
  }
  if (node.kind == NodeKind::catch_event || node.kind == NodeKind::receive_task) {
    events.push_back(definition.find_node(node.id));
  }
  if (!in_iteration) events.insert(events.end(), node.boundaries.begin(), node.boundaries.end());
  return events;
}

/// What begins the event sub-processes of a scope.
std::vector<NodeIndex> starts_in(const definition::Definition& definition,
                                 definition::ScopeIndex scope) {
  std::vector<NodeIndex> starts;
  for (const auto index : definition.scope(scope).event_sub_processes) {
    const auto& inner = definition.scope(definition.node(index).inner_scope);
    starts.push_back(inner.event_starts.front());
  }
  return starts;
}

class ArmingPlanner {
public:
  ArmingPlanner(const Versions& versions, const InstanceState& state)
      : versions_(versions), state_(state), at_work_(tokens_at_work(state)) {}

  ArmingPlan run() {
    for (const auto& slot : state_.tokens.slots()) {
      if (is_live(slot.row)) plan_token(slot.row);
    }
    for (const auto& slot : state_.scopes.slots()) {
      if (slot.row.state == facts::ScopeState::open) plan_scope(slot.row);
    }
    return std::move(plan_);
  }

private:
  /// Timers and subscriptions that are armed for the owner, by their event.
  struct Armed {
    std::vector<Key> timers;
    std::vector<Key> subscriptions;
  };

  void plan_token(const facts::Token& token) {
    const auto& old_node = *versions_.old_node(token.node_id);
    const auto& new_node = *versions_.new_node(token.node_id);
    const auto& scope = *state_.scopes.find(token.scope_id);
    const bool inside = scope.kind == ScopeKind::iteration && scope.node_id == token.node_id;
    const auto step_id = open_step_of(state_, token.id);
    Rearmed rearmed{.owner = {.token_id = token.id, .at_work = true},
                    .token_id = token.id,
                    .scope_id = token.scope_id,
                    .events = {}};
    const auto own =
        old_node.kind == NodeKind::catch_event || old_node.kind == NodeKind::receive_task;
    if (own && step_id != kNoKey) rearmed.owner.step_id = step_id;
    plan(std::move(rearmed), events_at(versions_.from(), old_node, inside),
         events_at(versions_.to(), new_node, inside), at_work_.contains(token.id));
  }

  void plan_scope(const facts::Scope& scope) {
    const bool is_root = scope.kind == ScopeKind::process;
    if (!is_root && scope.kind != ScopeKind::sub_process && scope.kind != ScopeKind::transaction &&
        scope.kind != ScopeKind::event_sub_process && scope.kind != ScopeKind::ad_hoc) {
      return;
    }
    const auto inner = [&](const Node* node) {
      return is_root ? definition::kRootScope : node->inner_scope;
    };
    const auto old_starts = starts_in(versions_.from(), inner(versions_.old_node(scope.node_id)));
    const auto new_starts = starts_in(versions_.to(), inner(versions_.new_node(scope.node_id)));
    Rearmed rearmed{
        .owner = {.scope_id = scope.id}, .token_id = kNoKey, .scope_id = scope.id, .events = {}};
    bool may_begin = !scope.token_id || at_work_.contains(*scope.token_id);
    for (const auto& token : state_.tokens.of(Link::scope, scope.id)) {
      if (!is_live(token)) continue;
      if (rearmed.token_id == kNoKey) rearmed.token_id = token.id;
      may_begin &= !has_interrupted(token) && !waits_for_arming(token, scope.id);
    }
    plan(std::move(rearmed), old_starts, new_starts, may_begin && rearmed.token_id != kNoKey);
  }

  /// Whether the token is inside an event sub-process that has interrupted the scope around it.
  bool has_interrupted(const facts::Token& token) const {
    const auto& node = *versions_.old_node(token.node_id);
    if (node.kind != NodeKind::event_sub_process) return false;
    const auto& inner = versions_.from().scope(node.inner_scope);
    return versions_.from().node(inner.event_starts.front()).interrupting;
  }

  /// A retry of its incident arms the whole scope.
  bool waits_for_arming(const facts::Token& token, Key scope_id) const {
    return std::ranges::any_of(state_.incidents.of(Link::token, token.id),
                               [&](const facts::Incident& incident) {
                                 const auto* scope = incident.details.find(kArmingMember);
                                 return incident.state == facts::IncidentState::open && scope &&
                                        *scope == Value(key_text(scope_id));
                               });
  }

  std::map<std::string, Armed> armed_for(const Owner& owner) const {
    std::map<std::string, Armed> armed;
    const auto link = owner.token_id ? Link::token : Link::scope;
    const auto key = owner.token_id ? *owner.token_id : *owner.scope_id;
    for (const auto& timer : state_.timers.of(link, key)) {
      if (is_armed(timer)) armed[timer.node_id].timers.push_back(timer.id);
    }
    for (const auto& subscription : state_.subscriptions.of(link, key)) {
      if (is_armed(subscription)) {
        armed[subscription.node_id].subscriptions.push_back(subscription.id);
      }
    }
    return armed;
  }

  void plan(Rearmed rearmed, const std::vector<NodeIndex>& old_events,
            const std::vector<NodeIndex>& new_events, bool may_arm) {
    const auto armed = armed_for(rearmed.owner);
    std::set<NodeIndex> known;
    std::set<NodeIndex> wanted;
    for (const auto index : old_events) {
      const auto& event = versions_.from().node(index);
      const auto target = versions_.to().find_node(versions_.new_id(event.id));
      const bool stays = std::ranges::find(new_events, target) != new_events.end();
      if (stays && !known.insert(target).second) {
        plan_.objections.push_back(
            {event.id, "`" + event.id + "` and another event would both become `" +
                           versions_.to().node(target).id + "`: map one of them only."});
      }
      const auto rows = armed.find(event.id);
      if (rows == armed.end()) continue;
      if (stays && same_events(event, versions_.to().node(target))) continue;
      add(plan_.timers, rows->second.timers);
      add(plan_.subscriptions, rows->second.subscriptions);
      if (stays) wanted.insert(target);
    }
    for (const auto index : new_events) {
      if (may_arm && !known.contains(index)) wanted.insert(index);
    }
    for (const auto index : new_events) {
      if (wanted.contains(index) && needs_row(versions_.to().node(index))) {
        rearmed.events.push_back(index);
      }
    }
    if (!rearmed.events.empty()) plan_.rearmed.push_back(std::move(rearmed));
  }

  static void add(std::vector<Key>& to, const std::vector<Key>& keys) {
    to.insert(to.end(), keys.begin(), keys.end());
  }

  const Versions& versions_;
  const InstanceState& state_;
  std::set<Key> at_work_;
  ArmingPlan plan_;
};

} // namespace

std::set<Key> tokens_at_work(const InstanceState& state) {
  std::set<Key> undoing; // what they undo is done one by one, and nothing comes between
  for (const auto& slot : state.tokens.slots()) {
    const auto& token = slot.row;
    if (is_live(token) && token.mode == facts::TokenMode::compensation && token.parent_id) {
      undoing.insert(*token.parent_id);
    }
  }
  const auto armed = [](const auto& row) { return is_armed(row); };
  std::set<Key> found;
  for (const auto& slot : state.tokens.slots()) {
    const auto& token = slot.row;
    if (!is_live(token) || undoing.contains(token.id)) continue;
    const bool waits = std::ranges::any_of(state.timers.of(Link::token, token.id), armed) ||
                       std::ranges::any_of(state.subscriptions.of(Link::token, token.id), armed);
    if (waits || open_step_of(state, token.id) != kNoKey ||
        scope_opened_by(state, token.id) != kNoKey) {
      found.insert(token.id);
    }
  }
  return found;
}

DataPlan plan_data(const Versions& versions, const InstanceState& state) {
  const auto at_work = tokens_at_work(state);
  DataPlan plan;
  for (const auto& slot : state.tokens.slots()) {
    const auto& token = slot.row;
    if (!is_live(token)) continue;
    const auto& node = *versions.new_node(token.node_id);
    const auto own = variables_of(state, token.id);
    const bool has_own = own != token.scope_id;
    if (has_own && !node.data) plan.closed.push_back(own);
    // Each run of a repeated activity has its variables in its own scope anyway.
    if (!has_own && node.data && !node.loop && at_work.contains(token.id)) {
      plan.opened.push_back(token.id);
    }
  }
  return plan;
}

ArmingPlan plan_arming(const Versions& versions, const InstanceState& state) {
  return ArmingPlanner(versions, state).run();
}

} // namespace perdure::decide
