#include "decide/elements.h"

#include <utility>

#include "base/check.h"
#include "decide/ad_hoc.h"
#include "decide/arming.h"
#include "decide/compensation.h"
#include "decide/data.h"
#include "decide/incidents.h"
#include "decide/joins.h"
#include "decide/listeners.h"
#include "decide/loops.h"
#include "decide/scopes.h"

namespace perdure::decide {

namespace {

using definition::NodeKind;

/// A switch and not an array: a kind that is missing here does not compile.
constexpr Element describe(NodeKind kind) {
  switch (kind) {
    case NodeKind::start_event: return {enter_start_event, leave_by_all};
    case NodeKind::end_event: return {enter_end_event, leave_by_all};
    case NodeKind::catch_event: return {enter_catch_event, leave_by_all};
    case NodeKind::throw_event: return {enter_throw_event, leave_by_all};
    case NodeKind::boundary_event: return {enter_boundary_event, leave_by_all};
    case NodeKind::service_task: return {enter_service_task, leave_by_each};
    case NodeKind::send_task: return {enter_send_task, leave_by_each};
    case NodeKind::receive_task: return {enter_receive_task, leave_by_each};
    case NodeKind::user_task: return {enter_user_task, leave_by_each};
    case NodeKind::manual_task: return {enter_manual_task, leave_by_each};
    case NodeKind::script_task: return {enter_script_task, leave_by_each};
    case NodeKind::business_rule_task: return {enter_business_rule_task, leave_by_each};
    case NodeKind::undefined_task: return {enter_undefined_task, leave_by_each};
    case NodeKind::exclusive_gateway: return {enter_exclusive_gateway, leave_by_first};
    case NodeKind::inclusive_gateway: return {enter_inclusive_gateway, leave_by_each};
    case NodeKind::parallel_gateway: return {enter_parallel_gateway, leave_by_all};
    case NodeKind::complex_gateway: return {enter_complex_gateway, leave_by_each};
    case NodeKind::event_based_gateway: return {enter_event_based_gateway, leave_by_all};
    case NodeKind::call_activity: return {enter_call_activity, leave_by_each};
    case NodeKind::sub_process: return {enter_sub_process, leave_by_each};
    case NodeKind::transaction: return {enter_sub_process, leave_by_each};
    case NodeKind::ad_hoc_sub_process: return {enter_ad_hoc_sub_process, leave_by_each};
    case NodeKind::event_sub_process: return {enter_event_sub_process, leave_by_all};
    case NodeKind::process: return {enter_process, leave_process};
  }
  return {};
}

constexpr auto kElements = [] {
  constexpr auto count = enum_names(NodeKind{}).size();
  std::array<Element, count> elements{};
  for (std::size_t i = 0; i < count; ++i)
    elements[i] = describe(static_cast<NodeKind>(i));
  return elements;
}();

static_assert([] {
  for (const auto& element : kElements) {
    if (element.enter == nullptr || element.leave == nullptr) return false;
  }
  return true;
}());

} // namespace

const Element& element_of(NodeKind kind) { return kElements[static_cast<std::size_t>(kind)]; }

void enter(Draft& draft, const Visit& visit) {
  const bool inside = visit.node.loop && is_in_iteration(draft.state(), visit);
  if (visit.node.loop && !inside) {
    if (listen(draft, visit, definition::ListenerPhase::before_all)) enter_loop(draft, visit);
    return;
  }
  // What tokens gather at has its turn when the gathering has fired.
  if (gathers(visit.node)) return element_of(visit.node.kind).enter(draft, visit);
  if (!has_listened(draft.state(), visit.token_id) && !open_data(draft, visit)) return;
  if (!listen_before_work(draft, visit)) return;
  // What an iteration has around it was armed for all of them.
  if (!inside && !visit.node.boundaries.empty() && !arm_boundaries(draft, visit)) return;
  element_of(visit.node.kind).enter(draft, visit);
}

void leave(Draft& draft, const Visit& visit) {
  if (!listen_after_work(draft, visit)) return;
  if (is_undoing(draft.state(), visit.token_id)) {
    // What undoes an activity has outputs of its own; a sub-process that is undone has had its.
    if (visit.node.for_compensation) return go_out(draft, visit);
    resolve_incidents_of(draft, visit.token_id);
    return finish_undoing(draft, visit);
  }
  // Of a repeated activity each run is recorded, by its own token.
  const bool is_run = !visit.node.loop || is_in_iteration(draft.state(), visit);
  if (is_run && !visit.node.boundaries.empty()) {
    record_success(draft, visit.scope_id, visit.node);
  }
  if (!ends_ad_hoc(draft, visit)) go_out(draft, visit);
}

void go_out(Draft& draft, const Visit& visit) {
  resolve_incidents_of(draft, visit.token_id);
  auto outputs =
      has_set_outputs(draft, visit) ? Outcome<Object>(Object()) : evaluate_outputs(draft, visit);
  if (!outputs) {
    open_incident(draft, visit, std::move(outputs.error()));
  } else if (visit.node.loop && is_in_iteration(draft.state(), visit)) {
    return leave_iteration(draft, visit, *outputs);
  } else {
    // The conditions of a gateway see what its listeners gave.
    if (!is_gateway(visit.node.kind)) close_data(draft, visit);
    set_variables(draft, visit.scope_id, *outputs);
    if (is_undoing(draft.state(), visit.token_id)) return finish_undoing(draft, visit);
    element_of(visit.node.kind).leave(draft, visit);
  }
  if (visit.node.boundaries.empty()) return;
  // The work is done: even while an incident keeps the token here, nothing interrupts it any more.
  const auto* token = draft.state().tokens.find(visit.token_id);
  if (token->state == facts::TokenState::waiting && token->node_id == visit.node.id) {
    disarm_token(draft, visit.token_id);
  }
}

} // namespace perdure::decide
