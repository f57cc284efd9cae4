#include "definition/undo_rules.h"

#include <algorithm>
#include <string>

namespace perdure::definition {

namespace {

const Scope& scope_at(const Graph& graph, ScopeIndex index) {
  return graph.scopes[static_cast<std::size_t>(index)];
}

const Node* owner_of(const Graph& graph, ScopeIndex scope) {
  const auto owner = scope_at(graph, scope).owner;
  return owner == kNone ? nullptr : &graph.nodes[static_cast<std::size_t>(owner)];
}

bool is_refused(const Graph& graph, NodeIndex index) {
  return graph.refused[static_cast<std::size_t>(index)];
}

void check_handler(const Node& node, Report& report) {
  if (!node.incoming.empty() || !node.outgoing.empty()) {
    report.error(Code::bad_compensation, node.place, node.id,
                 "The activity undoes another one, so no flow leads to or from it: remove the "
                 "flows, or its compensation marker.");
  }
  if (!node.boundaries.empty()) {
    report.error(Code::bad_compensation, node.place, node.id,
                 "The activity undoes another one, so a flow out of its boundary event would lead "
                 "out of the compensation: move it, with the event, into a sub-process that undoes "
                 "instead.");
  }
}

/// BPMN 10.7.1: an association and no flow leads from the event to what undoes.
void check_boundary(const Graph& graph, const Node& node, Report& report) {
  if (!node.outgoing.empty()) {
    report.error(Code::bad_compensation, node.place, node.id,
                 "A boundary event for compensation has no flows: draw an association from it to "
                 "the activity that undoes.");
    return;
  }
  if (node.handler == kNone) {
    report.warning(Code::bad_compensation, node.place, node.id,
                   "No association leads from this boundary event to an activity marked as "
                   "compensation: it undoes nothing.");
  }
  if (node.attached_to == kNone) return;
  const auto& activity = graph.nodes[static_cast<std::size_t>(node.attached_to)];
  const auto others = std::ranges::count_if(activity.boundaries, [&](NodeIndex boundary) {
    return graph.nodes[static_cast<std::size_t>(boundary)].has(EventKind::compensation);
  });
  if (others > 1) {
    report.error(Code::bad_compensation, node.place, node.id,
                 "The activity has several boundary events for compensation: keep one of them.");
  }
}

/// BPMN 10.5.5: the activity stands on the level of the event, or, from within an event
/// sub-process, on the level around it.
bool is_visible(const Graph& graph, const Node& event, const Node& activity) {
  auto scope = event.scope;
  for (;;) {
    if (activity.scope == scope) return true;
    const auto* owner = owner_of(graph, scope);
    if (!owner || owner->kind != NodeKind::event_sub_process) return false;
    scope = owner->scope;
  }
}

void check_throw(const Graph& graph, const Node& node, const EventSpec& event, Report& report) {
  if (event.activity == kNone || is_refused(graph, event.activity)) return;
  const auto& activity = graph.nodes[static_cast<std::size_t>(event.activity)];
  if (is_activity(activity.kind) && is_visible(graph, node, activity)) return;
  report.error(
      Code::bad_compensation, node.place, node.id,
      "The compensation is for " + in_quotes(activity.id) +
          ", which is no activity that can be seen from here: name one of the same level.");
}

void check_event_sub_process(const Graph& graph, const Node& start, Report& report) {
  const auto* owner = owner_of(graph, start.scope);
  if (!owner) return;
  const auto& around = scope_at(graph, owner->scope);
  if (around.owner == kNone) {
    report.error(Code::bad_compensation, start.place, start.id,
                 "Nothing undoes a whole process, so this event sub-process would never begin: put "
                 "it into a sub-process.");
    return;
  }
  if (around.compensation == kNone ||
      &graph.nodes[static_cast<std::size_t>(around.compensation)] == owner) {
    return;
  }
  report.error(Code::bad_compensation, start.place, start.id,
               "The sub-process has several event sub-processes for compensation: keep one.");
}

bool has_cancel_boundary(const Graph& graph, const Node& transaction) {
  return std::ranges::any_of(transaction.boundaries, [&](NodeIndex boundary) {
    return graph.nodes[static_cast<std::size_t>(boundary)].has(EventKind::cancel);
  });
}

void check_cancel_end(const Graph& graph, const Node& node, Report& report) {
  const auto* owner = owner_of(graph, node.scope);
  while (owner && owner->kind != NodeKind::transaction)
    owner = owner_of(graph, owner->scope);
  if (!owner) {
    report.error(Code::bad_transaction, node.place, node.id,
                 "The cancel end event stands in no transaction: put it inside one, or throw an "
                 "error.");
  } else if (!has_cancel_boundary(graph, *owner)) {
    report.error(Code::bad_transaction, node.place, node.id,
                 "The transaction " + in_quotes(owner->id) +
                     " has no cancel boundary event, so nothing says how the process goes on: add "
                     "one.");
  }
}

void check_cancel_boundary(const Graph& graph, const Node& node, Report& report) {
  if (node.attached_to == kNone || is_refused(graph, node.attached_to)) return;
  const auto& activity = graph.nodes[static_cast<std::size_t>(node.attached_to)];
  const auto others = std::ranges::count_if(activity.boundaries, [&](NodeIndex boundary) {
    return graph.nodes[static_cast<std::size_t>(boundary)].has(EventKind::cancel);
  });
  if (activity.kind == NodeKind::transaction && others == 1) return;
  report.error(Code::bad_transaction, node.place, node.id,
               activity.kind == NodeKind::transaction
                   ? "The transaction has several cancel boundary events: keep one of them."
                   : "Only a transaction can be cancelled: attach the event to one.");
}

} // namespace

void check_undoing(const Graph& graph, const Node& node, Report& report) {
  if (node.for_compensation) check_handler(node, report);
  if (node.kind == NodeKind::boundary_event) {
    if (node.has(EventKind::compensation)) check_boundary(graph, node, report);
    if (node.has(EventKind::cancel)) check_cancel_boundary(graph, node, report);
  }
  if (node.kind == NodeKind::start_event && node.has(EventKind::compensation)) {
    check_event_sub_process(graph, node, report);
  }
  if (node.kind != NodeKind::throw_event && node.kind != NodeKind::end_event) return;
  for (const auto& event : node.events) {
    if (event.kind == EventKind::compensation) check_throw(graph, node, event, report);
    if (event.kind == EventKind::cancel && node.kind == NodeKind::end_event) {
      check_cancel_end(graph, node, report);
    }
  }
}

} // namespace perdure::definition
