#include "decide/start_triggers.h"

#include <utility>

#include "decide/evaluate.h"
#include "decide/schedule.h"
#include "decide/scopes.h"

namespace perdure::decide {

using definition::EventKind;
using definition::EventSpec;
using definition::Node;

namespace {

constexpr Key kOnlyScope = 1;

/// A state in which expressions can be evaluated, with these variables.
facts::InstanceState state_with(Object variables) {
  facts::InstanceState state;
  facts::Scope scope{.instance_id = kOnlyScope, .id = kOnlyScope};
  scope.variables = std::move(variables);
  state.scopes.load(std::move(scope));
  return state;
}

std::optional<facts::StartKind> kind_of(EventKind kind) {
  switch (kind) {
    case EventKind::message: return facts::StartKind::message;
    case EventKind::signal: return facts::StartKind::signal;
    case EventKind::timer: return facts::StartKind::timer;
    case EventKind::conditional: return facts::StartKind::conditional;
    case EventKind::error:
    case EventKind::escalation:
    case EventKind::compensation:
    case EventKind::link:
    case EventKind::cancel:
    case EventKind::terminate: break;
  }
  return std::nullopt;
}

definition::Diagnostic diagnostic_of(const Node& node, const Trouble& trouble) {
  return {
      .code = trouble.kind == facts::IncidentKind::bad_timer ? "bad_timer" : "missing_event_name",
      .message = "The start event cannot be told before an instance is there: " + trouble.message,
      .element_id = node.id,
      .line = node.place.line,
      .column = node.place.column,
      .file = {}};
}

Outcome<facts::DefinitionSubscription> row_of(const Draft& draft, const Node& node,
                                              const EventSpec& event, facts::StartKind kind) {
  const Visit visit{kNoKey, kOnlyScope, node};
  facts::DefinitionSubscription row{.process_id = draft.definition().process_id(),
                                    .node_id = node.id,
                                    .kind = kind,
                                    .opened_at = draft.at()};
  if (kind == facts::StartKind::timer) {
    auto due = evaluate_timer(draft, visit, *event.timer);
    if (!due) return std::unexpected(std::move(due.error()));
    row.due_at = due->at;
    row.cycle = std::move(due->cycle);
    return row;
  }
  if (kind == facts::StartKind::conditional) return row;
  auto name = evaluate_name(draft, visit, event);
  if (!name) return std::unexpected(std::move(name.error()));
  row.name = *std::move(name);
  return row;
}

} // namespace

StartTriggers start_triggers(const definition::Definition& definition, Instant at) {
  auto state = state_with({});
  const Policy policy;
  const Draft draft(definition, state, at, KeyRange{}, policy, nullptr);
  StartTriggers triggers;
  for (const auto index : definition.scope(definition::kRootScope).event_starts) {
    const auto& node = definition.node(index);
    for (std::size_t i = 0; i < node.events.size(); ++i) {
      const auto kind = kind_of(node.events[i].kind);
      if (!kind) continue;
      auto row = row_of(draft, node, node.events[i], *kind);
      if (!row) {
        triggers.errors.push_back(diagnostic_of(node, row.error()));
        continue;
      }
      row->position = static_cast<std::int64_t>(i);
      triggers.rows.push_back(*std::move(row));
    }
  }
  return triggers;
}

bool begins(const definition::Definition& definition, const facts::DefinitionSubscription& start,
            const Object& variables, Instant at) {
  const auto index = definition.find_node(start.node_id);
  if (index == definition::kNone) return false;
  const auto& events = definition.node(index).events;
  const auto position = static_cast<std::size_t>(start.position);
  if (position >= events.size() || !events[position].condition) return false;
  auto state = state_with({});
  const Policy policy;
  const Draft draft(definition, state, at, KeyRange{}, policy, nullptr);
  const auto given = with_initial(draft, definition::kRootScope, variables);
  return evaluate_holds(draft, kOnlyScope, *events[position].condition, &given);
}

std::optional<NextStart> next_start(const facts::DefinitionSubscription& start, Instant was_due_at,
                                    Instant now) {
  if (!start.cycle) return std::nullopt;
  return start_after(*start.cycle, start.opened_at,
                     {.number = start.occurrence, .due_at = was_due_at}, now);
}

} // namespace perdure::decide
