#include "definition/builder.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "base/check.h"
#include "definition/listener_rules.h"
#include "definition/reach.h"
#include "definition/validate.h"

namespace perdure::definition {

namespace {

std::string at_line(SourcePlace place) {
  return place.line > 0 ? " in line " + std::to_string(place.line) : std::string();
}

} // namespace

Builder::Builder(std::string process_id, std::string name, std::string version_tag,
                 SourcePlace place)
    : place_(place) {
  definition_.process_id_ = std::move(process_id);
  definition_.name_ = std::move(name);
  definition_.version_tag_ = std::move(version_tag);
  definition_.scopes_.emplace_back();
}

ScopeIndex Builder::add_scope(NodeIndex owner, ScopeIndex parent) {
  const auto index = static_cast<ScopeIndex>(definition_.scopes_.size());
  definition_.scopes_.push_back(Scope{.owner = owner,
                                      .parent = parent,
                                      .nodes = {},
                                      .starts = {},
                                      .event_starts = {},
                                      .event_sub_processes = {},
                                      .compensation = kNone});
  node(owner).inner_scope = index;
  return index;
}

NodeIndex Builder::add_node(Node node) {
  const auto index = static_cast<NodeIndex>(definition_.nodes_.size());
  PERDURE_CHECK(node.scope >= 0 &&
                static_cast<std::size_t>(node.scope) < definition_.scopes_.size());
  definition_.scopes_[static_cast<std::size_t>(node.scope)].nodes.push_back(index);
  definition_.nodes_.push_back(std::move(node));
  refused_.push_back(false);
  return index;
}

NodeIndex Builder::add_refused_node(Node node) {
  const auto index = add_node(std::move(node));
  refused_.back() = true;
  return index;
}

void Builder::add_flow(Flow flow, std::string source_id, std::string target_id) {
  pending_flows_.push_back({std::move(flow), std::move(source_id), std::move(target_id)});
}

void Builder::set_default_flow(NodeIndex node, std::string flow_id) {
  pending_defaults_.push_back({node, std::move(flow_id)});
}

void Builder::attach(NodeIndex boundary, std::string activity_id) {
  pending_attachments_.push_back({boundary, std::move(activity_id)});
}

void Builder::associate(std::string source_id, std::string target_id) {
  associations_.push_back({std::move(source_id), std::move(target_id)});
}

void Builder::set_initial(ScopeIndex scope, Object variables) {
  definition_.scopes_[static_cast<std::size_t>(scope)].initial = std::move(variables);
}

void Builder::set_process_listeners(std::vector<ListenerSpec> listeners) {
  process_listeners_ = std::move(listeners);
}

Node& Builder::node(NodeIndex index) {
  PERDURE_CHECK(index >= 0 && static_cast<std::size_t>(index) < definition_.nodes_.size());
  return definition_.nodes_[static_cast<std::size_t>(index)];
}

std::expected<DefinitionPtr, std::vector<Diagnostic>> Builder::build() && {
  Report report;
  auto definition = std::move(*this).build(report);
  if (definition) return definition;
  return std::unexpected(std::move(report).take({}));
}

DefinitionPtr Builder::build(Report& report) && {
  Report own;
  if (within_bounds(own)) {
    Places known_ids;
    index_nodes(known_ids, own);
    resolve_flows(known_ids, own);
    resolve_defaults(own);
    resolve_attachments(own);
    resolve_associations();
    resolve_links(own);
    resolve_compensation(own);
    find_starts();
    validate({definition_.nodes_, definition_.flows_, definition_.scopes_, refused_,
              definition_.process_id_, place_},
             own);
    if (!process_listeners_.empty()) add_process_node(own);
  }
  const bool sound = !own.has_errors() && std::ranges::find(refused_, true) == refused_.end();
  report.add(std::move(own).take({}));
  if (!sound) return nullptr;
  auto reach = compute_reach(definition_.nodes_, definition_.flows_);
  definition_.reach_ = std::move(reach.any);
  definition_.reach_first_ = std::move(reach.first);
  definition_.reach_words_ = reach.words_per_row;
  definition_.has_conditions_ = std::ranges::any_of(
      definition_.nodes_, [](const Node& each) { return each.has(EventKind::conditional); });
  return std::make_shared<const Definition>(std::move(definition_));
}

bool Builder::within_bounds(Report& report) const {
  if (definition_.nodes_.size() <= kMaxNodes && pending_flows_.size() <= kMaxFlows) return true;
  report.error(Code::process_too_large, place_, definition_.process_id_,
               "The process has " + std::to_string(definition_.nodes_.size()) + " nodes and " +
                   std::to_string(pending_flows_.size()) + " flows where " +
                   std::to_string(kMaxNodes) + " and " + std::to_string(kMaxFlows) +
                   " are the limit: split it into several processes.");
  return false;
}

void Builder::index_nodes(Places& known_ids, Report& report) {
  for (std::size_t i = 0; i < definition_.nodes_.size(); ++i) {
    const auto& node = definition_.nodes_[i];
    const auto [known, fresh] = known_ids.emplace(node.id, node.place);
    if (!fresh) {
      report.error(Code::duplicate_id, node.place, node.id,
                   "The id " + in_quotes(node.id) + " is already taken" + at_line(known->second) +
                       ": give each element its own id.");
      continue;
    }
    definition_.node_by_id_.emplace(node.id, static_cast<NodeIndex>(i));
  }
}

void Builder::resolve_flows(Places& known_ids, Report& report) {
  for (auto& pending : pending_flows_) {
    auto& flow = pending.flow;
    const auto [known, fresh] = known_ids.emplace(flow.id, flow.place);
    if (!fresh) {
      report.error(Code::duplicate_id, flow.place, flow.id,
                   "The id " + in_quotes(flow.id) + " is already taken" + at_line(known->second) +
                       ": give each element its own id.");
    }
    flow.source = resolve_end(pending, true, report);
    flow.target = resolve_end(pending, false, report);
    if (!fresh || flow.source == kNone || flow.target == kNone) continue;
    if (node(flow.source).scope != node(flow.target).scope) {
      report.error(Code::flow_crosses_scope, flow.place, flow.id,
                   "The flow leads from " + in_quotes(pending.source_id) + " to " +
                       in_quotes(pending.target_id) +
                       " across the border of a sub-process: end it at the sub-process itself.");
      continue;
    }
    const auto index = static_cast<FlowIndex>(definition_.flows_.size());
    node(flow.source).outgoing.push_back(index);
    node(flow.target).incoming.push_back(index);
    definition_.flow_by_id_.emplace(flow.id, index);
    definition_.flows_.push_back(std::move(flow));
  }
}

NodeIndex Builder::resolve_end(const PendingFlow& pending, bool source, Report& report) const {
  const auto& id = source ? pending.source_id : pending.target_id;
  const std::string reference = source ? "sourceRef" : "targetRef";
  const auto& flow = pending.flow;
  if (id.empty()) {
    report.error(Code::missing_flow_end, flow.place, flow.id,
                 "The flow has no " + reference + ": name the element that it " +
                     (source ? "leaves." : "leads to."));
    return kNone;
  }
  const auto index = definition_.find_node(id);
  if (index == kNone) {
    report.error(Code::unknown_flow_end, flow.place, flow.id,
                 "The flow's " + reference + " " + in_quotes(id) +
                     " is no element of this process: connect the flow again or remove it.");
  }
  return index;
}

void Builder::resolve_defaults(Report& report) {
  for (const auto& pending : pending_defaults_) {
    auto& owner = node(pending.node);
    const auto flow = definition_.find_flow(pending.flow_id);
    if (flow != kNone && definition_.flow(flow).source == pending.node) {
      owner.default_flow = flow;
      continue;
    }
    // A flow that exists but could not be resolved was reported as such.
    const bool reported = flow == kNone && std::ranges::any_of(pending_flows_, [&](const auto& p) {
                            return p.flow.id == pending.flow_id && p.source_id == owner.id;
                          });
    if (reported) continue;
    report.error(Code::unknown_default_flow, owner.place, owner.id,
                 "The default flow " + in_quotes(pending.flow_id) +
                     " is no outgoing flow of this element: name one of its own or remove it.");
  }
}

void Builder::resolve_attachments(Report& report) {
  for (const auto& [boundary, activity_id] : pending_attachments_) {
    auto& event = node(boundary);
    const auto host = definition_.find_node(activity_id);
    if (host == kNone) {
      report.error(Code::unknown_attachment, event.place, event.id,
                   "The boundary event is attached to " + in_quotes(activity_id) +
                       ", which is no element of this process: attach it to an activity.");
      continue;
    }
    auto& activity = node(host);
    event.attached_to = host;
    if (refused_[static_cast<std::size_t>(host)]) continue;
    if (!is_activity(activity.kind) || activity.kind == NodeKind::event_sub_process ||
        activity.scope != event.scope) {
      report.error(Code::unknown_attachment, event.place, event.id,
                   "The boundary event is attached to " + in_quotes(activity_id) +
                       ", which is no activity beside it: attach it to a task or sub-process of "
                       "its own level.");
      continue;
    }
    activity.boundaries.push_back(boundary);
  }
}

void Builder::resolve_links(Report& report) {
  const auto is_link = [](const Node& node, NodeKind kind) {
    return node.kind == kind && node.event() && node.event()->kind == EventKind::link;
  };
  std::map<std::pair<ScopeIndex, std::string>, NodeIndex> targets;
  for (std::size_t i = 0; i < definition_.nodes_.size(); ++i) {
    const auto& node = definition_.nodes_[i];
    if (!is_link(node, NodeKind::catch_event)) continue;
    const auto key = std::pair(node.scope, node.event()->name.text);
    if (targets.emplace(key, static_cast<NodeIndex>(i)).second) continue;
    report.error(Code::duplicate_link, node.place, node.id,
                 "Another link event of this level catches " + in_quotes(key.second) +
                     ": give each catching link event a name of its own.");
  }
  for (auto& node : definition_.nodes_) {
    if (!is_link(node, NodeKind::throw_event)) continue;
    const auto target = targets.find(std::pair(node.scope, node.event()->name.text));
    if (target != targets.end()) {
      node.events.front().activity = target->second;
      continue;
    }
    report.error(Code::unknown_link, node.place, node.id,
                 "No link event of this level catches " + in_quotes(node.event()->name.text) +
                     ": add one with this name.");
  }
}

void Builder::resolve_associations() {
  for (const auto& [source_id, target_id] : associations_) {
    const auto source = definition_.find_node(source_id);
    const auto target = definition_.find_node(target_id);
    if (source == kNone || target == kNone || !node(source).has(EventKind::compensation)) {
      continue;
    }
    const auto& handler = node(target);
    if (node(source).kind != NodeKind::boundary_event || !handler.for_compensation) continue;
    if (handler.scope == node(source).scope) node(source).handler = target;
  }
}

void Builder::resolve_compensation(Report& report) {
  for (auto& node : definition_.nodes_) {
    for (auto& event : node.events) {
      if (event.kind != EventKind::compensation || event.activity_id.empty()) continue;
      event.activity = definition_.find_node(event.activity_id);
      if (event.activity != kNone) continue;
      report.error(Code::bad_compensation, node.place, node.id,
                   "The compensation is for " + in_quotes(event.activity_id) +
                       ", which is no element of this process: name an activity of it, or none.");
    }
  }
}

/// Behind all others, and in no scope: no rule of the graph is about it.
void Builder::add_process_node(Report& report) {
  Node process;
  process.id = definition_.process_id_;
  process.name = definition_.name_;
  process.kind = NodeKind::process;
  process.listeners = std::move(process_listeners_);
  process.place = place_;
  check_listeners(process, report);
  const auto index = static_cast<NodeIndex>(definition_.nodes_.size());
  if (!definition_.node_by_id_.emplace(process.id, index).second) {
    report.error(Code::duplicate_id, place_, process.id,
                 "The id " + in_quotes(process.id) +
                     " is that of the process and of one of its elements: give each its own id.");
  }
  definition_.nodes_.push_back(std::move(process));
  definition_.process_node_ = index;
}

/// A token begins at the start event without a trigger, or, where there is no start event at all,
/// at every node that nothing else leads to.
void Builder::find_starts() {
  for (auto& scope : definition_.scopes_)
    find_starts_of(scope);
  for (auto& scope : definition_.scopes_) {
    for (const auto index : scope.event_sub_processes) {
      const auto& inner = definition_.scope(node(index).inner_scope);
      const bool undoes = std::ranges::any_of(inner.event_starts, [&](NodeIndex start) {
        return node(start).has(EventKind::compensation);
      });
      if (undoes && scope.compensation == kNone) scope.compensation = index;
    }
  }
}

void Builder::find_instantiating(Scope& scope, NodeIndex index) {
  if (node(index).kind == NodeKind::receive_task) scope.event_starts.push_back(index);
  if (node(index).kind != NodeKind::event_based_gateway) return;
  for (const auto flow : node(index).outgoing)
    scope.event_starts.push_back(definition_.flow(flow).target);
}

void Builder::find_starts_of(Scope& scope) {
  bool any_start_event = false;
  for (const auto index : scope.nodes) {
    const auto& node = this->node(index);
    if (node.kind == NodeKind::event_sub_process) scope.event_sub_processes.push_back(index);
    if (node.instantiates) find_instantiating(scope, index);
    if (node.kind != NodeKind::start_event) continue;
    any_start_event = true;
    (node.events.empty() ? scope.starts : scope.event_starts).push_back(index);
  }
  if (any_start_event) return;
  for (const auto index : scope.nodes) {
    const auto& node = this->node(index);
    const bool led_to = !node.incoming.empty() || node.for_compensation || node.instantiates ||
                        node.kind == NodeKind::boundary_event ||
                        node.kind == NodeKind::event_sub_process ||
                        (node.event() && node.event()->kind == EventKind::link &&
                         node.kind == NodeKind::catch_event);
    if (!led_to) scope.starts.push_back(index);
  }
}

} // namespace perdure::definition
