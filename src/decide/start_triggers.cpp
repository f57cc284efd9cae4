#include "decide/start_triggers.h"

#include <utility>

#include "decide/evaluate.h"

namespace perdure::decide {

using definition::EventKind;
using definition::EventSpec;
using definition::Node;

namespace {

constexpr Key kNoVariablesScope = 1;

/// A state in which expressions can be evaluated, and no variable is there.
facts::InstanceState state_without_variables() {
  facts::InstanceState state;
  facts::Scope scope{.instance_id = kNoVariablesScope, .id = kNoVariablesScope};
  scope.variables = Object{};
  state.scopes.load(std::move(scope));
  return state;
}

std::optional<facts::StartKind> kind_of(EventKind kind) {
  switch (kind) {
    case EventKind::message: return facts::StartKind::message;
    case EventKind::signal: return facts::StartKind::signal;
    case EventKind::timer: return facts::StartKind::timer;
    case EventKind::error:
    case EventKind::escalation:
    case EventKind::conditional:
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
  const Visit visit{kNoKey, kNoVariablesScope, node};
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
  auto name = evaluate_name(draft, visit, event);
  if (!name) return std::unexpected(std::move(name.error()));
  row.name = *std::move(name);
  return row;
}

} // namespace

StartTriggers start_triggers(const definition::Definition& definition, Instant at) {
  auto state = state_without_variables();
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

} // namespace perdure::decide
