// The life of the instance itself: start and go on; how it ends stands in calls.cpp.
#include <algorithm>
#include <expected>
#include <utility>

#include "base/check.h"
#include "decide/conditions.h"
#include "decide/evaluate.h"
#include "decide/events.h"
#include "decide/process.h"
#include "decide/scopes.h"

namespace perdure::decide {

MaybeRefusal check_variables(const Value& variables) {
  if (!variables.is_object() && !variables.is_null()) {
    return refuse(facts::RefusalCode::bad_variables,
                  "The variables are a " + std::string(variables.type_name()) +
                      ": send a JSON object with one member per variable.");
  }
  if (!fits(variables)) {
    return refuse(facts::RefusalCode::bad_variables,
                  "The variables are too large: send at most 16 MiB, nested at most 60 levels.");
  }
  return accepted();
}

namespace {

/// The start event of that id; kNone for an empty one, which stands for those without a trigger.
std::expected<definition::NodeIndex, facts::Refusal> start_of(
    const definition::Definition& definition, std::string_view node_id) {
  const auto& root = definition.scope(definition::kRootScope);
  const auto refused = [](std::string message) {
    return std::unexpected(facts::Refusal{facts::RefusalCode::not_found, std::move(message)});
  };
  if (node_id.empty()) {
    const auto alternatives = std::ranges::count_if(root.starts, [&](definition::NodeIndex start) {
      return definition.node(start).kind == definition::NodeKind::start_event;
    });
    // Each start event begins an instance of its own (BPMN 10.5.2).
    if (alternatives > 1) {
      return refused("This process has several start events: name the one that begins.");
    }
    if (!root.starts.empty()) return definition::kNone;
    return refused("This process begins by an event only: send the event that it waits for.");
  }
  const auto index = definition.find_node(node_id);
  for (const auto& starts : {root.starts, root.event_starts}) {
    if (index != definition::kNone && std::ranges::find(starts, index) != starts.end()) {
      return index;
    }
  }
  return refused("The process has no start event `" + std::string(node_id) +
                 "`: name one that it has, or none.");
}

} // namespace

MaybeRefusal decide_event(Draft& draft, const facts::StartRequested& event) {
  PERDURE_CHECK(draft.state().instance.id == kNoKey);
  if (auto refusal = check_variables(event.variables)) return refusal;
  const auto start = event.start_before.empty()
                         ? start_of(draft.definition(), event.start_node_id)
                         : std::expected<definition::NodeIndex, facts::Refusal>(definition::kNone);
  if (!start) return start.error();
  if (auto refusal = check_start_before(draft, event.start_before)) return refusal;
  const auto instance_id = event.instance_id == kNoKey ? draft.take_key() : event.instance_id;
  const auto root_scope_id = draft.take_key();
  draft.emit(facts::InstanceStarted{
      .instance_id = instance_id,
      .definition_id = event.definition_id,
      .tenant_id = event.tenant_id,
      .process_id = draft.definition().process_id(),
      .business_key = event.business_key,
      .unique_business_key = event.unique_business_key && event.business_key,
      .root_scope_id = root_scope_id,
      .input = with_initial(draft, definition::kRootScope,
                            event.variables.is_null() ? Object() : *event.variables.as<Object>()),
      .parent_instance_id = event.parent_instance_id,
      .parent_token_id = event.parent_token_id});
  if (!event.start_before.empty()) {
    start_before(draft, event.start_before);
  } else {
    begin_process(draft, *start);
  }
  return accepted();
}

MaybeRefusal decide_event(Draft& draft, const facts::Proceed&) {
  if (!draft.state().ready.empty()) return accepted();
  if (has_stale_condition(draft)) {
    draft.look_at_all_conditions();
    return accepted();
  }
  return refuse(facts::RefusalCode::token_invalid_transition,
                "No token is ready: every one rests on a row that will wake it.");
}

} // namespace perdure::decide
