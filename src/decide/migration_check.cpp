// Whether what is live in an instance is in the new version, and is the same there.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "decide/ad_hoc.h"
#include "decide/arrivals.h"
#include "decide/complex_join.h"
#include "decide/migration.h"
#include "decide/scopes.h"
#include "decide/steps.h"

namespace perdure::decide {

using definition::kNone;
using definition::Node;
using definition::NodeKind;
using facts::InstanceState;
using facts::Link;

namespace {

/// Nobody reads more.
constexpr std::size_t kMostObjections = 100;

std::string quoted(std::string_view id) { return "`" + std::string(id) + "`"; }

bool is_live(const facts::Token& token) { return !is_terminal(token.state); }

/// The kind of a gateway's gathering does not change while one is open.
bool gathers(const Node& node) {
  return node.kind == NodeKind::parallel_gateway || node.kind == NodeKind::inclusive_gateway ||
         node.kind == NodeKind::complex_gateway;
}

/// What waits in the flow for its own events.
bool waits_itself(const Node& node) {
  return node.kind == NodeKind::catch_event || node.kind == NodeKind::receive_task;
}

bool same_kinds(const Node& old_node, const Node& new_node) {
  return old_node.all_events == new_node.all_events &&
         std::ranges::equal(old_node.events, new_node.events, {}, &definition::EventSpec::kind,
                            &definition::EventSpec::kind);
}

bool same_loop(const Node& old_node, const Node& new_node) {
  if (!old_node.loop || !new_node.loop) return !old_node.loop == !new_node.loop;
  return old_node.loop->kind == new_node.loop->kind;
}

class MigrationCheck {
public:
  MigrationCheck(const Versions& versions, const InstanceState& state)
      : versions_(versions), state_(state) {}

  Objections run() {
    check_mapping();
    for (const auto& slot : state_.scopes.slots()) {
      const auto& scope = slot.row;
      if (scope.state != facts::ScopeState::open || scope.kind == facts::ScopeKind::process) {
        continue;
      }
      if (!check_node(scope.node_id)) continue;
      if (scope.kind == facts::ScopeKind::ad_hoc) check_ad_hoc(scope);
    }
    for (const auto& slot : state_.tokens.slots()) {
      if (is_live(slot.row)) check_token(slot.row);
    }
    for (const auto& slot : state_.external_tasks.slots())
      check_task(slot.row);
    for (const auto& slot : state_.compensations.slots())
      check_record(slot.row);
    const auto changed = changed_gatherings(versions_, state_);
    for (const auto join_id : changed)
      check_gathering(*state_.joins.find(join_id));
    check_paused();
    return std::move(found_);
  }

private:
  void object(std::string_view element_id, std::string message) {
    if (found_.size() >= kMostObjections) return;
    facts::Objection objection{std::string(element_id), std::move(message)};
    if (std::ranges::find(found_, objection) == found_.end()) {
      found_.push_back(std::move(objection));
    }
  }

  void check_mapping() {
    for (const auto& [old_id, new_id] : versions_.mapping()) {
      const bool old_node = versions_.from().find_node(old_id) != kNone;
      const bool old_flow = versions_.from().find_flow(old_id) != kNone;
      const bool new_node = versions_.to().find_node(new_id) != kNone;
      const bool new_flow = versions_.to().find_flow(new_id) != kNone;
      if (!old_node && !old_flow) {
        object(old_id, "The mapping names " + quoted(old_id) +
                           ", which the instance's version does not have: correct the id.");
      } else if (!new_node && !new_flow) {
        object(old_id, "The mapping leads from " + quoted(old_id) + " to " + quoted(new_id) +
                           ", which the new version does not have: correct the id.");
      } else if (old_node != new_node) {
        object(old_id, "The mapping leads from " + quoted(old_id) + " to " + quoted(new_id) +
                           ", but one is a flow and the other is not: map like to like.");
      }
    }
  }

  /// What owns the flow scope of a node; empty: the process.
  static std::string_view owner_of(const definition::Definition& definition, const Node& node) {
    const auto owner = definition.scope(node.scope).owner;
    return owner == kNone ? std::string_view() : std::string_view(definition.node(owner).id);
  }

  static std::string place_of(std::string_view owner) {
    return owner.empty() ? "the process itself" : quoted(owner);
  }

  /// Whether something live can stay at the element. Says why not, once for each element; `subject`
  /// is what is not in the new version.
  bool check_node(const std::string& old_id, const std::string& subject) {
    const auto [known, is_first] = checked_.emplace(old_id, false);
    if (!is_first) return known->second;
    const auto* old_node = versions_.old_node(old_id);
    const auto* new_node = versions_.new_node(old_id);
    if (!new_node && versions_.mapping().contains(old_id)) return false; // said of the mapping
    if (!old_node || !new_node) {
      object(old_id, subject + " is not in the new version: map it to an element of its kind.");
      return false;
    }
    known->second = check_nature(*old_node, *new_node);
    return known->second;
  }

