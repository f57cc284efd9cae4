#include "definition/validate.h"

#include <algorithm>
#include <string>

#include "base/check.h"
#include "definition/event_rules.h"
#include "definition/listener_rules.h"

namespace perdure::definition {

namespace {

const Node& node_at(const Graph& graph, NodeIndex index) {
  return graph.nodes[static_cast<std::size_t>(index)];
}

const Flow& flow_at(const Graph& graph, FlowIndex index) {
  return graph.flows[static_cast<std::size_t>(index)];
}

bool is_refused(const Graph& graph, NodeIndex index) {
  return graph.refused[static_cast<std::size_t>(index)];
}

/// BPMN 8.4.13: events, parallel and event-based gateways choose no way out.
bool may_choose(NodeKind kind) {
  return is_activity(kind) || kind == NodeKind::exclusive_gateway ||
         kind == NodeKind::inclusive_gateway || kind == NodeKind::complex_gateway;
}

bool must_have_worker(const Node& node) {
  return node.kind == NodeKind::service_task ||
         (node.kind == NodeKind::business_rule_task && !node.decision) ||
         (node.kind == NodeKind::send_task && node.events.empty());
}

void check_spec(const Node& node, Report& report) {
  if (must_have_worker(node) && (!node.worker || node.worker->type.text.empty())) {
    report.error(Code::missing_worker_type, node.place, node.id,
                 "The task names no worker type: set zeebe:taskDefinition type, "
                 "camunda:type=\"external\" with camunda:topic, or perdure:type.");
  }
  if (node.kind == NodeKind::script_task && !node.script) {
    report.error(
        Code::missing_script, node.place, node.id,
        "The script task has no expression: set zeebe:script expression or a FEEL script.");
  }
  if (node.kind == NodeKind::complex_gateway && node.incoming.size() > 1 && !node.activation) {
    report.error(Code::bad_complex_gateway, node.place, node.id,
                 "The complex gateway joins and does not say when: give it an activation "
                 "condition, such as `= activationCount >= 2`.");
  }
  if (node.kind == NodeKind::receive_task && node.events.empty()) {
    report.error(Code::missing_event_name, node.place, node.id,
                 "The receive task names no message: set messageRef.");
  }
}

void check_flows_of(const Graph& graph, const Node& node, Report& report) {
  if (node.kind == NodeKind::start_event) {
    for (const auto index : node.incoming) {
      const auto& flow = flow_at(graph, index);
      report.error(Code::flow_into_start_event, flow.place, flow.id,
                   "The flow leads into the start event " + in_quotes(node.id) +
                       ": lead it to the element after the start event.");
    }
  }
  if (node.kind == NodeKind::end_event) {
    for (const auto index : node.outgoing) {
      const auto& flow = flow_at(graph, index);
      report.error(Code::flow_out_of_end_event, flow.place, flow.id,
                   "The flow leaves the end event " + in_quotes(node.id) +
                       ": replace the end event or remove the flow.");
    }
  }
}

void check_choices_of(const Graph& graph, const Node& node, Report& report) {
  if (node.default_flow != kNone && !may_choose(node.kind)) {
    report.error(
        Code::default_not_allowed, node.place, node.id,
        "Only an activity, an exclusive, inclusive or complex gateway has a default flow: remove "
        "`default`.");
  }
  for (const auto index : node.outgoing) {
    const auto& flow = flow_at(graph, index);
    const bool is_default = index == node.default_flow;
    if (flow.condition && !may_choose(node.kind)) {
      report.error(Code::condition_not_allowed, flow.place, flow.id,
                   "A flow out of an event, a parallel or an event-based gateway has no condition: "
                   "remove it "
                   "or put an exclusive gateway before the flow.");
    } else if (flow.condition && is_default) {
      report.error(Code::condition_on_default_flow, flow.place, flow.id,
                   "The default flow is taken when no other condition holds: remove its condition "
                   "or make another flow the default.");
    }
    if (node.kind == NodeKind::exclusive_gateway && node.outgoing.size() > 1 && !flow.condition &&
        !is_default) {
      report.error(Code::missing_condition, flow.place, flow.id,
                   "The exclusive gateway " + in_quotes(node.id) +
                       " cannot decide about this flow: give it a condition or make it the "
                       "gateway's default flow.");
    }
  }
}

void check_starts(const Graph& graph, const Scope& scope, Report& report) {
  const auto* owner = scope.owner == kNone ? nullptr : &node_at(graph, scope.owner);
  if (owner && owner->kind == NodeKind::event_sub_process) {
    if (scope.event_starts.size() == 1 && scope.starts.empty()) return;
    report.error(Code::bad_event_sub_process, owner->place, owner->id,
                 "The event sub-process has not exactly one start event, with a trigger: add or "
                 "remove start events.");
    return;
  }
  if (owner) {
    for (const auto index : scope.event_starts) {
      const auto& node = node_at(graph, index);
      report.error(Code::event_not_allowed, node.place, node.id,
                   "A sub-process begins without a trigger: remove the event definition, or make "
                   "the sub-process an event sub-process.");
    }
  }
  if (owner && owner->kind == NodeKind::ad_hoc_sub_process) {
    for (const auto index : scope.nodes) {
      const auto& node = node_at(graph, index);
      if (node.kind != NodeKind::start_event && node.kind != NodeKind::end_event) continue;
      report.error(Code::bad_ad_hoc, node.place, node.id,
                   "An ad hoc sub-process holds activities that are chosen, and no start event or "
                   "end event: remove it.");
    }
  }
  // A sub-process that holds nothing is over as soon as it is entered (10.3.5).
  if (owner && scope.nodes.empty()) return;
  if (scope.starts.empty() && scope.event_starts.empty()) {
    report.error(Code::no_start, owner ? owner->place : graph.process_place,
                 owner ? owner->id : graph.process_id,
                 std::string(owner ? "The sub-process" : "The process") +
                     " has no element where a token could begin: add a start event.");
  }
  bool seen = false;
  for (const auto index : scope.starts) {
    const auto& node = node_at(graph, index);
    if (node.kind != NodeKind::start_event || is_refused(graph, index)) continue;
    if (seen && owner) {
      report.error(
          Code::several_start_events, node.place, node.id,
          "A sub-process has at most one none start event: remove this one or join the two "
          "ways behind one start event.");
    }
    seen = true;
  }
}

/// Where tokens begin without a flow that leads there.
std::vector<NodeIndex> entries(const Graph& graph, const Scope& scope) {
  auto found = scope.starts;
  for (const auto& more : {scope.event_starts, scope.event_sub_processes})
    found.insert(found.end(), more.begin(), more.end());
  for (const auto index : scope.nodes) {
    const auto& node = node_at(graph, index);
    const bool instantiates = node.incoming.empty() && node.kind == NodeKind::event_based_gateway;
    if (instantiates) found.push_back(index);
  }
  return found;
}

/// Where tokens can come to. No way leads on from `barrier`.
std::vector<bool> reached(const Graph& graph, const Scope& scope, NodeIndex barrier) {
  std::vector<bool> seen(graph.nodes.size());
  auto pending = entries(graph, scope);
  while (!pending.empty()) {
    const auto index = pending.back();
    pending.pop_back();
    if (seen[static_cast<std::size_t>(index)]) continue;
    seen[static_cast<std::size_t>(index)] = true;
    if (index == barrier) continue;
    const auto& node = node_at(graph, index);
    pending.insert(pending.end(), node.boundaries.begin(), node.boundaries.end());
    if (node.handler != kNone) pending.push_back(node.handler);
    const auto* event = node.event();
    if (event && event->kind == EventKind::link && event->activity != kNone) {
      pending.push_back(event->activity);
    }
    for (const auto flow : node.outgoing) {
      pending.push_back(flow_at(graph, flow).target);
    }
  }
  return seen;
}

/// A parallel gateway needs all its flows, so none of them may depend on its own firing.
void check_join(const Graph& graph, const Scope& scope, NodeIndex index, Report& report) {
  const auto& node = node_at(graph, index);
  if (node.kind != NodeKind::parallel_gateway || node.incoming.size() < 2) return;
  const auto seen = reached(graph, scope, index);
  for (const auto flow : node.incoming) {
    const auto source = flow_at(graph, flow).source;
    if (source != index && seen[static_cast<std::size_t>(source)]) continue;
    report.warning(Code::join_never_fires, node.place, node.id,
                   "The gateway waits for the flow " + in_quotes(flow_at(graph, flow).id) +
                       ", by which no token can come before the gateway has fired: connect it with "
                       "the start, or remove it.");
    return;
  }
}

void check_default(const Graph& graph, const Node& node, Report& report) {
  const bool chooses = node.kind == NodeKind::exclusive_gateway ||
                       node.kind == NodeKind::inclusive_gateway ||
                       node.kind == NodeKind::complex_gateway;
  if (!chooses || node.outgoing.empty() || node.default_flow != kNone) return;
  const bool all_conditional = std::ranges::all_of(
      node.outgoing, [&](FlowIndex flow) { return flow_at(graph, flow).condition.has_value(); });
  if (!all_conditional) return;
  report.warning(Code::missing_default, node.place, node.id,
                 "Every flow out of the gateway has a condition, so a token rests on an incident "
                 "when none holds: make one flow the default.");
}

void check_reachable(const Graph& graph, const Scope& scope, Report& report) {
  const auto seen = reached(graph, scope, kNone);
  for (const auto index : scope.nodes) {
    if (seen[static_cast<std::size_t>(index)]) check_join(graph, scope, index, report);
    if (seen[static_cast<std::size_t>(index)]) continue;
    const auto& node = node_at(graph, index);
    report.warning(
        Code::unreachable_node, node.place, node.id,
        "No token can come here: connect the element with the start event or remove it.");
  }
}

} // namespace

void validate(const Graph& graph, Report& report) {
  const bool flows_missing = report.has_errors();
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const auto& node = graph.nodes[i];
    if (graph.refused[i]) continue;
    PERDURE_CHECK(opens_scope(node.kind) == (node.inner_scope != kNone));
    check_spec(node, report);
    check_events(graph, node, report);
    check_flows_of(graph, node, report);
    check_choices_of(graph, node, report);
    check_default(graph, node, report);
    check_listeners(node, report);
  }
  for (const auto& scope : graph.scopes) {
    const bool has_refused =
        std::ranges::any_of(scope.nodes, [&](NodeIndex index) { return is_refused(graph, index); });
    if (scope.owner != kNone && is_refused(graph, scope.owner)) continue;
    const bool has_start = !scope.starts.empty() || !scope.event_starts.empty();
    if (!has_refused || has_start) check_starts(graph, scope, report);
    if (!has_refused && !flows_missing && has_start) {
      check_reachable(graph, scope, report);
    }
  }
}

} // namespace perdure::definition
