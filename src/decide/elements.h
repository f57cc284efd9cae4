// The element table: what each kind of node does with a token. This is the one place that lists
// them; how to add an element is in CONTRIBUTING.md.
//
//   enter  a token that stood ready before the node comes in: it rests on a row, passes or ends.
//   leave  the work of the node is done: the token takes the flows that go out.
//
// What an event throws or catches is looked up in throwing.cpp and catching.cpp. What wakes or
// removes a resting token goes by its row (task, timer, subscription, scope, join), not by the kind
// of node: see tasks.cpp, catching.cpp and terminate_inside.
#pragma once

#include "decide/draft.h"
#include "definition/node_kind.h"

namespace perdure::decide {

struct Element {
  void (*enter)(Draft& draft, const Visit& visit);
  void (*leave)(Draft& draft, const Visit& visit);
};

/// The behaviour of that kind of node.
[[nodiscard]] const Element& element_of(definition::NodeKind kind);

/// Lets a token into its node, or on into it when a listener is done. Inputs come first, then
/// listeners, then the boundary events of an activity are armed. A repeated activity opens its
/// iterations (loops.h).
void enter(Draft& draft, const Visit& visit);
/// The work of the node is done: after its listeners it is recorded where something can undo it,
/// and the token goes out.
void leave(Draft& draft, const Visit& visit);
/// Lets a token out of its node. Open incidents of the token are resolved with it. Either it takes
/// its flows or, when their conditions are at fault, rests on an incident and goes out later. A
/// token that undoes something ends instead.
void go_out(Draft& draft, const Visit& visit);

// event_elements.cpp
void enter_start_event(Draft& draft, const Visit& visit);
void enter_end_event(Draft& draft, const Visit& visit);
void enter_catch_event(Draft& draft, const Visit& visit);
void enter_throw_event(Draft& draft, const Visit& visit);
void enter_boundary_event(Draft& draft, const Visit& visit);
void enter_event_based_gateway(Draft& draft, const Visit& visit);

// activities.cpp
void enter_service_task(Draft& draft, const Visit& visit);
void enter_send_task(Draft& draft, const Visit& visit);
void enter_receive_task(Draft& draft, const Visit& visit);
void enter_user_task(Draft& draft, const Visit& visit);
void enter_script_task(Draft& draft, const Visit& visit);
void enter_manual_task(Draft& draft, const Visit& visit);
void enter_undefined_task(Draft& draft, const Visit& visit);

// calls.cpp
void enter_call_activity(Draft& draft, const Visit& visit);
// business_rules.cpp
void enter_business_rule_task(Draft& draft, const Visit& visit);

// gateways.cpp
void enter_exclusive_gateway(Draft& draft, const Visit& visit);
void enter_inclusive_gateway(Draft& draft, const Visit& visit);
void enter_parallel_gateway(Draft& draft, const Visit& visit);
void enter_complex_gateway(Draft& draft, const Visit& visit);

// scopes.cpp
void enter_sub_process(Draft& draft, const Visit& visit);
/// No flow leads to it: catching.cpp lets the token in.
void enter_event_sub_process(Draft& draft, const Visit& visit);

// process.cpp
/// Its listeners at the start are done: the process begins.
void enter_process(Draft& draft, const Visit& visit);
/// Those at the end are done: the instance is over.
void leave_process(Draft& draft, const Visit& visit);

// leaving.cpp
/// Every outgoing flow (events, parallel gateways).
void leave_by_all(Draft& draft, const Visit& visit);
/// The first flow whose condition holds, else the default (exclusive gateways).
void leave_by_first(Draft& draft, const Visit& visit);
/// Every flow without a condition or whose condition holds, else the default (activities, inclusive
/// gateways).
void leave_by_each(Draft& draft, const Visit& visit);

} // namespace perdure::decide
