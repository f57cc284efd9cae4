#include "definition/listener_rules.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/enum_text.h"

namespace perdure::definition {

namespace {

/// Ends its token, or moves it elsewhere, before it could be left.
bool is_never_left(const Node& node) {
  if (node.kind == NodeKind::throw_event) return node.has(EventKind::link);
  return node.kind == NodeKind::end_event &&
         (node.has(EventKind::error) || node.has(EventKind::cancel));
}

/// Why the node cannot have a listener of that phase, and what to do; empty: it can.
std::string_view fault_of(const Node& node, ListenerPhase phase) {
  if (node.kind == NodeKind::complex_gateway) {
    return "a complex gateway has no listener: put it on the element behind";
  }
  if (node.kind == NodeKind::boundary_event && node.has(EventKind::compensation)) {
    return "a boundary event for compensation never happens: put it on what undoes the activity";
  }
  switch (phase) {
    case ListenerPhase::before_all:
      if (!node.loop) return "the activity is not repeated: make it a listener at its start";
      return "";
    case ListenerPhase::start:
      if (node.kind == NodeKind::start_event) {
        return "a start event has begun already: put it on the process or sub-process";
      }
      if (node.kind == NodeKind::boundary_event) {
        return "a boundary event waits with its activity: put it on the activity, or at the end";
      }
      return "";
    case ListenerPhase::creating:
    case ListenerPhase::assigning:
    case ListenerPhase::completing:
      if (node.kind == NodeKind::user_task) return "";
      return "it is no user task: make it an execution listener";
    case ListenerPhase::end:
      if (is_gateway(node.kind)) {
        return "a gateway is left at once: put it at the start of the element behind";
      }
      if (is_never_left(node)) {
        return "the event ends its token or takes it elsewhere: put it on what catches the event";
      }
      return "";
  }
  return "";
}

} // namespace

void add_listener(std::vector<ListenerSpec>& listeners, ListenerSpec listener) {
  const auto behind = std::ranges::upper_bound(listeners, listener.phase, {}, &ListenerSpec::phase);
  listeners.insert(behind, std::move(listener));
}

void check_listeners(const Node& node, Report& report) {
  for (const auto& listener : node.listeners) {
    const auto fault = fault_of(node, listener.phase);
    if (fault.empty()) continue;
    report.error(Code::bad_listener, node.place, node.id,
                 "The listener " + in_quotes(listener.worker.type.text) + " at " +
                     in_quotes(name_of(listener.phase)) + " would never run, since " +
                     std::string(fault) + ".");
  }
}

} // namespace perdure::definition
