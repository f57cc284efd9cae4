// What a migration does: live rows whose element or flow has another id in the new version. What
// has ended keeps the id that it had; so do steps, whose names are for good.
#include <string>

#include "base/check.h"
#include "facts/appliers.h"

namespace perdure::facts {

namespace {

/// The id that it has from now on; nullptr where it keeps its own.
const std::string* renamed(const Object& mapping, const std::string& id) {
  const auto* value = mapping.find(id);
  return value ? value->as<std::string>() : nullptr;
}

/// Changes the element of the rows that are live.
template <class Row, class Live>
void rename(Table<Row>& table, const Object& mapping, const Live& live) {
  for (const auto& slot : table.slots()) {
    if (!live(slot.row)) continue;
    if (const auto* id = renamed(mapping, slot.row.node_id)) {
      table.update(row_key(slot.row)).node_id = *id;
    }
  }
}

void rename_tokens(InstanceState& state, const Object& mapping) {
  for (const auto& slot : state.tokens.slots()) {
    if (is_terminal(slot.row.state)) continue;
    const auto* node_id = renamed(mapping, slot.row.node_id);
    const auto* flow_id = slot.row.flow_id ? renamed(mapping, *slot.row.flow_id) : nullptr;
    if (!node_id && !flow_id) continue;
    auto& token = state.tokens.update(slot.row.id);
    ++token.version;
    if (node_id) token.node_id = *node_id;
    if (flow_id) token.flow_id = *flow_id;
  }
}

bool is_live(const CompensationRecord& row) {
  return row.status == CompensationStatus::pending || row.status == CompensationStatus::running;
}

void rename_handlers(InstanceState& state, const Object& mapping) {
  for (const auto& slot : state.compensations.slots()) {
    if (!is_live(slot.row) || !slot.row.handler_id) continue;
    if (const auto* id = renamed(mapping, *slot.row.handler_id)) {
      state.compensations.update(slot.row.id).handler_id = *id;
    }
  }
}

} // namespace

void apply_fact(InstanceState& state, Instant at, const InstanceMigrated& fact) {
  const auto* mapping = fact.mapping.as<Object>();
  PERDURE_CHECK(mapping && state.instance.definition_id == fact.from_definition_id);
  PERDURE_CHECK(fact.definition_id != fact.from_definition_id);
  state.instance.definition_id = fact.definition_id;
  state.migrations.insert({.id = fact.migration_id,
                           .instance_id = state.instance.id,
                           .sequence = state.instance.last_sequence + 1,
                           .from_definition_id = fact.from_definition_id,
                           .to_definition_id = fact.definition_id,
                           .mapping = fact.mapping,
                           .migrated_at = at});
  rename_tokens(state, *mapping);
  rename(state.scopes, *mapping, [](const Scope& row) {
    return row.state == ScopeState::open && row.kind != ScopeKind::process;
  });
  rename(state.external_tasks, *mapping, [](const ExternalTask& row) {
    return row.state != TaskState::completed && row.state != TaskState::cancelled;
  });
  rename(state.user_tasks, *mapping,
         [](const UserTask& row) { return row.state == UserTaskState::open; });
  rename(state.timers, *mapping,
         [](const Timer& row) { return row.status == TimerStatus::scheduled; });
  rename(state.subscriptions, *mapping,
         [](const EventSubscription& row) { return row.state == SubscriptionState::open; });
  rename(state.incidents, *mapping,
         [](const Incident& row) { return row.state == IncidentState::open; });
  rename(state.compensations, *mapping, is_live);
  rename_handlers(state, *mapping);
}

} // namespace perdure::facts
