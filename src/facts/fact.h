// Facts: what a decision found to be so, in the past tense. They are recorded as history_event rows
// and are the only thing that changes an InstanceState (facts/apply.h). Released facts are frozen:
// a change of meaning is a new fact.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "facts/rows.h"

namespace perdure::facts {

// ---- instance ---------------------------------------------------------------------------------

/// A run began: the instance row (running) and its root scope, whose variables are the input.
struct InstanceStarted {
  static constexpr std::string_view kType = "instance_started", kCategory = "instance";
  Key instance_id = kNoKey;
  Key definition_id = kNoKey;
  std::string tenant_id;
  std::string process_id;
  std::optional<std::string> business_key;
  bool unique_business_key = false;
  Key root_scope_id = kNoKey;
  Value input;
  std::optional<Key> parent_instance_id{}; ///< that called it
  std::optional<Key> parent_token_id{};
};
PERDURE_DESCRIBE(InstanceStarted, instance_id, definition_id, tenant_id, process_id, business_key,
                 unique_business_key, root_scope_id, input, parent_instance_id, parent_token_id)

/// No live token is left in the root scope, which is completed with the instance.
struct InstanceCompleted {
  static constexpr std::string_view kType = "instance_completed", kCategory = "instance";
  std::optional<std::string> reason;
};
PERDURE_DESCRIBE(InstanceCompleted, reason)

/// Stopped from outside; the root scope is terminated with the instance.
struct InstanceCancelled {
  static constexpr std::string_view kType = "instance_cancelled", kCategory = "instance";
  std::optional<std::string> reason;
};
PERDURE_DESCRIBE(InstanceCancelled, reason)

/// An error ended it, which its caller now has; the root scope is terminated with the instance.
struct InstanceFailed {
  static constexpr std::string_view kType = "instance_failed", kCategory = "instance";
  std::optional<std::string> reason;
};
PERDURE_DESCRIBE(InstanceFailed, reason)

/// Held by an operator: nothing happens in it until it is resumed.
struct InstancePaused {
  static constexpr std::string_view kType = "instance_paused", kCategory = "instance";
  std::optional<std::string> reason;
};
PERDURE_DESCRIBE(InstancePaused, reason)

struct InstanceResumed {
  static constexpr std::string_view kType = "instance_resumed", kCategory = "instance";
};
PERDURE_DESCRIBE(InstanceResumed)

/// It goes on with another version of its process. Live rows whose element or flow has another id
/// there have that one from now on; steps keep the names that they began with.
struct InstanceMigrated {
  static constexpr std::string_view kType = "instance_migrated", kCategory = "instance";
  Key migration_id = kNoKey;
  Key from_definition_id = kNoKey;
  Key definition_id = kNoKey;
  Value mapping; ///< an object: the new id by the old one, where they differ
};
PERDURE_DESCRIBE(InstanceMigrated, migration_id, from_definition_id, definition_id, mapping)

// ---- scopes and variables ---------------------------------------------------------------------

/// A sub-process was entered: its scope opens and the token rests on it.
struct ScopeOpened {
  static constexpr std::string_view kType = "scope_opened", kCategory = "scope";
  Key scope_id = kNoKey;
  Key parent_id = kNoKey;
  Key token_id = kNoKey;
  std::string node_id;
  ScopeKind kind = ScopeKind::sub_process;
  std::optional<std::int64_t> loop_index;
  Value variables;
  std::optional<std::int64_t> loop_total{}; ///< of a multi-instance: its iterations, when known
  std::optional<Value> collection{};        ///< likewise what they go through
  std::optional<bool> stays_ready{};        ///< true: the token has more to do at its node
  std::optional<bool> keeps_state{};        ///< true: the token is at work and stays as it is
};
PERDURE_DESCRIBE(ScopeOpened, scope_id, parent_id, token_id, node_id, kind, loop_index, variables,
                 loop_total, collection, stays_ready, keeps_state)

struct ScopeClosed {
  static constexpr std::string_view kType = "scope_closed", kCategory = "scope";
  Key scope_id = kNoKey;
  ScopeState state = ScopeState::completed;
  std::optional<Value> output{}; ///< of a completed iteration
};
PERDURE_DESCRIBE(ScopeClosed, scope_id, state, output)

/// Members of `variables` replace those of the scope; others stay.
struct VariablesSet {
  static constexpr std::string_view kType = "variables_set", kCategory = "variable";
  Key scope_id = kNoKey;
  Value variables;
};
PERDURE_DESCRIBE(VariablesSet, scope_id, variables)

// ---- tokens -----------------------------------------------------------------------------------

/// A new token stands ready before a node.
struct TokenPlaced {
  static constexpr std::string_view kType = "token_placed", kCategory = "token";
  Key token_id = kNoKey;
  Key scope_id = kNoKey;
  std::string node_id;
  std::optional<std::string> flow_id;
  std::optional<Key> parent_id;
  std::optional<TokenMode> mode{}; ///< none: forward
};
PERDURE_DESCRIBE(TokenPlaced, token_id, scope_id, node_id, flow_id, parent_id, mode)

/// A token took a flow and stands ready before the next node.
struct TokenMoved {
  static constexpr std::string_view kType = "token_moved", kCategory = "token";
  Key token_id = kNoKey;
  std::string flow_id;
  std::string node_id;
};
PERDURE_DESCRIBE(TokenMoved, token_id, flow_id, node_id)

/// Consumed: by an end event, a fork or a join.
struct TokenCompleted {
  static constexpr std::string_view kType = "token_completed", kCategory = "token";
  Key token_id = kNoKey;
};
PERDURE_DESCRIBE(TokenCompleted, token_id)

/// Removed together with its surroundings, or by an operator.
struct TokenTerminated {
  static constexpr std::string_view kType = "token_terminated", kCategory = "token";
  Key token_id = kNoKey;
};
PERDURE_DESCRIBE(TokenTerminated, token_id)

// ---- steps ------------------------------------------------------------------------------------

/// Work for a worker, part of StepOpened.
struct WorkerPart {
  Key task_id = kNoKey;
  std::string type;
  std::int64_t priority = 0;
  Value variables;
};
PERDURE_DESCRIBE(WorkerPart, task_id, type, priority, variables)

/// Work for a person, part of StepOpened.
struct UserPart {
  Key task_id = kNoKey;
  std::optional<std::string> assignee;
  Value candidate_groups;
  Value candidate_users;
  std::optional<Instant> due_at;
  std::optional<Instant> follow_up_at;
  std::optional<std::string> form_reference;
  std::int64_t priority = 50;
};
PERDURE_DESCRIBE(UserPart, task_id, assignee, candidate_groups, candidate_users, due_at,
                 follow_up_at, form_reference, priority)

/// A timer, part of StepOpened.
struct TimerPart {
  Key timer_id = kNoKey;
  Instant due_at{};
};
PERDURE_DESCRIBE(TimerPart, timer_id, due_at)

/// A named step began to exist and the token rests on it. With a worker part it is pending; with a
/// user or timer part it waits, as do steps whose type waits for an event; with none it runs now
/// and its completion follows at once.
struct StepOpened {
  static constexpr std::string_view kType = "step_opened", kCategory = "step";
  Key step_id = kNoKey;
  Key token_id = kNoKey;
  std::string slug;
  std::string node_id;
  std::string name;
  StepType type = StepType::service_task;
  std::optional<Key> parent_step_id;
  std::int64_t max_attempts = 1;
  std::optional<WorkerPart> worker;
  std::optional<UserPart> user;
  std::optional<TimerPart> timer;
  std::optional<Key> called_instance_id{}; ///< of a call activity
  std::optional<std::int64_t> listener{};  ///< which one of the node's listeners it is, from 1
};
PERDURE_DESCRIBE(StepOpened, step_id, token_id, slug, node_id, name, type, parent_step_id,
                 max_attempts, worker, user, timer, called_instance_id, listener)

/// A worker took the task: attempt row, lock, token executing.
struct AttemptStarted {
  static constexpr std::string_view kType = "attempt_started", kCategory = "step";
  Key step_id = kNoKey;
  Key task_id = kNoKey;
  std::int64_t number = 0;
  std::string worker_id;
  Instant lock_expires_at{};
};
PERDURE_DESCRIBE(AttemptStarted, step_id, task_id, number, worker_id, lock_expires_at)

struct LockExtended {
  static constexpr std::string_view kType = "lock_extended", kCategory = "task";
  Key task_id = kNoKey;
  Instant lock_expires_at{};
};
PERDURE_DESCRIBE(LockExtended, task_id, lock_expires_at)

/// The running attempt succeeded: attempt, task and step are completed with this output.
struct AttemptSucceeded {
  static constexpr std::string_view kType = "attempt_succeeded", kCategory = "step";
  Key step_id = kNoKey;
  Key task_id = kNoKey;
  std::int64_t number = 0;
  std::optional<Value> output;
};
PERDURE_DESCRIBE(AttemptSucceeded, step_id, task_id, number, output)

/// The running attempt failed. With next_attempt_at the task is available again from then on;
/// without one the step has failed and an incident follows.
struct AttemptFailed {
  static constexpr std::string_view kType = "attempt_failed", kCategory = "step";
  Key step_id = kNoKey;
  Key task_id = kNoKey;
  std::int64_t number = 0;
  std::string error_name;
  std::string error_message;
  std::int64_t retries = 0; ///< attempts left
  std::optional<Instant> next_attempt_at;
};
PERDURE_DESCRIBE(AttemptFailed, step_id, task_id, number, error_name, error_message, retries,
                 next_attempt_at)

/// The lock ran out in mid-attempt (crash, lost worker): it counts. With attempts left the task is
/// available from available_at on; without one the step has failed and an incident follows.
struct AttemptInterrupted {
  static constexpr std::string_view kType = "attempt_interrupted", kCategory = "step";
  Key step_id = kNoKey;
  Key task_id = kNoKey;
  std::int64_t number = 0;
  std::int64_t retries = 0;
  std::optional<Instant> available_at;
};
PERDURE_DESCRIBE(AttemptInterrupted, step_id, task_id, number, retries, available_at)

/// Whoever held the lock gave the task back without having begun: it does not count. The task is
/// ready at once with the attempts that it had, and the step may have one more.
struct AttemptReleased {
  static constexpr std::string_view kType = "attempt_released", kCategory = "step";
  Key step_id = kNoKey;
  Key task_id = kNoKey;
  std::int64_t number = 0;
};
PERDURE_DESCRIBE(AttemptReleased, step_id, task_id, number)

/// An operator gave a failed step more attempts: step pending, task ready.
struct StepRetried {
  static constexpr std::string_view kType = "step_retried", kCategory = "step";
  Key step_id = kNoKey;
  Key task_id = kNoKey;
  std::int64_t retries = 0; ///< attempts added
};
PERDURE_DESCRIBE(StepRetried, step_id, task_id, retries)

/// A step without attempts ended well: user, timer, script, manual, undefined task.
struct StepCompleted {
  static constexpr std::string_view kType = "step_completed", kCategory = "step";
  Key step_id = kNoKey;
  std::optional<Value> output;
};
PERDURE_DESCRIBE(StepCompleted, step_id, output)

/// The step will not end by itself: its task, timer and running attempt are closed with it.
struct StepCancelled {
  static constexpr std::string_view kType = "step_cancelled", kCategory = "step";
  Key step_id = kNoKey;
};
PERDURE_DESCRIBE(StepCancelled, step_id)

struct TimerFired {
  static constexpr std::string_view kType = "timer_fired", kCategory = "timer";
  Key timer_id = kNoKey;
  std::int64_t lateness_ms = 0;
  std::optional<Instant> next_due_at{}; ///< the timer repeats and stays scheduled
  std::optional<std::int64_t> next_occurrence{};
};
PERDURE_DESCRIBE(TimerFired, timer_id, lateness_ms, next_due_at, next_occurrence)

/// A timer that no step owns: of a boundary event, of an event-based gateway, of the start of an
/// event sub-process. It belongs to a token, which rests on it, or to a scope.
struct TimerScheduled {
  static constexpr std::string_view kType = "timer_scheduled", kCategory = "timer";
  Key timer_id = kNoKey;
  std::optional<Key> token_id;
  std::optional<Key> scope_id;
  std::string node_id;
  std::int64_t position = 0;
  Instant due_at{};
  std::optional<std::string> cycle;
  std::optional<bool> keeps_state{}; ///< true: the token is at work and stays as it is
};
PERDURE_DESCRIBE(TimerScheduled, timer_id, token_id, scope_id, node_id, position, due_at, cycle,
                 keeps_state)

struct TimerCancelled {
  static constexpr std::string_view kType = "timer_cancelled", kCategory = "timer";
  Key timer_id = kNoKey;
};
PERDURE_DESCRIBE(TimerCancelled, timer_id)

// ---- events -----------------------------------------------------------------------------------

/// A message, signal or condition is awaited by a token, which rests on it, or by a scope.
struct SubscriptionOpened {
  static constexpr std::string_view kType = "subscription_opened", kCategory = "event";
  Key subscription_id = kNoKey;
  std::optional<Key> token_id;
  std::optional<Key> scope_id;
  std::optional<Key> step_id;
  std::string node_id;
  std::int64_t position = 0;
  SubscriptionKind kind = SubscriptionKind::message;
  std::string name;
  std::optional<std::string> correlation_key;
  std::optional<bool> condition_holds; ///< of a condition: what it gave when it was opened
  std::optional<bool> keeps_state{};   ///< true: the token is at work and stays as it is
};
PERDURE_DESCRIBE(SubscriptionOpened, subscription_id, token_id, scope_id, step_id, node_id,
                 position, kind, name, correlation_key, condition_holds, keeps_state)

/// What was awaited has come. One that stays open can be triggered again.
struct SubscriptionTriggered {
  static constexpr std::string_view kType = "subscription_triggered", kCategory = "event";
  Key subscription_id = kNoKey;
  bool stays_open = false;
};
PERDURE_DESCRIBE(SubscriptionTriggered, subscription_id, stays_open)

/// Nobody waits for it any more.
struct SubscriptionCancelled {
  static constexpr std::string_view kType = "subscription_cancelled", kCategory = "event";
  Key subscription_id = kNoKey;
};
PERDURE_DESCRIBE(SubscriptionCancelled, subscription_id)

/// A condition that is awaited gives another value than before.
struct ConditionChanged {
  static constexpr std::string_view kType = "condition_changed", kCategory = "event";
  Key subscription_id = kNoKey;
  bool holds = false;
};
PERDURE_DESCRIBE(ConditionChanged, subscription_id, holds)

/// An error, escalation or the like was thrown inside the instance. It changes no row: what comes
/// of it is said by the facts that follow.
struct EventThrown {
  static constexpr std::string_view kType = "event_thrown", kCategory = "event";
  Key token_id = kNoKey;
  std::string node_id;
  std::string kind; ///< error, escalation, cancel, compensation
  std::optional<std::string> code;
  std::optional<std::string> message;
  std::optional<std::string> caught_by; ///< the event that catches it; none: nobody does
};
PERDURE_DESCRIBE(EventThrown, token_id, node_id, kind, code, message, caught_by)

/// Something is on its way to other instances.
struct EventSent {
  static constexpr std::string_view kType = "event_sent", kCategory = "event";
  Key pending_event_id = kNoKey;
  std::string node_id;
  PendingKind kind = PendingKind::message;
  std::optional<std::string> name;
  std::optional<std::string> correlation_key;
  std::optional<Key> target_instance_id;
  std::optional<Key> target_token_id;
  Value payload;
};
PERDURE_DESCRIBE(EventSent, pending_event_id, node_id, kind, name, correlation_key,
                 target_instance_id, target_token_id, payload)

// ---- compensation -----------------------------------------------------------------------------

/// An activity that can be undone has succeeded.
struct CompensationRecorded {
  static constexpr std::string_view kType = "compensation_recorded", kCategory = "compensation";
  Key record_id = kNoKey;
  Key scope_id = kNoKey;
  std::string node_id;
  std::optional<std::string> handler_id;
  std::optional<Key> inner_scope_id;
  std::int64_t ordinal = 0;
  Value variables;
};
PERDURE_DESCRIBE(CompensationRecorded, record_id, scope_id, node_id, handler_id, inner_scope_id,
                 ordinal, variables)

/// The token begins to undo it. It will not be undone again.
struct CompensationStarted {
  static constexpr std::string_view kType = "compensation_started", kCategory = "compensation";
  Key record_id = kNoKey;
  Key token_id = kNoKey;
};
PERDURE_DESCRIBE(CompensationStarted, record_id, token_id)

struct CompensationEnded {
  static constexpr std::string_view kType = "compensation_ended", kCategory = "compensation";
  Key record_id = kNoKey;
  CompensationStatus status = CompensationStatus::completed;
};
PERDURE_DESCRIBE(CompensationEnded, record_id, status)

// ---- decisions --------------------------------------------------------------------------------

/// A step has had a decision evaluated, of the version that was found for it.
struct DecisionEvaluated {
  static constexpr std::string_view kType = "decision_evaluated", kCategory = "decision";
  Key evaluation_id = kNoKey;
  Key token_id = kNoKey;
  Key step_id = kNoKey;
  std::string node_id;
  Key definition_id = kNoKey;
  std::string decision_id;
  std::int64_t version = 0;
  Value inputs;
  Value output;
  Value matched_rules;
  Value evaluated;
  Value warnings;
  std::optional<std::string> error;
};
PERDURE_DESCRIBE(DecisionEvaluated, evaluation_id, token_id, step_id, node_id, definition_id,
                 decision_id, version, inputs, output, matched_rules, evaluated, warnings, error)

// ---- joins ------------------------------------------------------------------------------------

struct JoinOpened {
  static constexpr std::string_view kType = "join_opened", kCategory = "join";
  Key join_id = kNoKey;
  Key scope_id = kNoKey;
  std::string node_id;
  std::int64_t generation = 1;
  std::int64_t expected = 0;
  std::optional<JoinKind> kind{}; ///< none: parallel
};
PERDURE_DESCRIBE(JoinOpened, join_id, scope_id, node_id, generation, expected, kind)

/// A token came by this flow and rests at the gathering.
struct JoinArrived {
  static constexpr std::string_view kType = "join_arrived", kCategory = "join";
  Key join_id = kNoKey;
  std::string flow_id;
  Key token_id = kNoKey;
};
PERDURE_DESCRIBE(JoinArrived, join_id, flow_id, token_id)

/// Every flow that can come has arrived. The tokens' completion follows.
struct JoinFired {
  static constexpr std::string_view kType = "join_fired", kCategory = "join";
  Key join_id = kNoKey;
};
PERDURE_DESCRIBE(JoinFired, join_id)

/// The scope of the gathering ended before it was complete.
struct JoinCancelled {
  static constexpr std::string_view kType = "join_cancelled", kCategory = "join";
  Key join_id = kNoKey;
};
PERDURE_DESCRIBE(JoinCancelled, join_id)

// ---- trouble ----------------------------------------------------------------------------------

/// The token cannot go on and rests on this incident.
struct IncidentOpened {
  static constexpr std::string_view kType = "incident_opened", kCategory = "incident";
  Key incident_id = kNoKey;
  Key token_id = kNoKey;
  std::string node_id;
  IncidentKind kind = IncidentKind::expression_error;
  std::string message;
  Value details;
};
PERDURE_DESCRIBE(IncidentOpened, incident_id, token_id, node_id, kind, message, details)

/// Resolved. With `reenter` the token stands ready before its node again.
struct IncidentResolved {
  static constexpr std::string_view kType = "incident_resolved", kCategory = "incident";
  Key incident_id = kNoKey;
  std::optional<std::string> by;
  bool reenter = false;
};
PERDURE_DESCRIBE(IncidentResolved, incident_id, by, reenter)

struct DeadLetterOpened {
  static constexpr std::string_view kType = "dead_letter_opened", kCategory = "incident";
  Key dead_letter_id = kNoKey;
  std::optional<Key> task_id;
  DeadLetterKind kind = DeadLetterKind::exhausted_task;
  std::string reason;
  Value payload;
};
PERDURE_DESCRIBE(DeadLetterOpened, dead_letter_id, task_id, kind, reason, payload)

struct DeadLetterClosed {
  static constexpr std::string_view kType = "dead_letter_closed", kCategory = "incident";
  Key dead_letter_id = kNoKey;
  DeadLetterState state = DeadLetterState::requeued;
};
PERDURE_DESCRIBE(DeadLetterClosed, dead_letter_id, state)

// ---- flows ------------------------------------------------------------------------------------
// What a flow's code did and was told, in that order: replayed, the same code comes to the same
// point (src/flow/history.h).

/// The run has its one token, which stands ready: the code is to begin.
struct FlowPlaced {
  static constexpr std::string_view kType = "flow_placed", kCategory = "flow";
  Key token_id = kNoKey;
  Key scope_id = kNoKey;
  std::int64_t priority = 0;
  std::optional<std::string> limit_key;
  std::optional<Key> previous_instance_id;
  bool queued = false; ///< it is pending until the limits of its kind let it begin
};
PERDURE_DESCRIBE(FlowPlaced, token_id, scope_id, priority, limit_key, previous_instance_id, queued)

/// What the run begins with of an earlier one, once the limits of its kind let it begin.
struct FlowInherited {
  static constexpr std::string_view kType = "flow_inherited", kCategory = "flow";
  std::string worker_id; ///< in whose name
  Value entries;         ///< as src/flow/inherit.h writes them
};
PERDURE_DESCRIBE(FlowInherited, worker_id, entries)

/// The limits of its kind let the run begin.
struct FlowAdmitted {
  static constexpr std::string_view kType = "flow_admitted", kCategory = "flow";
};
PERDURE_DESCRIBE(FlowAdmitted)

/// The end of the run is to be told to the handler of its kind.
struct FlowCompletionQueued {
  static constexpr std::string_view kType = "flow_completion_queued", kCategory = "flow";
};
PERDURE_DESCRIBE(FlowCompletionQueued)

/// The code began, in that process. The seed is where its chance comes from, in each life of the
/// run.
struct FlowBegun {
  static constexpr std::string_view kType = "flow_begun", kCategory = "flow";
  std::string worker_id;
  std::int64_t seed = 0;
};
PERDURE_DESCRIBE(FlowBegun, worker_id, seed)

/// Another process has the coroutine from now on.
struct FlowHosted {
  static constexpr std::string_view kType = "flow_hosted", kCategory = "flow";
  std::string worker_id;
};
PERDURE_DESCRIBE(FlowHosted, worker_id)

/// An event that a step waits for, part of FlowStepOpened.
struct FlowSubscriptionPart {
  Key subscription_id = kNoKey;
  std::string name;
  std::string correlation_key;
};
PERDURE_DESCRIBE(FlowSubscriptionPart, subscription_id, name, correlation_key)

/// The code asked for a step. A run is in its first attempt at once; one that has steps of its own
/// is in no process's hands (no worker), and any other without a worker is to be tried later.
struct FlowStepOpened {
  static constexpr std::string_view kType = "flow_step_opened", kCategory = "flow";
  Key step_id = kNoKey;
  std::string name;
  StepType type = StepType::run;
  std::optional<Key> parent_step_id;
  std::int64_t max_attempts = 1;
  bool nested = false;
  std::optional<std::string> worker_id;
  std::optional<TimerPart> timer;
  std::optional<FlowSubscriptionPart> subscription;
  std::optional<std::string> target; ///< the event, or the process that is called
  std::optional<Key> called_instance_id;
};
PERDURE_DESCRIBE(FlowStepOpened, step_id, name, type, parent_step_id, max_attempts, nested,
                 worker_id, timer, subscription, target, called_instance_id)

/// The step is over. What its process reported the code was told at once (heard); of anything else
/// it is told later (FlowStepHeard).
struct FlowStepEnded {
  static constexpr std::string_view kType = "flow_step_ended", kCategory = "flow";
  Key step_id = kNoKey;
  FlowEnding ending = FlowEnding::succeeded;
  std::optional<Value> output;
  std::optional<std::string> error_name;
  std::optional<std::string> error_message;
  bool heard = false;
};
PERDURE_DESCRIBE(FlowStepEnded, step_id, ending, output, error_name, error_message, heard)

/// The code was told how the step ended.
struct FlowStepHeard {
  static constexpr std::string_view kType = "flow_step_heard", kCategory = "flow";
  std::string name;
};
PERDURE_DESCRIBE(FlowStepHeard, name)

/// An attempt of a run failed, or was cut off with its process (interrupted); there will be another
/// one when the timer fires.
struct FlowAttemptFailed {
  static constexpr std::string_view kType = "flow_attempt_failed", kCategory = "flow";
  Key step_id = kNoKey;
  std::int64_t number = 0;
  bool interrupted = false;
  std::string error_name;
  std::string error_message;
  TimerPart timer;
};
PERDURE_DESCRIBE(FlowAttemptFailed, step_id, number, interrupted, error_name, error_message, timer)

/// The pause before the next attempt is over.
struct FlowAttemptDue {
  static constexpr std::string_view kType = "flow_attempt_due", kCategory = "flow";
  Key step_id = kNoKey;
  Key timer_id = kNoKey;
};
PERDURE_DESCRIBE(FlowAttemptDue, step_id, timer_id)

struct FlowAttemptStarted {
  static constexpr std::string_view kType = "flow_attempt_started", kCategory = "flow";
  Key step_id = kNoKey;
  std::int64_t number = 0;
  std::optional<std::string> worker_id;
};
PERDURE_DESCRIBE(FlowAttemptStarted, step_id, number, worker_id)

/// The code waits for the step no more: it is cancelled, unless it had ended and the code was not
/// told yet (no step_id). `busy`: its callback runs still, and the code goes on when that has ended
/// (FlowStepReleased).
struct FlowStepDropped {
  static constexpr std::string_view kType = "flow_step_dropped", kCategory = "flow";
  std::string name;
  std::optional<Key> step_id;
  bool busy = false;
};
PERDURE_DESCRIBE(FlowStepDropped, name, step_id, busy)

struct FlowStepReleased {
  static constexpr std::string_view kType = "flow_step_released", kCategory = "flow";
  std::string name;
};
PERDURE_DESCRIBE(FlowStepReleased, name)

struct FlowTimeRead {
  static constexpr std::string_view kType = "flow_time_read", kCategory = "flow";
  Instant time{};
};
PERDURE_DESCRIBE(FlowTimeRead, time)

/// From here on the run takes the new way at that change of the code.
struct FlowPatchTaken {
  static constexpr std::string_view kType = "flow_patch_taken", kCategory = "flow";
  std::string name;
};
PERDURE_DESCRIBE(FlowPatchTaken, name)

/// What the run is searched by: a variable of its root scope.
struct FlowAttributeSet {
  static constexpr std::string_view kType = "flow_attribute_set", kCategory = "flow";
  Key scope_id = kNoKey;
  std::string name;
  Value value;
};
PERDURE_DESCRIBE(FlowAttributeSet, scope_id, name, value)

/// The run is to be cancelled, and undoes what it did before it is.
struct FlowCancelRequested {
  static constexpr std::string_view kType = "flow_cancel_requested", kCategory = "flow";
  std::string reason;
};
PERDURE_DESCRIBE(FlowCancelRequested, reason)

struct FlowCancelHeard {
  static constexpr std::string_view kType = "flow_cancel_heard", kCategory = "flow";
};
PERDURE_DESCRIBE(FlowCancelHeard)

/// The code has ended, and the instance with it. No step is open.
struct FlowEnded {
  static constexpr std::string_view kType = "flow_ended", kCategory = "flow";
  InstanceStatus status = InstanceStatus::completed;
  std::optional<Value> output;
  std::optional<std::string> reason;
  bool continued = false; ///< the next run takes over
};
PERDURE_DESCRIBE(FlowEnded, status, output, reason, continued)

using FactData = std::variant<
    InstanceStarted, InstanceCompleted, InstanceCancelled, InstanceFailed, InstancePaused,
    InstanceResumed, ScopeOpened, ScopeClosed, VariablesSet, TokenPlaced, TokenMoved,
    TokenCompleted, TokenTerminated, StepOpened, AttemptStarted, LockExtended, AttemptSucceeded,
    AttemptFailed, AttemptInterrupted, AttemptReleased, StepRetried, StepCompleted, StepCancelled,
    TimerFired, TimerScheduled, TimerCancelled, SubscriptionOpened, SubscriptionTriggered,
    SubscriptionCancelled, ConditionChanged, EventThrown, EventSent, CompensationRecorded,
    CompensationStarted, CompensationEnded, DecisionEvaluated, JoinOpened, JoinArrived, JoinFired,
    JoinCancelled, IncidentOpened, IncidentResolved, DeadLetterOpened, DeadLetterClosed,
    InstanceMigrated, FlowPlaced, FlowInherited, FlowAdmitted, FlowCompletionQueued, FlowBegun,
    FlowHosted, FlowStepOpened, FlowStepEnded, FlowStepHeard, FlowAttemptFailed, FlowAttemptDue,
    FlowAttemptStarted, FlowStepDropped, FlowStepReleased, FlowTimeRead, FlowPatchTaken,
    FlowAttributeSet, FlowCancelRequested, FlowCancelHeard, FlowEnded>;

/// A fact with its place in the instance's history.
struct Fact {
  std::int64_t sequence = 0; ///< from 1, without gaps
  Instant at{};
  FactData data;
};

[[nodiscard]] std::string_view type_of(const FactData& data);
[[nodiscard]] std::string_view category_of(const FactData& data);
/// The payload as history_event keeps it: compact JSON, keys as decimal strings, absent optionals
/// left out.
[[nodiscard]] std::string payload_of(const FactData& data);
/// Reads a recorded fact back. An unknown type or a payload that does not fit is an error that
/// names it.
[[nodiscard]] Result<FactData> read_fact(std::string_view type, std::string_view payload);

} // namespace perdure::facts
