// Rows: the durable facts of one instance as values, one struct a table, fields in the order of the
// columns. The schema (store/sql/schema) carries the invariants; the enums spell its CHECK
// constraints.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "base/describe.h"
#include "base/enum_text.h"
#include "base/key.h"
#include "base/time.h"
#include "perdure/value.h"

namespace perdure::facts {

// ---- closed sets ------------------------------------------------------------------------------

enum class InstanceStatus { pending, running, paused, completed, failed, cancelled };
constexpr auto enum_names(InstanceStatus) {
  return std::array<std::string_view, 6>{"pending",   "running", "paused",
                                         "completed", "failed",  "cancelled"};
}
constexpr bool is_terminal(InstanceStatus status) {
  return status == InstanceStatus::completed || status == InstanceStatus::failed ||
         status == InstanceStatus::cancelled;
}

/// multi_instance is around all runs of a repeated activity, iteration around one of them;
/// compensation is around what undoes a sub-process; activity has the local variables of a task or
/// event, and no token.
enum class ScopeKind {
  process,
  sub_process,
  event_sub_process,
  transaction,
  ad_hoc,
  multi_instance,
  iteration,
  compensation,
  activity,
};
constexpr auto enum_names(ScopeKind) {
  return std::array<std::string_view, 9>{"process",     "sub_process",  "event_sub_process",
                                         "transaction", "ad_hoc",       "multi_instance",
                                         "iteration",   "compensation", "activity"};
}

enum class ScopeState { open, completed, terminated };
constexpr auto enum_names(ScopeState) {
  return std::array<std::string_view, 3>{"open", "completed", "terminated"};
}

/// ready: must move now. executing: a worker is at it. waiting: rests on a row that will wake it.
enum class TokenState { ready, executing, waiting, completed, failed, terminated };
constexpr auto enum_names(TokenState) {
  return std::array<std::string_view, 6>{"ready",     "executing", "waiting",
                                         "completed", "failed",    "terminated"};
}
constexpr bool is_terminal(TokenState state) {
  return state == TokenState::completed || state == TokenState::failed ||
         state == TokenState::terminated;
}

enum class TokenMode { forward, compensation };
constexpr auto enum_names(TokenMode) {
  return std::array<std::string_view, 2>{"forward", "compensation"};
}

/// run, sleep and wait are the steps of flows; sleep is also the timer catch event of BPMN.
/// wait is every other catch event; a throw event has a step when a worker does the throwing.
/// listener: what a worker does when a token comes to an element or leaves it.
enum class StepType {
  run,
  sleep,
  wait,
  service_task,
  user_task,
  script_task,
  manual_task,
  task,
  receive_task,
  send_task,
  business_rule_task,
  call_activity,
  throw_event,
  listener,
};
constexpr auto enum_names(StepType) {
  return std::array<std::string_view, 14>{"run",
                                          "sleep",
                                          "wait",
                                          "service_task",
                                          "user_task",
                                          "script_task",
                                          "manual_task",
                                          "task",
                                          "receive_task",
                                          "send_task",
                                          "business_rule_task",
                                          "call_activity",
                                          "throw_event",
                                          "listener"};
}
/// Whether the step itself waits for an event, beside those with a task or timer.
constexpr bool waits_for_event(StepType type) {
  return type == StepType::wait || type == StepType::receive_task ||
         type == StepType::call_activity;
}

/// pending: not begun, or between two attempts. waiting: rests on a timer, a person or an event.
enum class StepStatus { pending, running, waiting, completed, failed, cancelled };
constexpr auto enum_names(StepStatus) {
  return std::array<std::string_view, 6>{"pending",   "running", "waiting",
                                         "completed", "failed",  "cancelled"};
}
constexpr bool is_terminal(StepStatus status) {
  return status == StepStatus::completed || status == StepStatus::cancelled;
}

enum class OutputType { none, json, artifact };
constexpr auto enum_names(OutputType) {
  return std::array<std::string_view, 3>{"none", "json", "artifact"};
}

/// released: given back before it began, which does not count.
enum class AttemptState { started, succeeded, failed, interrupted, released };
constexpr auto enum_names(AttemptState) {
  return std::array<std::string_view, 5>{"started", "succeeded", "failed", "interrupted",
                                         "released"};
}

enum class TaskState { ready, locked, completed, failed, cancelled };
constexpr auto enum_names(TaskState) {
  return std::array<std::string_view, 5>{"ready", "locked", "completed", "failed", "cancelled"};
}

enum class UserTaskState { open, completed, cancelled };
constexpr auto enum_names(UserTaskState) {
  return std::array<std::string_view, 3>{"open", "completed", "cancelled"};
}

enum class TimerStatus { scheduled, fired, cancelled };
constexpr auto enum_names(TimerStatus) {
  return std::array<std::string_view, 3>{"scheduled", "fired", "cancelled"};
}

enum class SubscriptionKind { message, signal, conditional };
constexpr auto enum_names(SubscriptionKind) {
  return std::array<std::string_view, 3>{"message", "signal", "conditional"};
}

enum class SubscriptionState { open, triggered, cancelled };
constexpr auto enum_names(SubscriptionState) {
  return std::array<std::string_view, 3>{"open", "triggered", "cancelled"};
}

/// message and signal find their receivers by name. A signal is spread as signal_to, for one
/// instance that waits, and start, for one that begins. The others go between a call activity and
/// the instance that it called.
enum class PendingKind {
  message,
  signal,
  signal_to,
  start,
  call,
  call_ended,
  call_escalated,
  call_cancelled
};
constexpr auto enum_names(PendingKind) {
  return std::array<std::string_view, 8>{"message",        "signal",        "signal_to",
                                         "start",          "call",          "call_ended",
                                         "call_escalated", "call_cancelled"};
}

enum class PendingState { pending, delivered, discarded };
constexpr auto enum_names(PendingState) {
  return std::array<std::string_view, 3>{"pending", "delivered", "discarded"};
}

enum class CompensationStatus { pending, running, completed, failed };
constexpr auto enum_names(CompensationStatus) {
  return std::array<std::string_view, 4>{"pending", "running", "completed", "failed"};
}

/// How a gateway gathers: every flow; those that can still come; by a condition of its own.
enum class JoinKind { parallel, inclusive, complex };
constexpr auto enum_names(JoinKind) {
  return std::array<std::string_view, 3>{"parallel", "inclusive", "complex"};
}

enum class JoinState { open, fired, cancelled };
constexpr auto enum_names(JoinState) {
  return std::array<std::string_view, 3>{"open", "fired", "cancelled"};
}

/// How a step of a flow ended.
enum class FlowEnding { succeeded, failed, timed_out, cancelled };
constexpr auto enum_names(FlowEnding) {
  return std::array<std::string_view, 4>{"succeeded", "failed", "timed_out", "cancelled"};
}

enum class IncidentKind {
  expression_error,    ///< an expression could not be evaluated, or gave a value of the wrong type
  no_outgoing_flow,    ///< no condition held and there is no default flow
  retries_exhausted,   ///< the last attempt of a worker failed
  join_unreachable,    ///< a join waits for a flow that no token can take any more
  bad_timer,           ///< a timer's text is no duration or date
  engine_error,        ///< a bug: the instance was set aside, others go on
  unhandled_error,     ///< an error was thrown that no event catches
  bad_correlation_key, ///< what a message is told by is no text or number
  call_failed,         ///< the called process is not there, or ended without success
  compensation_failed, ///< what undoes an activity did not succeed
  decision_failed,     ///< the called decision is not there, failed, or gave what does not fit
  flow_diverged,       ///< the code of a flow does something else than the run has recorded
};
constexpr auto enum_names(IncidentKind) {
  return std::array<std::string_view, 12>{
      "expression_error", "no_outgoing_flow",    "retries_exhausted", "join_unreachable",
      "bad_timer",        "engine_error",        "unhandled_error",   "bad_correlation_key",
      "call_failed",      "compensation_failed", "decision_failed",   "flow_diverged"};
}

enum class IncidentState { open, resolved };
constexpr auto enum_names(IncidentState) {
  return std::array<std::string_view, 2>{"open", "resolved"};
}

enum class DeadLetterKind { exhausted_task, expired_message, failed_delivery };
constexpr auto enum_names(DeadLetterKind) {
  return std::array<std::string_view, 3>{"exhausted_task", "expired_message", "failed_delivery"};
}

enum class DeadLetterState { open, requeued, discarded };
constexpr auto enum_names(DeadLetterState) {
  return std::array<std::string_view, 3>{"open", "requeued", "discarded"};
}

// ---- rows -------------------------------------------------------------------------------------

struct ProcessInstance {
  Key id = kNoKey;
  Key definition_id = kNoKey;
  std::string tenant_id;
  std::string process_id;
  std::optional<std::string> business_key;
  bool unique_business_key = false; ///< one instance per (tenant, process, business key)
  InstanceStatus status = InstanceStatus::pending;
  std::int64_t version = 0;       ///< equals last_sequence; what writers compare and set
  std::int64_t last_sequence = 0; ///< of history_event
  std::int64_t step_count = 0;    ///< the last ordinal given to a step
  Value input;                    ///< an object
  std::optional<std::string> end_reason;
  Instant created_at{};
  std::optional<Instant> started_at;
  std::optional<Instant> ended_at;
  Instant updated_at{};
  std::optional<Key> parent_instance_id; ///< that called this one
  std::optional<Key> parent_token_id;    ///< that waits there for the end
  friend bool operator==(const ProcessInstance&, const ProcessInstance&) = default;
};
PERDURE_DESCRIBE(ProcessInstance, id, definition_id, tenant_id, process_id, business_key,
                 unique_business_key, status, version, last_sequence, step_count, input, end_reason,
                 created_at, started_at, ended_at, updated_at, parent_instance_id, parent_token_id)

struct Scope {
  Key instance_id = kNoKey;
  Key id = kNoKey;
  std::optional<Key> parent_id;
  std::optional<Key> token_id; ///< the token that rests on the sub-process; none for the process
  std::string node_id;         ///< the sub-process; the process id for the process itself
  ScopeKind kind = ScopeKind::process;
  ScopeState state = ScopeState::open;
  std::optional<std::int64_t> loop_index;
  Value variables; ///< an object
  Instant opened_at{};
  std::optional<Instant> closed_at;
  std::optional<Value> output;            ///< of a completed iteration: its part of the collection
  std::optional<std::int64_t> loop_total; ///< of a multi-instance: how many iterations there are
  std::optional<Value> collection;        ///< likewise the list that they go through, if any
  friend bool operator==(const Scope&, const Scope&) = default;
};
PERDURE_DESCRIBE(Scope, instance_id, id, parent_id, token_id, node_id, kind, state, loop_index,
                 variables, opened_at, closed_at, output, loop_total, collection)

struct Token {
  Key instance_id = kNoKey;
  Key id = kNoKey;
  Key scope_id = kNoKey;
  std::optional<Key> parent_id; ///< the token that it was split off
  std::string node_id;
  /// The flow that it came by; at the process itself, the start event that begins it.
  std::optional<std::string> flow_id;
  TokenState state = TokenState::ready;
  TokenMode mode = TokenMode::forward;
  std::int64_t attempt = 0; ///< of the step that it is at
  std::int64_t version = 1;
  Instant placed_at{};
  std::optional<Instant> ended_at;
  std::int64_t listener = 0; ///< the last one of its node that began here, from 1; 0: none
  friend bool operator==(const Token&, const Token&) = default;
};
PERDURE_DESCRIBE(Token, instance_id, id, scope_id, parent_id, node_id, flow_id, state, mode,
                 attempt, version, placed_at, ended_at, listener)

struct StepRecord {
  Key instance_id = kNoKey;
  Key id = kNoKey;
  std::string slug; ///< the node id; from the second visit on `node#2`
  std::string node_id;
  std::string name;
  StepType type = StepType::service_task;
  StepStatus status = StepStatus::pending;
  std::int64_t ordinal = 0;
  std::optional<Key> parent_step_id;
  std::optional<Key> token_id;
  std::int64_t attempt_count = 0;
  std::int64_t max_attempts = 1;
  OutputType output_type = OutputType::none;
  std::optional<Value> output; ///< when output_type is json
  std::optional<std::string> output_artifact;
  std::optional<std::string> error_name;
  std::optional<std::string> error_message;
  std::optional<std::string> trace_id;
  std::optional<std::string> span_id;
  Instant created_at{};
  std::optional<Instant> started_at;
  std::optional<Instant> completed_at; ///< set exactly when completed, failed or cancelled
  Instant updated_at{};
  std::optional<Key> called_instance_id;  ///< of a call activity
  std::optional<std::int64_t> listener{}; ///< of a listener: which one of its node, from 1
  friend bool operator==(const StepRecord&, const StepRecord&) = default;
};
PERDURE_DESCRIBE(StepRecord, instance_id, id, slug, node_id, name, type, status, ordinal,
                 parent_step_id, token_id, attempt_count, max_attempts, output_type, output,
                 output_artifact, error_name, error_message, trace_id, span_id, created_at,
                 started_at, completed_at, updated_at, called_instance_id, listener)

struct StepAttempt {
  Key instance_id = kNoKey;
  Key step_id = kNoKey;
  std::int64_t number = 0; ///< from 1
  AttemptState state = AttemptState::started;
  std::optional<std::string> worker_id;
  OutputType result_type = OutputType::none;
  std::optional<Value> result; ///< JSON null and no result are two things
  std::optional<std::string> error_name;
  std::optional<std::string> error_message;
  Instant started_at{};
  std::optional<Instant> ended_at;
  std::optional<Instant> next_attempt_at;
  friend bool operator==(const StepAttempt&, const StepAttempt&) = default;
};
PERDURE_DESCRIBE(StepAttempt, instance_id, step_id, number, state, worker_id, result_type, result,
                 error_name, error_message, started_at, ended_at, next_attempt_at)

struct ExternalTask {
  Key id = kNoKey;
  Key instance_id = kNoKey;
  Key token_id = kNoKey;
  Key step_id = kNoKey;
  std::string node_id;
  std::string type;
  std::int64_t priority = 0;
  TaskState state = TaskState::ready;
  std::int64_t retries = 0; ///< attempts left, the running one included
  Instant available_at{};
  std::optional<std::string> worker_id;
  std::optional<Instant> lock_expires_at;
  std::int64_t attempt = 0; ///< number of the last attempt: the fencing token of its lock
  Value variables;          ///< an object: the task's own input, beside what its scope shows
  Instant created_at{};
  std::optional<Instant> ended_at;
  friend bool operator==(const ExternalTask&, const ExternalTask&) = default;
};
PERDURE_DESCRIBE(ExternalTask, id, instance_id, token_id, step_id, node_id, type, priority, state,
                 retries, available_at, worker_id, lock_expires_at, attempt, variables, created_at,
                 ended_at)

struct UserTask {
  Key id = kNoKey;
  Key instance_id = kNoKey;
  Key token_id = kNoKey;
  Key step_id = kNoKey;
  std::string node_id;
  std::string name;
  UserTaskState state = UserTaskState::open;
  std::optional<std::string> assignee;
  Value candidate_groups; ///< a list of strings
  Value candidate_users;  ///< a list of strings
  std::optional<Instant> due_at;
  std::optional<Instant> follow_up_at;
  std::optional<std::string> form_reference;
  std::int64_t priority = 50;
  Instant created_at{};
  std::optional<Instant> ended_at;
  friend bool operator==(const UserTask&, const UserTask&) = default;
};
PERDURE_DESCRIBE(UserTask, id, instance_id, token_id, step_id, node_id, name, state, assignee,
                 candidate_groups, candidate_users, due_at, follow_up_at, form_reference, priority,
                 created_at, ended_at)

struct Timer {
  Key id = kNoKey;
  Key instance_id = kNoKey;
  std::optional<Key> token_id; ///< that waits for it, or whose activity carries it
  std::optional<Key> step_id;
  std::string node_id;
  TimerStatus status = TimerStatus::scheduled;
  Instant due_at{};
  std::int64_t occurrence = 1;
  std::optional<std::string> cycle;
  Instant created_at{};
  std::optional<Instant> ended_at;
  std::optional<Key> scope_id; ///< instead of a token: whose event sub-process it starts
  std::int64_t position = 0;   ///< of the event definition in its node
  friend bool operator==(const Timer&, const Timer&) = default;
};
PERDURE_DESCRIBE(Timer, id, instance_id, token_id, step_id, node_id, status, due_at, occurrence,
                 cycle, created_at, ended_at, scope_id, position)

/// A message, signal or condition that is awaited. It belongs to a token (a catch event, or a
/// boundary event of the token's activity) or to the scope whose event sub-process it starts.
struct EventSubscription {
  Key id = kNoKey;
  Key instance_id = kNoKey;
  std::string tenant_id;
  std::optional<Key> token_id;
  std::optional<Key> scope_id;
  std::optional<Key> step_id; ///< that ends with it
  std::string node_id;        ///< the event that catches
  std::int64_t position = 0;  ///< of the event definition in its node
  SubscriptionKind kind = SubscriptionKind::message;
  std::string name; ///< empty for a condition
  std::optional<std::string> correlation_key;
  SubscriptionState state = SubscriptionState::open;
  std::int64_t trigger_count = 0;
  std::optional<bool> condition_holds; ///< what a condition gave last
  Instant opened_at{};
  std::optional<Instant> closed_at;
  friend bool operator==(const EventSubscription&, const EventSubscription&) = default;
};
PERDURE_DESCRIBE(EventSubscription, id, instance_id, tenant_id, token_id, scope_id, step_id,
                 node_id, position, kind, name, correlation_key, state, trigger_count,
                 condition_holds, opened_at, closed_at)

/// On its way to other instances. Written with the decision that sends it; from then on it is the
/// engine's, which delivers it once.
struct PendingEvent {
  Key id = kNoKey;
  std::optional<Key> instance_id; ///< that sent it; none: it came from outside
  std::string tenant_id;
  std::optional<std::string> node_id; ///< that sent it
  PendingKind kind = PendingKind::message;
  std::optional<std::string> name; ///< of message or signal; code of an error or escalation
  std::optional<std::string> correlation_key;
  std::optional<Key> target_instance_id;
  std::optional<Key> target_token_id;
  Value payload; ///< an object: variables, and what the kind needs beside them
  PendingState state = PendingState::pending;
  std::int64_t reached_id = 0; ///< the last instance that the signal is spread to
  Instant created_at{};
  std::optional<Instant> closed_at;
  friend bool operator==(const PendingEvent&, const PendingEvent&) = default;
};
PERDURE_DESCRIBE(PendingEvent, id, instance_id, tenant_id, node_id, kind, name, correlation_key,
                 target_instance_id, target_token_id, payload, state, reached_id, created_at,
                 closed_at)

/// An activity that succeeded and can be undone, once.
struct CompensationRecord {
  Key instance_id = kNoKey;
  Key id = kNoKey;
  Key scope_id = kNoKey; ///< in which the activity ran
  std::string node_id;
  std::optional<std::string> handler_id; ///< the activity that undoes it
  std::optional<Key> inner_scope_id;     ///< of a sub-process: undone by what was recorded in it
  std::int64_t ordinal = 0;              ///< grows with each success
  CompensationStatus status = CompensationStatus::pending;
  std::optional<Key> token_id; ///< that undoes it
  Value variables;             ///< an object: what the sub-process had at its end
  Instant recorded_at{};
  std::optional<Instant> started_at;
  std::optional<Instant> ended_at;
  friend bool operator==(const CompensationRecord&, const CompensationRecord&) = default;
};
PERDURE_DESCRIBE(CompensationRecord, instance_id, id, scope_id, node_id, handler_id, inner_scope_id,
                 ordinal, status, token_id, variables, recorded_at, started_at, ended_at)

/// One gathering of tokens at a joining gateway, of whatever kind.
struct ParallelJoin {
  Key instance_id = kNoKey;
  Key id = kNoKey;
  Key scope_id = kNoKey;
  std::string node_id;
  std::int64_t generation = 1;
  std::int64_t expected = 0;
  std::int64_t joined = 0;
  JoinState state = JoinState::open;
  Instant opened_at{};
  std::optional<Instant> closed_at;
  JoinKind kind = JoinKind::parallel;
  friend bool operator==(const ParallelJoin&, const ParallelJoin&) = default;
};
PERDURE_DESCRIBE(ParallelJoin, instance_id, id, scope_id, node_id, generation, expected, joined,
                 state, opened_at, closed_at, kind)

struct JoinArrival {
  Key instance_id = kNoKey;
  Key join_id = kNoKey;
  std::string flow_id;
  Key token_id = kNoKey;
  Instant arrived_at{};
  friend bool operator==(const JoinArrival&, const JoinArrival&) = default;
};
PERDURE_DESCRIBE(JoinArrival, instance_id, join_id, flow_id, token_id, arrived_at)

struct Incident {
  Key id = kNoKey;
  Key instance_id = kNoKey;
  Key token_id = kNoKey;
  std::string node_id;
  IncidentKind kind = IncidentKind::expression_error;
  std::string message;
  Value details; ///< an object: expression, values seen, task ...
  IncidentState state = IncidentState::open;
  Instant opened_at{};
  std::optional<Instant> resolved_at;
  std::optional<std::string> resolved_by;
  friend bool operator==(const Incident&, const Incident&) = default;
};
PERDURE_DESCRIBE(Incident, id, instance_id, token_id, node_id, kind, message, details, state,
                 opened_at, resolved_at, resolved_by)

struct DeadLetter {
  Key id = kNoKey;
  Key instance_id = kNoKey;
  std::optional<Key> task_id;
  DeadLetterKind kind = DeadLetterKind::exhausted_task;
  DeadLetterState state = DeadLetterState::open;
  std::string reason;
  Value payload; ///< an object
  Instant opened_at{};
  std::optional<Instant> closed_at;
  friend bool operator==(const DeadLetter&, const DeadLetter&) = default;
};
PERDURE_DESCRIBE(DeadLetter, id, instance_id, task_id, kind, state, reason, payload, opened_at,
                 closed_at)

/// What a step had evaluated of a decision model. Written once; no decision reads it.
struct DecisionEvaluation {
  Key id = kNoKey;
  Key instance_id = kNoKey;
  Key token_id = kNoKey;
  Key step_id = kNoKey;
  std::string node_id;
  Key definition_id = kNoKey; ///< the version of the decision that was called
  std::string decision_id;
  std::int64_t version = 0;
  Value inputs;                     ///< an object: the variables that the model knows
  Value output;                     ///< what the decision gave, before any mapping
  Value matched_rules;              ///< a list: of the decision itself, as {number, id}
  Value evaluated;                  ///< a list: every decision on the way, in order
  Value warnings;                   ///< a list
  std::optional<std::string> error; ///< why the step could not go on with it
  Instant evaluated_at{};
  friend bool operator==(const DecisionEvaluation&, const DecisionEvaluation&) = default;
};
PERDURE_DESCRIBE(DecisionEvaluation, id, instance_id, token_id, step_id, node_id, definition_id,
                 decision_id, version, inputs, output, matched_rules, evaluated, warnings, error,
                 evaluated_at)

/// The instance went on with another version of its process. Written once; no decision reads it.
struct InstanceMigration {
  Key id = kNoKey;
  Key instance_id = kNoKey;
  std::int64_t sequence = 0; ///< of the fact
  Key from_definition_id = kNoKey;
  Key to_definition_id = kNoKey;
  Value mapping; ///< an object: ids of elements and flows that have others now
  Instant migrated_at{};
  friend bool operator==(const InstanceMigration&, const InstanceMigration&) = default;
};
PERDURE_DESCRIBE(InstanceMigration, id, instance_id, sequence, from_definition_id, to_definition_id,
                 mapping, migrated_at)

/// What a flow has beside its steps.
struct FlowRun {
  Key instance_id = kNoKey;
  Key token_id = kNoKey;           ///< the only one of the flow
  std::optional<std::string> host; ///< the process that has its coroutine, or had it last
  std::int64_t unheard = 0;        ///< things that have happened and its code was not told yet
  std::optional<std::string> cancel_reason; ///< it is to be cancelled; may be empty
  std::int64_t priority = 0;                ///< of those that wait to begin the highest comes first
  std::optional<std::string> limit_key;     ///< with whom it shares the limits of a key
  std::optional<Instant> admitted_at;       ///< when its limits let it begin
  std::optional<Key> previous_instance_id;  ///< that it continues or repeats
  friend bool operator==(const FlowRun&, const FlowRun&) = default;
};
PERDURE_DESCRIBE(FlowRun, instance_id, token_id, host, unheard, cancel_reason, priority, limit_key,
                 admitted_at, previous_instance_id)

enum class CompletionState { pending, delivered };
constexpr auto enum_names(CompletionState) {
  return std::array<std::string_view, 2>{"pending", "delivered"};
}

/// The end of a flow that is to be told to the handler of its kind, at least once.
struct FlowCompletion {
  Key instance_id = kNoKey;
  std::string process_id;
  InstanceStatus status = InstanceStatus::completed;
  Instant finished_at{};
  CompletionState state = CompletionState::pending;
  std::int64_t attempts = 0;
  std::optional<Instant> next_attempt_at; ///< while it is pending; moved on by who takes it
  std::optional<std::string> last_error;
  std::optional<Instant> delivered_at;
  friend bool operator==(const FlowCompletion&, const FlowCompletion&) = default;
};
PERDURE_DESCRIBE(FlowCompletion, instance_id, process_id, status, finished_at, state, attempts,
                 next_attempt_at, last_error, delivered_at)

// ---- what orders a table, and when a row no longer matters for decisions ----------------------

template <class Row>
auto row_key(const Row& row) {
  if constexpr (std::is_same_v<Row, StepAttempt>) {
    return std::tuple(row.step_id, row.number);
  } else if constexpr (std::is_same_v<Row, JoinArrival>) {
    return std::tuple(row.join_id, std::string_view(row.flow_id));
  } else if constexpr (std::is_same_v<Row, FlowRun> || std::is_same_v<Row, FlowCompletion>) {
    return row.instance_id;
  } else {
    return row.id;
  }
}

/// The same as a value of its own.
template <class Row>
using OwnedKey = std::conditional_t<
    std::is_same_v<Row, JoinArrival>, std::tuple<Key, std::string>,
    std::conditional_t<std::is_same_v<Row, StepAttempt>, std::tuple<Key, std::int64_t>, Key>>;

} // namespace perdure::facts