  bool check_node(const std::string& old_id) {
    return check_node(old_id, "The instance is at " + quoted(old_id) + ", which");
  }

  bool check_nature(const Node& old_node, const Node& new_node) {
    const auto became = new_node.id == old_node.id ? std::string("it") : quoted(new_node.id);
    if (old_node.kind != new_node.kind || old_node.for_compensation != new_node.for_compensation) {
      object(old_node.id, quoted(old_node.id) + " is of the kind " +
                              std::string(name_of(old_node.kind)) + ", and " + became + " is " +
                              std::string(name_of(new_node.kind)) +
                              " in the new version: map it to an element of its kind.");
      return false;
    }
    const auto old_owner = owner_of(versions_.from(), old_node);
    const auto new_owner = owner_of(versions_.to(), new_node);
    if ((old_owner.empty() ? old_owner : versions_.new_id(old_owner)) != new_owner) {
      object(old_node.id, quoted(old_node.id) + " stands in " + place_of(old_owner) + ", and " +
                              became + " stands in " + place_of(new_owner) +
                              " in the new version: nothing moves to another scope.");
      return false;
    }
    if (!same_loop(old_node, new_node)) {
      object(old_node.id, quoted(old_node.id) +
                              " is repeated in another way in the new version: map it to an "
                              "element that is repeated in the same way.");
      return false;
    }
    if (waits_itself(old_node) && !same_kinds(old_node, new_node)) {
      object(old_node.id, quoted(old_node.id) +
                              " waits for other kinds of events in the new version: map it to an "
                              "element that waits for the same.");
      return false;
    }
    return true;
  }

  void check_token(const facts::Token& token) {
    if (!check_node(token.node_id)) return;
    const auto& node = *versions_.new_node(token.node_id);
    if (!node.data && variables_of(state_, token.id) != token.scope_id &&
        scope_opened_by(state_, token.id) != kNoKey) {
      object(token.node_id, quoted(token.node_id) +
                                " is open with variables of its own, which the new version does "
                                "not give it: keep an input or output there.");
    }
    check_listeners(token, *versions_.old_node(token.node_id), node);
    if (token.state != facts::TokenState::ready || !gathers(node)) return;
    // It is on its flow.
    if (node.incoming.size() > 1) check_flow(node, token.flow_id.value_or(""));
  }

  /// How far a token is with the listeners of its node is a number: it means something only while
  /// they stand as they stood. While one is at work, what the element awaits is not armed yet.
  void check_listeners(const facts::Token& token, const Node& old_node, const Node& new_node) {
    if (token.listener == 0) return;
    const auto step_id = open_step_of(state_, token.id);
    const auto* step = step_id == kNoKey ? nullptr : state_.steps.find(step_id);
    if (step && step->type == facts::StepType::listener) {
      return object(token.node_id, "A listener of " + quoted(token.node_id) +
                                       " is at work: migrate when it is done.");
    }
    const bool same =
        std::ranges::equal(old_node.listeners, new_node.listeners, {},
                           &definition::ListenerSpec::phase, &definition::ListenerSpec::phase);
    if (same) return;
    object(token.node_id, quoted(token.node_id) +
                              " has begun with its listeners, and has others in the new version: "
                              "let it end first.");
  }

  void check_flow(const Node& gateway, const std::string& old_flow) {
    const auto flow = versions_.to().find_flow(versions_.new_id(old_flow));
    if (flow != kNone && std::ranges::find(gateway.incoming, flow) != gateway.incoming.end()) {
      return;
    }
    object(old_flow, "A token came to the gateway " + quoted(gateway.id) + " by the flow " +
                         quoted(old_flow) +
                         ", which does not lead there in the new version: map it to a flow that "
                         "does.");
  }

  void check_gathering(const facts::ParallelJoin& join) {
    if (!check_node(join.node_id)) return;
    if (is_activated(state_, join.id)) {
      return object(join.node_id, "The gateway " + quoted(join.node_id) +
                                      " has started and waits for its reset: its incoming flows "
                                      "and its id cannot change until then.");
    }
    for (const auto& arrival : arrivals_of(state_, join.id))
      check_flow(*versions_.new_node(join.node_id), arrival.flow_id);
  }

