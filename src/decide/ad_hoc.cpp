#include "decide/ad_hoc.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "decide/arming.h"
#include "decide/evaluate.h"
#include "decide/events.h"
#include "decide/incidents.h"
#include "decide/scopes.h"

namespace perdure::decide {

using definition::Node;

namespace {

using Ids = std::vector<std::string>;

const Node& owner_of(const Draft& draft, const facts::Scope& scope) {
  return draft.definition().node(draft.definition().find_node(scope.node_id));
}

bool can_begin(const Draft& draft, const Node& owner, std::string_view id) {
  const auto index = draft.definition().find_node(id);
  const auto& starts = draft.definition().scope(owner.inner_scope).starts;
  return index != definition::kNone && std::ranges::find(starts, index) != starts.end();
}

/// What is wrong with a choice; empty when nothing is.
std::string fault_of(const Draft& draft, const Node& owner, const Ids& ids) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!can_begin(draft, owner, ids[i])) {
      return "`" + owner.id + "` has no activity `" + ids[i].substr(0, 60) +
             "` that nothing leads to";
    }
    if (std::find(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(i), ids[i]) !=
        ids.begin() + static_cast<std::ptrdiff_t>(i)) {
      return "`" + ids[i] + "` is named twice";
    }
  }
  return {};
}

Trouble bad_choice(const Node& owner, const std::string& reason) {
  Trouble trouble;
  trouble.message = "The activities that begin with `" + owner.id + "` cannot be told (" + reason +
                    "): correct the variables or the model, then retry.";
  trouble.details.append("expression", owner.ad_hoc->first->text());
  trouble.details.append("reason", reason + ".");
  return trouble;
}

Outcome<Ids> first_activities(const Draft& draft, const Visit& visit) {
  Ids ids;
  if (!visit.node.ad_hoc->first) return ids;
  auto value = evaluate_value(draft, visit, *visit.node.ad_hoc->first, "list of activities");
  if (!value) return std::unexpected(std::move(value.error()));
  const auto* list = value->as<Array>();
  if (!list || !std::ranges::all_of(*list, &Value::is_string)) {
    return std::unexpected(bad_choice(visit.node, "the expression gave no list of strings"));
  }
  for (const auto& item : *list)
    ids.push_back(*item.as<std::string>());
  const auto fault = fault_of(draft, visit.node, ids);
  if (!fault.empty()) return std::unexpected(bad_choice(visit.node, fault));
  return ids;
}

void begin(Draft& draft, Key scope_id, const std::string& node_id) {
  const auto token_id = draft.take_key();
  draft.emit(facts::TokenPlaced{.token_id = token_id,
                                .scope_id = scope_id,
                                .node_id = node_id,
                                .flow_id = {},
                                .parent_id = {}});
  draft.make_ready(token_id);
}

Array queue_of(const facts::Scope& scope) {
  const auto* queue = scope.variables.as<Object>()->find(kQueueVariable);
  const auto* list = queue ? queue->as<Array>() : nullptr;
  return list ? *list : Array{};
}

/// An event sub-process has interrupted it: nothing more begins.
bool is_interrupted(const facts::Scope& scope) {
  const auto* queue = scope.variables.as<Object>()->find(kQueueVariable);
  return queue && queue->is_null();
}

bool is_idle(const facts::InstanceState& state, Key scope_id) {
  return std::ranges::all_of(state.tokens.of(facts::Link::scope, scope_id),
                             [](const auto& token) { return is_terminal(token.state); });
}

/// Begins what was chosen, or lets it wait for its turn.
void choose(Draft& draft, Key scope_id, const Ids& ids) {
  const auto& scope = *draft.state().scopes.find(scope_id);
  if (!owner_of(draft, scope).ad_hoc->sequential) {
    for (const auto& id : ids)
      begin(draft, scope_id, id);
    return;
  }
  auto queue = queue_of(scope);
  const bool idle = is_idle(draft.state(), scope_id);
  for (const auto& id : ids) {
    if (!idle || id != ids.front()) queue.emplace_back(id);
  }
  if (!queue.empty()) {
    draft.emit(
        facts::VariablesSet{.scope_id = scope_id,
                            .variables = Object{{std::string(kQueueVariable), std::move(queue)}}});
  }
  if (idle) begin(draft, scope_id, ids.front());
}

/// What was named begins, or somebody is to choose.
void begin_with(Draft& draft, const Visit& visit, Key scope_id, const Ids& ids) {
  if (!ids.empty()) return choose(draft, scope_id, ids);
  // With nothing to choose from, or nobody who is to choose, it is over.
  const bool is_empty = draft.definition().scope(visit.node.inner_scope).starts.empty();
  if (is_empty || visit.node.ad_hoc->first) complete_scope_if_empty(draft, scope_id);
}

