// What readers see: rows as the queries for people and programs return them. Never used by
// decisions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/describe.h"
#include "base/key.h"
#include "base/time.h"
#include "facts/rows.h"
#include "perdure/value.h"

namespace perdure::facts {

enum class DefinitionState { active, retired };
constexpr auto enum_names(DefinitionState) {
  return std::array<std::string_view, 2>{"active", "retired"};
}

enum class DefinitionKind { bpmn, flow };
constexpr auto enum_names(DefinitionKind) {
  return std::array<std::string_view, 2>{"bpmn", "flow"};
}

/// One version of one process. Immutable but for `state`.
struct ProcessDefinition {
  Key id = kNoKey;
  std::string tenant_id;
  std::string process_id;
  std::int64_t version = 0;
  DefinitionKind kind = DefinitionKind::bpmn;
  DefinitionState state = DefinitionState::active;
  std::string name;
  std::optional<std::string> version_tag;
  std::optional<std::string> resource_name; ///< file name as deployed
  std::optional<std::string> source;        ///< the XML; bpmn only
  std::optional<std::string> digest;        ///< SHA-256 of source, hex; bpmn only
  Instant deployed_at{};
  std::optional<Key> deployment_id; ///< shared by what was deployed together; none: long ago
  friend bool operator==(const ProcessDefinition&, const ProcessDefinition&) = default;
};
PERDURE_DESCRIBE(ProcessDefinition, id, tenant_id, process_id, version, kind, state, name,
                 version_tag, resource_name, source, digest, deployed_at, deployment_id)

/// One version of one decision model. Immutable.
struct DecisionRequirements {
  Key id = kNoKey;
  std::string tenant_id;
  std::string model_id;
  std::int64_t version = 0;
  std::string name;
  std::string resource_name; ///< file name as deployed
  std::string source;        ///< the XML
  Value imports;             ///< a list: the files that it imports, as {file, source}
  std::string digest;        ///< SHA-256 over source and imports, hex
  Key deployment_id = kNoKey;
  Instant deployed_at{};
  friend bool operator==(const DecisionRequirements&, const DecisionRequirements&) = default;
};
PERDURE_DESCRIBE(DecisionRequirements, id, tenant_id, model_id, version, name, resource_name,
                 source, imports, digest, deployment_id, deployed_at)

enum class DecisionKind { decision, service };
constexpr auto enum_names(DecisionKind) {
  return std::array<std::string_view, 2>{"decision", "service"};
}

/// One version of one decision or decision service of a model. Immutable.
struct DecisionDefinition {
  Key id = kNoKey;
  std::string tenant_id;
  std::string decision_id;
  std::int64_t version = 0;
  DecisionKind kind = DecisionKind::decision;
  std::string name;
  std::optional<std::string> version_tag;
  Key requirements_id = kNoKey; ///< the model that it is part of
  Key deployment_id = kNoKey;
  Instant deployed_at{};
  friend bool operator==(const DecisionDefinition&, const DecisionDefinition&) = default;
};
PERDURE_DESCRIBE(DecisionDefinition, id, tenant_id, decision_id, version, kind, name, version_tag,
                 requirements_id, deployment_id, deployed_at)

/// A message that was received, until it expires; once claimed it stays as long, so that the same
/// message id is known again.
struct InboundEvent {
  Key id = kNoKey;
  std::string tenant_id;
  std::string name;
  std::optional<std::string> correlation_key;
  std::optional<std::string> message_id; ///< unique for (tenant, name)
  Value payload;                         ///< an object
  Instant received_at{};
  Instant expires_at{};
  std::optional<Key> claimed_by; ///< the subscription that took it, or the instance that it started
  std::optional<Instant> claimed_at;
  friend bool operator==(const InboundEvent&, const InboundEvent&) = default;
};
PERDURE_DESCRIBE(InboundEvent, id, tenant_id, name, correlation_key, message_id, payload,
                 received_at, expires_at, claimed_by, claimed_at)

enum class StartKind { message, signal, timer, conditional };
constexpr auto enum_names(StartKind) {
  return std::array<std::string_view, 4>{"message", "signal", "timer", "conditional"};
}

enum class StartState { open, closed };
constexpr auto enum_names(StartState) { return std::array<std::string_view, 2>{"open", "closed"}; }

/// What starts instances of a definition: a start event with a trigger.
struct DefinitionSubscription {
  Key id = kNoKey;
  Key definition_id = kNoKey;
  std::string tenant_id;
  std::string process_id;
  std::string node_id;
  std::int64_t position = 0; ///< of the event definition in its node
  StartKind kind = StartKind::message;
  std::optional<std::string> name;  ///< of message or signal
  std::optional<std::string> cycle; ///< of a timer that repeats
  std::optional<Instant> due_at;    ///< of a timer
  std::int64_t occurrence = 1;
  StartState state = StartState::open;
  Instant opened_at{};
  std::optional<Instant> closed_at;
  friend bool operator==(const DefinitionSubscription&, const DefinitionSubscription&) = default;
};
PERDURE_DESCRIBE(DefinitionSubscription, id, definition_id, tenant_id, process_id, node_id,
                 position, kind, name, cycle, due_at, occurrence, state, opened_at, closed_at)

/// One recorded fact.
struct HistoryEvent {
  Key instance_id = kNoKey;
  std::int64_t sequence = 0;
  std::string event_type;
  std::string category;
  Instant occurred_at{};
  Value payload;
  friend bool operator==(const HistoryEvent&, const HistoryEvent&) = default;
};
PERDURE_DESCRIBE(HistoryEvent, instance_id, sequence, event_type, category, occurred_at, payload)

/// A command that was sent with an Idempotency-Key, and what came of it.
struct IdempotencyRecord {
  std::string key;
  std::string tenant_id;
  std::string request_digest; ///< SHA-256 over command and body
  std::string outcome;        ///< JSON, as the command answered
  Instant created_at{};
  Instant expires_at{};
  friend bool operator==(const IdempotencyRecord&, const IdempotencyRecord&) = default;
};
PERDURE_DESCRIBE(IdempotencyRecord, key, tenant_id, request_digest, outcome, created_at, expires_at)

/// Who did what by hand, and why.
struct AuditEntry {
  Key id = kNoKey;
  std::string tenant_id;
  std::optional<Key> instance_id;
  std::string actor;
  std::string action;
  Value details; ///< an object
  Instant occurred_at{};
  friend bool operator==(const AuditEntry&, const AuditEntry&) = default;
};
PERDURE_DESCRIBE(AuditEntry, id, tenant_id, instance_id, actor, action, details, occurred_at)

} // namespace perdure::facts