  /// Whether its reset is due is looked at in an instance that runs.
  void check_paused() {
    if (state_.instance.status != facts::InstanceStatus::paused) return;
    for (const auto& slot : state_.joins.slots()) {
      const auto& join = slot.row;
      if (join.state != facts::JoinState::open || !is_activated(state_, join.id)) continue;
      object(join.node_id, "The gateway " + quoted(join.node_id) +
                               " has started and waits for its reset: resume the instance first.");
    }
  }

  void check_task(const facts::ExternalTask& task) {
    if (task.state == facts::TaskState::completed || task.state == facts::TaskState::cancelled) {
      return;
    }
    if (!check_node(task.node_id) || versions_.new_node(task.node_id)->worker) return;
    object(task.node_id, quoted(task.node_id) +
                             " waits for a worker, which the new version does not ask for there: "
                             "map it to an element that a worker does.");
  }

  void check_record(const facts::CompensationRecord& record) {
    if (record.status != facts::CompensationStatus::pending &&
        record.status != facts::CompensationStatus::running) {
      return;
    }
    const auto undone = quoted(record.node_id);
    if (!check_node(record.node_id, undone + ", which can be undone,")) return;
    if (!record.handler_id) return;
    const auto subject = quoted(*record.handler_id) + ", which can undo " + undone + ",";
    if (!check_node(*record.handler_id, subject)) return;
    const auto& handler = *versions_.new_node(*record.handler_id);
    if (handler.kind != NodeKind::event_sub_process) return;
    const auto inner = versions_.new_node(record.node_id)->inner_scope;
    if (versions_.to().scope(inner).compensation == versions_.to().find_node(handler.id)) return;
    object(*record.handler_id, subject +
                                   " does not in the new version: map it to the event "
                                   "sub-process that does.");
  }

  /// Activities that wait for their turn are known by their ids.
  void check_ad_hoc(const facts::Scope& scope) {
    const auto& old_node = *versions_.old_node(scope.node_id);
    const auto& new_node = *versions_.new_node(scope.node_id);
    if (old_node.ad_hoc->sequential != new_node.ad_hoc->sequential) {
      return object(scope.node_id, quoted(scope.node_id) +
                                       " takes its activities in another order in the new version: "
                                       "map it to one that takes them in the same.");
    }
    const auto* queue = scope.variables.as<Object>()->find(std::string(kQueueVariable));
    const auto* list = queue ? queue->as<Array>() : nullptr;
    if (!list) return;
    const auto& starts = versions_.to().scope(new_node.inner_scope).starts;
    for (const auto& item : *list) {
      const auto* id = item.as<std::string>();
      const auto index = id ? versions_.to().find_node(*id) : kNone;
      if (!id ||
          (std::ranges::find(starts, index) != starts.end() && versions_.new_id(*id) == *id)) {
        continue;
      }
      object(*id, quoted(*id) + " waits for its turn in " + quoted(scope.node_id) +
                      ", where the new version must have it under the same id.");
    }
  }

  const Versions& versions_;
  const InstanceState& state_;
  std::map<std::string, bool, std::less<>> checked_;
  Objections found_;
};

/// Whether a token that waits at the gateway waits for the same flows in the new version.
bool same_gateway(const Versions& versions, const facts::ParallelJoin& join) {
  const auto* old_node = versions.old_node(join.node_id);
  const auto* new_node = versions.new_node(join.node_id);
  if (!old_node || !new_node || new_node->id != join.node_id) return false;
  if (old_node->kind != new_node->kind) return false;
  const auto ids = [](const definition::Definition& definition, const Node& node) {
    std::set<std::string_view> found;
    for (const auto flow : node.incoming)
      found.insert(definition.flow(flow).id);
    return found;
  };
  const auto before = ids(versions.from(), *old_node);
  return before == ids(versions.to(), *new_node) &&
         std::ranges::all_of(before,
                             [&](std::string_view id) { return versions.new_id(id) == id; });
}

} // namespace

Objections check_migration(const Versions& versions, const InstanceState& state) {
  return MigrationCheck(versions, state).run();
}

std::vector<Key> changed_gatherings(const Versions& versions, const InstanceState& state) {
  std::vector<std::pair<std::int64_t, Key>> found;
  for (const auto& slot : state.joins.slots()) {
    const auto& join = slot.row;
    if (join.state != facts::JoinState::open) continue;
    const bool stays = join.kind == facts::JoinKind::parallel || is_activated(state, join.id);
    if (stays && same_gateway(versions, join)) continue;
    found.emplace_back(join.generation, join.id);
  }
  std::ranges::sort(found);
  std::vector<Key> ids;
  for (const auto& [generation, id] : found)
    ids.push_back(id);
  return ids;
}

} // namespace perdure::decide