bool holds(const Draft& draft, Key scope_id, const definition::AdHocSpec& spec) {
  return spec.completion && evaluate_holds(draft, scope_id, *spec.completion);
}

} // namespace

void enter_ad_hoc_sub_process(Draft& draft, const Visit& visit) {
  auto ids = first_activities(draft, visit);
  if (!ids) return open_incident(draft, visit, std::move(ids.error()));
  const auto scope_id = draft.take_key();
  draft.emit(facts::ScopeOpened{.scope_id = scope_id,
                                .parent_id = variables_of(draft.state(), visit.token_id),
                                .token_id = visit.token_id,
                                .node_id = visit.node.id,
                                .kind = facts::ScopeKind::ad_hoc,
                                .loop_index = {},
                                .variables = with_initial(draft, visit.node.inner_scope, {})});
  if (arm_scope(draft, scope_id, visit.node.inner_scope, visit.token_id)) {
    begin_with(draft, visit, scope_id, *ids);
  }
}

void begin_ad_hoc(Draft& draft, const Visit& visit) {
  const auto scope_id = scope_opened_by(draft.state(), visit.token_id);
  auto ids = first_activities(draft, visit);
  if (!ids) {
    ids.error().details.append(std::string(kArmingMember), key_text(scope_id));
    return open_incident(draft, visit, std::move(ids.error()));
  }
  if (arm_scope(draft, scope_id, visit.node.inner_scope, visit.token_id)) {
    begin_with(draft, visit, scope_id, *ids);
  }
}

void close_choice(Draft& draft, Key scope_id) {
  if (draft.state().scopes.find(scope_id)->kind != facts::ScopeKind::ad_hoc) return;
  draft.emit(facts::VariablesSet{.scope_id = scope_id,
                                 .variables = Object{{std::string(kQueueVariable), nullptr}}});
}

bool ends_ad_hoc(Draft& draft, const Visit& visit) {
  const auto& scope = *draft.state().scopes.find(visit.scope_id);
  if (scope.kind != facts::ScopeKind::ad_hoc || !is_activity(visit.node.kind)) return false;
  const auto& spec = *owner_of(draft, scope).ad_hoc;
  if (is_interrupted(scope) || !spec.cancels_rest || !holds(draft, visit.scope_id, spec))
    return false;
  resolve_incidents_of(draft, visit.token_id);
  terminate_inside(draft, visit.scope_id, visit.token_id);
  draft.emit(facts::TokenCompleted{.token_id = visit.token_id});
  complete_scope_if_empty(draft, visit.scope_id);
  return true;
}

bool keeps_ad_hoc_open(Draft& draft, Key scope_id) {
  const auto& scope = *draft.state().scopes.find(scope_id);
  if (scope.kind != facts::ScopeKind::ad_hoc || is_interrupted(scope)) return false;
  const auto& owner = owner_of(draft, scope);
  const bool is_empty = draft.definition().scope(owner.inner_scope).starts.empty();
  if (is_empty || holds(draft, scope_id, *owner.ad_hoc)) return false;
  auto queue = queue_of(scope);
  if (queue.empty()) return owner.ad_hoc->completion.has_value();
  const auto next = *queue.front().as<std::string>();
  queue.erase(queue.begin());
  draft.emit(facts::VariablesSet{
      .scope_id = scope_id, .variables = Object{{std::string(kQueueVariable), std::move(queue)}}});
  begin(draft, scope_id, next);
  return true;
}

MaybeRefusal decide_event(Draft& draft, const facts::ActivitiesChosen& event) {
  const auto* scope = draft.state().scopes.find(event.scope_id);
  if (!scope || scope->state != facts::ScopeState::open ||
      scope->kind != facts::ScopeKind::ad_hoc) {
    return refuse(facts::RefusalCode::not_found,
                  "This instance has no such ad hoc sub-process, or it is over: look at the "
                  "instance again.");
  }
  if (is_interrupted(*scope)) {
    return refuse(
        facts::RefusalCode::token_invalid_transition,
        "An event has interrupted this ad hoc sub-process: nothing more can begin in it.");
  }
  const auto variables = event.variables.value_or(Object{});
  if (auto refusal = check_variables(variables)) return refusal;
  if (event.node_ids.empty()) {
    return refuse(facts::RefusalCode::token_invalid_transition,
                  "No activity is named: name at least one to begin.");
  }
  const auto fault = fault_of(draft, owner_of(draft, *scope), event.node_ids);
  if (!fault.empty()) {
    return refuse(facts::RefusalCode::token_invalid_transition,
                  "These activities cannot begin: " + fault + ".");
  }
  if (const auto* members = variables.as<Object>(); members && !members->empty()) {
    draft.emit(facts::VariablesSet{.scope_id = event.scope_id, .variables = *members});
  }
  choose(draft, event.scope_id, event.node_ids);
  return accepted();
}

} // namespace perdure::decide
