#include "definition/event_rules.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/enum_text.h"
#include "definition/undo_rules.h"

namespace perdure::definition {

namespace {

using enum EventKind;
using Place = EventPlace;

/// What comes by itself, and a token or scope can wait for.
constexpr std::array kCatchable{message, timer, signal, conditional};

const Node* owner_of(const Graph& graph, const Node& node) {
  const auto owner = graph.scopes[static_cast<std::size_t>(node.scope)].owner;
  return owner == kNone ? nullptr : &graph.nodes[static_cast<std::size_t>(owner)];
}

Place place_of(const Graph& graph, const Node& node) {
  if (node.kind == NodeKind::start_event) {
    const auto* owner = owner_of(graph, node);
    if (!owner || owner->kind != NodeKind::event_sub_process) return Place::process_start;
    return node.interrupting ? Place::event_sub_process_start : Place::non_interrupting_start;
  }
  if (node.kind == NodeKind::boundary_event) {
    return node.interrupting ? Place::boundary : Place::non_interrupting_boundary;
  }
  if (node.kind == NodeKind::throw_event) return Place::throwing;
  return node.kind == NodeKind::end_event ? Place::end : Place::catching;
}

bool is_event(NodeKind kind) {
  return kind == NodeKind::start_event || kind == NodeKind::end_event ||
         kind == NodeKind::catch_event || kind == NodeKind::throw_event ||
         kind == NodeKind::boundary_event;
}

bool is_empty(const Template& text) { return text.text.empty() && !text.expression; }

void check_spec(const Node& node, const EventSpec& event, Report& report) {
  const bool needs_name = event.kind == message || event.kind == signal || event.kind == link;
  if (needs_name && is_empty(event.name) && !node.worker) {
    report.error(Code::missing_event_name, node.place, node.id,
                 "The " + std::string(name_of(event.kind)) +
                     " has no name: choose one, so that sender and receiver find each other.");
  }
  if (event.kind == conditional && !event.condition) {
    report.error(Code::bad_expression, node.place, node.id,
                 "The conditional event has no condition: write one, such as `= amount > 1000`.");
  }
  if (event.kind == timer && !event.timer) {
    report.error(Code::missing_timer, node.place, node.id,
                 "The timer event says no time: set timeDuration, timeDate or timeCycle.");
  }
}

/// Each flow leads to an event that nothing else leads to (BPMN 10.6.6).
void check_event_gateway(const Graph& graph, const Node& node, Report& report) {
  if (node.outgoing.empty()) {
    report.error(Code::bad_event_gateway, node.place, node.id,
                 "The event-based gateway leads to no event: connect it with catch events.");
  }
  for (const auto index : node.outgoing) {
    const auto& flow = graph.flows[static_cast<std::size_t>(index)];
    const auto& target = graph.nodes[static_cast<std::size_t>(flow.target)];
    if (graph.refused[static_cast<std::size_t>(flow.target)]) continue;
    const bool waits = (target.kind == NodeKind::catch_event &&
                        !(target.event() && target.event()->kind == link)) ||
                       target.kind == NodeKind::receive_task;
    const bool plain = target.boundaries.empty() && !target.loop;
    if (waits && target.incoming.size() == 1 && plain) continue;
    report.error(
        Code::bad_event_gateway, flow.place, flow.id,
        "The flow out of the event-based gateway leads to " + in_quotes(target.id) +
            ": lead it to a catch event or plain receive task that nothing else leads to.");
  }
}

bool is_none_start(const Node& node) {
  return node.kind == NodeKind::start_event && node.events.empty();
}

/// The process begins at the node: nothing else leads there but a start event without trigger.
bool may_instantiate(const Graph& graph, const Node& node) {
  const auto& scope = graph.scopes[static_cast<std::size_t>(node.scope)];
  if (scope.owner != kNone || node.incoming.size() > 1) return false;
  if (node.incoming.empty()) {
    return std::ranges::none_of(scope.nodes, [&](NodeIndex index) {
      return graph.nodes[static_cast<std::size_t>(index)].kind == NodeKind::start_event;
    });
  }
  const auto& flow = graph.flows[static_cast<std::size_t>(node.incoming.front())];
  return is_none_start(graph.nodes[static_cast<std::size_t>(flow.source)]);
}

/// BPMN 10.3.3 and 10.6.6: what begins a process without a start event of its own.
void check_instantiating(const Graph& graph, const Node& node, Report& report) {
  const auto refuse = [&](const Node& at, const std::string& message) {
    report.error(Code::bad_event_gateway, at.place, at.id, message);
  };
  const bool is_gateway = node.kind == NodeKind::event_based_gateway;
  if (is_gateway && node.all_events && !node.instantiates) {
    refuse(node,
           "Only an event-based gateway that begins the process can be parallel: set instantiate, "
           "or put a parallel gateway before the events.");
  }
  if (!node.instantiates) return;
  if (!may_instantiate(graph, node)) {
    refuse(node,
           "It is to begin the process, so it stands in the process itself, and no flow leads to "
           "it in a process without start events, or one flow from a start event without trigger: "
           "draw it so, or remove `instantiate`.");
  }
  if (node.kind == NodeKind::receive_task && node.loop) {
    refuse(node, "A receive task that begins the process is not repeated: remove its loop.");
  }
  for (const auto index : node.outgoing) {
    const auto& flow = graph.flows[static_cast<std::size_t>(index)];
    const auto& target = graph.nodes[static_cast<std::size_t>(flow.target)];
    if (!is_gateway || !target.all_events) continue;
    refuse(target,
           "An event that waits for all of several events begins no process: give each event its "
           "own, behind a gateway that is parallel.");
  }
}

/// Several events in one (BPMN 10.5.5, multiple and parallel multiple).
void check_multiple(const Node& node, Place place, Report& report) {
  const auto refuse = [&](const std::string& message) {
    report.error(Code::event_not_allowed, node.place, node.id, message);
  };
  const bool throws = place == Place::throwing || place == Place::end;
  int endings = 0;
  for (const auto& event : node.events) {
    const bool ends = event.kind == error || event.kind == cancel || event.kind == terminate;
    if (throws && ends) ++endings;
    const bool alone =
        event.kind == link || (!throws && (event.kind == compensation || event.kind == cancel));
    if (alone) {
      return refuse("A " + std::string(name_of(event.kind)) +
                    " cannot be one of several events: give it an event of its own.");
    }
    const bool comes_by_itself = std::ranges::find(kCatchable, event.kind) != kCatchable.end();
    if (node.all_events && !comes_by_itself) {
      return refuse("The event waits for all of its events, and nothing can wait for an " +
                    std::string(name_of(event.kind)) + ": give it an event of its own.");
    }
  }
  if (endings > 1 || (endings == 1 && node.has(compensation))) {
    return refuse(
        "Only one of these events can end what is around it, and none beside a "
        "compensation: throw them one after the other.");
  }
  if (node.all_events && place == Place::process_start) {
    refuse(
        "An event that waits for all of several events begins no process: begin with a parallel "
        "event-based gateway that instantiates, or give each event its own.");
  }
}

} // namespace

bool is_allowed(EventPlace place, EventKind kind) {
  switch (place) {
    case EventPlace::process_start: return std::ranges::find(kCatchable, kind) != kCatchable.end();
    case EventPlace::non_interrupting_boundary:
    case EventPlace::non_interrupting_start:
      return std::ranges::find(kCatchable, kind) != kCatchable.end() || kind == escalation;
    case EventPlace::event_sub_process_start:
    case EventPlace::boundary:
      return std::ranges::find(kCatchable, kind) != kCatchable.end() || kind == escalation ||
             kind == error || kind == compensation ||
             (kind == cancel && place == EventPlace::boundary);
    case EventPlace::catching:
      return std::ranges::find(kCatchable, kind) != kCatchable.end() || kind == link;
    case EventPlace::throwing:
      return kind == message || kind == signal || kind == escalation || kind == link ||
             kind == compensation;
    case EventPlace::end:
      return kind == message || kind == signal || kind == escalation || kind == error ||
             kind == terminate || kind == compensation || kind == cancel;
  }
  return false;
}

std::string_view name_of_place(EventPlace place) {
  switch (place) {
    case EventPlace::process_start: return "start event of a process";
    case EventPlace::event_sub_process_start: return "start event of an event sub-process";
    case EventPlace::non_interrupting_start:
      return "non-interrupting start event of an event sub-process";
    case EventPlace::catching: return "intermediate catch event";
    case EventPlace::boundary: return "boundary event";
    case EventPlace::non_interrupting_boundary: return "non-interrupting boundary event";
    case EventPlace::throwing: return "intermediate throw event";
    case EventPlace::end: return "end event";
  }
  return "event";
}

bool may_interrupt_or_not(EventKind kind) { return kind != compensation && kind != error; }

void check_events(const Graph& graph, const Node& node, Report& report) {
  check_undoing(graph, node, report);
  if (node.kind == NodeKind::event_based_gateway) check_event_gateway(graph, node, report);
  check_instantiating(graph, node, report);
  if (node.kind == NodeKind::event_sub_process &&
      !(node.incoming.empty() && node.outgoing.empty())) {
    report.error(Code::bad_event_sub_process, node.place, node.id,
                 "An event begins the event sub-process and no flow: remove the flows that lead to "
                 "or from it.");
  }
  if (node.kind == NodeKind::boundary_event && !node.incoming.empty()) {
    const auto& flow = graph.flows[static_cast<std::size_t>(node.incoming.front())];
    report.error(Code::flow_into_start_event, flow.place, flow.id,
                 "The flow leads into the boundary event " + in_quotes(node.id) +
                     ": lead it to the element after the event.");
  }
  if (!is_event(node.kind)) {
    for (const auto& event : node.events)
      check_spec(node, event, report);
    return;
  }
  const auto place = place_of(graph, node);
  const bool must_catch =
      node.kind == NodeKind::catch_event || node.kind == NodeKind::boundary_event;
  if (must_catch && node.events.empty()) {
    report.error(Code::event_not_allowed, node.place, node.id,
                 "The " + std::string(name_of_place(place)) +
                     " waits for nothing: add an event definition.");
  }
  if (node.events.size() > 1) check_multiple(node, place, report);
  for (const auto& event : node.events) {
    if (is_allowed(place, event.kind)) {
      check_spec(node, event, report);
      continue;
    }
    report.error(Code::event_not_allowed, node.place, node.id,
                 "A " + std::string(name_of(event.kind)) + " cannot stand in the " +
                     std::string(name_of_place(place)) + ": use another event or place.");
  }
}

} // namespace perdure::definition
