#include "definition/validate.h"

#include <algorithm>
#include <string>

#include "base/check.h"

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

bool is_activity(NodeKind kind) {
  switch (kind) {
    case NodeKind::service_task:
    case NodeKind::user_task:
    case NodeKind::manual_task:
    case NodeKind::script_task:
    case NodeKind::undefined_task:
    case NodeKind::sub_process: return true;
    case NodeKind::start_event:
    case NodeKind::end_event:
    case NodeKind::terminate_end:
    case NodeKind::exclusive_gateway:
    case NodeKind::parallel_gateway:
    case NodeKind::timer_catch: return false;
  }
  return false;
}

/// BPMN 8.4.13: events and parallel gateways choose no way out.
bool may_choose(NodeKind kind) { return is_activity(kind) || kind == NodeKind::exclusive_gateway; }

bool is_end(NodeKind kind) {
  return kind == NodeKind::end_event || kind == NodeKind::terminate_end;
}

void check_spec(const Node& node, Report& report) {
  if (node.kind == NodeKind::service_task && (!node.worker || node.worker->type.text.empty())) {
    report.error(Code::missing_worker_type, node.place, node.id,
                 "The service task names no worker type: set zeebe:taskDefinition type, "
                 "camunda:type=\"external\" with camunda:topic, or perdure:type.");
  }
  if (node.kind == NodeKind::script_task && !node.script) {
    report.error(
        Code::missing_script, node.place, node.id,
        "The script task has no expression: set zeebe:script expression or a FEEL script.");
  }
  if (node.kind == NodeKind::timer_catch && !node.timer) {
    report.error(Code::missing_timer, node.place, node.id,
                 "The timer event says no time: set timeDuration or timeDate.");
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
  if (is_end(node.kind)) {
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
    report.error(Code::default_not_allowed, node.place, node.id,
                 "Only an activity or an exclusive gateway has a default flow: remove `default`.");
  }
  for (const auto index : node.outgoing) {
    const auto& flow = flow_at(graph, index);
    const bool is_default = index == node.default_flow;
    if (flow.condition && !may_choose(node.kind)) {
      report.error(
          Code::condition_not_allowed, flow.place, flow.id,
          "A flow out of an event or a parallel gateway has no condition: remove it or put "
          "an exclusive gateway before the flow.");
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
  if (scope.starts.empty()) {
    const auto* owner = scope.owner == kNone ? nullptr : &node_at(graph, scope.owner);
    report.error(Code::no_start, owner ? owner->place : graph.process_place,
                 owner ? owner->id : graph.process_id,
                 std::string(owner ? "The sub-process" : "The process") +
                     " has no element where a token could begin: add a start event.");
  }
  bool seen = false;
  for (const auto index : scope.starts) {
    const auto& node = node_at(graph, index);
    if (node.kind != NodeKind::start_event || is_refused(graph, index)) continue;
    if (seen) {
      report.error(Code::several_start_events, node.place, node.id,
                   "A process or sub-process has at most one none start event: remove this one or "
                   "join the two ways behind one start event.");
    }
    seen = true;
  }
}

void check_reachable(const Graph& graph, const Scope& scope, Report& report) {
  std::vector<bool> seen(graph.nodes.size());
  std::vector<NodeIndex> pending = scope.starts;
  while (!pending.empty()) {
    const auto index = pending.back();
    pending.pop_back();
    if (seen[static_cast<std::size_t>(index)]) continue;
    seen[static_cast<std::size_t>(index)] = true;
    for (const auto flow : node_at(graph, index).outgoing) {
      pending.push_back(flow_at(graph, flow).target);
    }
  }
  for (const auto index : scope.nodes) {
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
    PERDURE_CHECK((node.kind == NodeKind::sub_process) == (node.inner_scope != kNone));
    check_spec(node, report);
    check_flows_of(graph, node, report);
    check_choices_of(graph, node, report);
  }
  for (const auto& scope : graph.scopes) {
    const bool has_refused =
        std::ranges::any_of(scope.nodes, [&](NodeIndex index) { return is_refused(graph, index); });
    if (scope.owner != kNone && is_refused(graph, scope.owner)) continue;
    if (!has_refused || !scope.starts.empty()) check_starts(graph, scope, report);
    if (!has_refused && !flows_missing && !scope.starts.empty()) {
      check_reachable(graph, scope, report);
    }
  }
}

} // namespace perdure::definition
