#include "decide/leaving.h"

#include <vector>

#include "decide/data.h"
#include "decide/elements.h"
#include "decide/incidents.h"
#include "decide/scopes.h"

namespace perdure::decide {

using definition::FlowIndex;
using definition::kNone;

void take_flows(Draft& draft, const Visit& visit, std::span<const FlowIndex> flows) {
  close_data(draft, visit);
  if (flows.empty()) {
    end_token(draft, visit);
    return;
  }
  if (flows.size() == 1) {
    const auto& flow = draft.definition().flow(flows.front());
    draft.emit(facts::TokenMoved{.token_id = visit.token_id,
                                 .flow_id = flow.id,
                                 .node_id = draft.definition().node(flow.target).id});
    draft.make_ready(visit.token_id);
    return;
  }
  draft.emit(facts::TokenCompleted{.token_id = visit.token_id});
  place_on_flows(draft, visit.scope_id, visit.token_id, flows);
}

void place_on_flows(Draft& draft, Key scope_id, std::optional<Key> parent_id,
                    std::span<const FlowIndex> flows) {
  for (const auto index : flows) {
    const auto& flow = draft.definition().flow(index);
    const auto token_id = draft.take_key();
    draft.emit(facts::TokenPlaced{.token_id = token_id,
                                  .scope_id = scope_id,
                                  .node_id = draft.definition().node(flow.target).id,
                                  .flow_id = flow.id,
                                  .parent_id = parent_id});
    draft.make_ready(token_id);
  }
}

void end_token(Draft& draft, const Visit& visit) {
  draft.emit(facts::TokenCompleted{.token_id = visit.token_id});
  complete_scope_if_empty(draft, visit.scope_id);
}

Trouble no_way_out(const definition::Node& node) {
  Trouble trouble;
  trouble.kind = facts::IncidentKind::no_outgoing_flow;
  trouble.message = "No condition of the flows out of `" + node.id +
                    "` holds and there is no default flow: correct the variables, then retry, or "
                    "add a default flow to the model.";
  return trouble;
}

namespace {

void report_no_flow(Draft& draft, const Visit& visit) {
  auto trouble = no_way_out(visit.node);
  Array conditions;
  Object values;
  for (const auto index : visit.node.outgoing) {
    const auto& flow = draft.definition().flow(index);
    if (!flow.condition) continue;
    conditions.push_back(
        explain_condition(draft, variables_of(draft.state(), visit.token_id), flow, values));
  }
  trouble.details.append("conditions", std::move(conditions));
  trouble.details.append("values", std::move(values));
  open_incident(draft, visit, std::move(trouble));
}

} // namespace

void leave_by_all(Draft& draft, const Visit& visit) {
  take_flows(draft, visit, visit.node.outgoing);
}

void leave_by_first(Draft& draft, const Visit& visit) {
  const auto scope_id = variables_of(draft.state(), visit.token_id);
  for (const auto& index : visit.node.outgoing) {
    if (index == visit.node.default_flow) continue;
    const auto& flow = draft.definition().flow(index);
    if (flow.condition) {
      auto holds = evaluate_condition(draft, scope_id, flow);
      if (!holds) return open_incident(draft, visit, std::move(holds.error()));
      if (!*holds) continue;
    }
    return take_flows(draft, visit, std::span(&index, 1));
  }
  const auto fallback = visit.node.default_flow;
  if (fallback != kNone) return take_flows(draft, visit, std::span(&fallback, 1));
  if (visit.node.outgoing.empty()) return take_flows(draft, visit, {});
  report_no_flow(draft, visit);
}

void leave_by_each(Draft& draft, const Visit& visit) {
  std::vector<FlowIndex> taken;
  taken.reserve(visit.node.outgoing.size());
  const auto scope_id = variables_of(draft.state(), visit.token_id);
  bool any_condition_holds = false;
  for (const auto index : visit.node.outgoing) {
    if (index == visit.node.default_flow) continue;
    const auto& flow = draft.definition().flow(index);
    if (flow.condition) {
      auto holds = evaluate_condition(draft, scope_id, flow);
      if (!holds) return open_incident(draft, visit, std::move(holds.error()));
      if (!*holds) continue;
      any_condition_holds = true;
    }
    taken.push_back(index);
  }
  if (visit.node.default_flow != kNone && !any_condition_holds) {
    taken.push_back(visit.node.default_flow);
  }
  if (taken.empty() && !visit.node.outgoing.empty()) return report_no_flow(draft, visit);
  take_flows(draft, visit, taken);
}

} // namespace perdure::decide
