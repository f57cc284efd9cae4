// Events: what arrived for one instance. Each carries its time and fresh keys, so that the decision
// needs neither clock nor generator.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/key.h"
#include "base/time.h"
#include "facts/rows.h"
#include "perdure/value.h"

namespace perdure::facts {

/// What the code of a flow did, or was told.
enum class FlowDoing {
  begun,
  step_asked,
  step_ended,     ///< a run: its process reports
  step_heard,     ///< it was told of an ending that the engine saw
  attempt_failed, ///< there will be another one
  attempt_started,
  step_dropped,
  step_released,
  time_read,
  patch_taken,
  attribute_set,
  compensation_added,
  cancel_heard,
  ended,
};
constexpr auto enum_names(FlowDoing) {
  return std::array<std::string_view, 14>{
      "begun",           "step_asked",         "step_ended",    "step_heard", "attempt_failed",
      "attempt_started", "step_dropped",       "step_released", "time_read",  "patch_taken",
      "attribute_set",   "compensation_added", "cancel_heard",  "ended"};
}

/// One entry; which fields count follows from `doing`.
struct FlowEntry {
  FlowDoing doing = FlowDoing::begun;
  std::string name{};   ///< of the step, patch, attribute or compensation
  std::string parent{}; ///< the run that the step is in
  StepType type = StepType::run;
  bool nested = false;
  bool flag = false;       ///< step_asked: to be tried later; step_dropped: busy; ended: continued
  std::int64_t number = 1; ///< begun: the seed of its chance
  std::int64_t max_attempts = 1;
  std::string target{};            ///< the event; the process that is called
  std::string call_id{};           ///< the business key of the child; may be empty
  std::optional<Duration> after{}; ///< sleep, timeout; the pause before the next attempt
  std::optional<Instant> at{};     ///< sleep until then; the time that was read
  std::optional<Value> value{};    ///< output, input of the child, attribute
  FlowEnding ending = FlowEnding::succeeded;
  std::string error_name{};
  std::string error_message{};
};

/// Begin a run. The state must be empty.
struct StartRequested {
  Key definition_id = kNoKey;
  std::string tenant_id;
  std::optional<std::string> business_key;
  bool unique_business_key = false;
  Value variables; ///< an object
  std::string
      start_node_id{}; ///< the start event that was triggered; empty: the one without trigger
  std::vector<std::string> start_before{}; ///< elements that get a token, instead of a start event
  Key instance_id = kNoKey;                ///< the key that the caller chose; kNoKey: a fresh one
  std::optional<Key> parent_instance_id;   ///< with parent_token_id: the call activity
  std::optional<Key> parent_token_id;
  /// Of a flow: what its code did already, up to its first rest, in that process.
  std::vector<FlowEntry> entries{};
  std::string worker_id{};
  std::int64_t priority = 0;                 ///< of a flow
  std::optional<std::string> limit_key{};    ///< of a flow
  std::optional<Key> previous_instance_id{}; ///< of a flow: that it continues or repeats
};

/// A worker takes a ready task until the lock runs out.
struct TaskLocked {
  Key task_id = kNoKey;
  std::string worker_id;
  Instant lock_expires_at{};
};

struct TaskLockExtended {
  Key task_id = kNoKey;
  std::string worker_id;
  Instant lock_expires_at{};
};

/// The holder of the lock is done. `variables` (an object) go where the names are known, else to
/// the root. Without worker_id an operator completes by hand a task that nobody has locked.
struct TaskCompleted {
  Key task_id = kNoKey;
  std::optional<std::string> worker_id;
  std::optional<Value> variables;
};

/// The holder of the lock could not do it.
struct TaskFailed {
  Key task_id = kNoKey;
  std::string worker_id;
  std::string error_name; ///< a class of errors, e.g. "CardDeclined"; may be empty
  std::string error_message;
  std::optional<std::int64_t> retries; ///< attempts left as the worker wishes; never more than now
  std::optional<Duration> retry_delay; ///< instead of the back-off of the policy
};

/// The holder of the lock reports an error of the model's own (BPMN): the nearest event that
/// catches the code goes on.
struct TaskErrorThrown {
  Key task_id = kNoKey;
  std::string worker_id;
  std::string code;
  std::string message;
  std::optional<Value> variables; ///< an object, for the event that catches
};

/// The holder of the lock, or the person at the task, reports an escalation; the task goes on
/// unless the event that catches it interrupts.
struct TaskEscalationThrown {
  Key task_id = kNoKey; ///< of an external or a user task
  std::optional<std::string> worker_id;
  std::string code;
  std::optional<Value> variables;
};

/// A message or signal for that subscription, or a condition that became true.
struct EventOccurred {
  Key subscription_id = kNoKey;
  std::optional<Value> variables; ///< an object
};

/// A signal for the instance: all that wait for it there have it.
struct SignalOccurred {
  std::string name;
  std::optional<Value> variables; ///< an object
};

enum class CallOutcome {
  completed,
  error,
  cancelled,
  failed, ///< it could not begin
};

/// The instance that a call activity called has ended, or could not begin.
struct CallEnded {
  Key token_id = kNoKey;
  Key called_instance_id = kNoKey; ///< tells calls of one token apart: a flow has several
  CallOutcome outcome = CallOutcome::completed;
  std::string code;    ///< of an error
  std::string message; ///< of an error, or why it was cancelled or did not begin
  std::optional<Value> variables;
};

/// The instance that a call activity called threw an escalation that nothing in it catches.
struct CallEscalated {
  Key token_id = kNoKey;
  std::string code;
  std::optional<Value> variables;
};

/// The sweep saw a lock that ran out, or that its holder is known to be dead.
struct TaskLockExpired {
  Key task_id = kNoKey;
  bool holder_gone = false; ///< true: the lock counts as run out before its time
};

/// The holder of the lock gives the task back: it has not begun and will not. A lock that ran out
/// and that nobody has taken since is still its own.
struct TaskReleased {
  Key task_id = kNoKey;
  std::string worker_id;
};

struct UserTaskCompleted {
  Key task_id = kNoKey;
  std::optional<Value> variables;
};

/// The sweep saw a timer that is due.
struct TimerDue {
  Key timer_id = kNoKey;
};

struct CancelRequested {
  std::optional<std::string> reason;
  bool by_caller = false; ///< the call activity that called it has ended
};

/// An operator lets a stuck token try again. kNoKey: every open incident of the instance.
struct RetryRequested {
  Key incident_id = kNoKey;
  std::int64_t retries = 1;       ///< attempts to add where they are exhausted
  std::optional<Value> variables; ///< an object: corrections, set before the tokens try again
  std::optional<std::string> by;
};

/// An operator holds the instance: until it is resumed nothing happens in it, however long timers
/// and locks have run out.
struct PauseRequested {
  std::optional<std::string> reason;
};

struct ResumeRequested {};

/// An operator sets variables. kNoKey: each where its name is known outwards of the root scope;
/// with a scope exactly there.
struct VariablesRequested {
  Key scope_id = kNoKey;
  Value variables; ///< an object
};

enum class ModificationKind {
  start_before, ///< a new token comes to the element
  start_after,  ///< a new token leaves the element as if its work were done
  cancel,       ///< every token at the element ends, with what it has inside
  cancel_token,
};
constexpr auto enum_names(ModificationKind) {
  return std::array<std::string_view, 4>{"start_before", "start_after", "cancel", "cancel_token"};
}

struct Modification {
  ModificationKind kind = ModificationKind::start_before;
  std::string node_id;   ///< of the element; not for cancel_token
  Key token_id = kNoKey; ///< cancel_token
  Key scope_id = kNoKey; ///< start: the open scope around it, where there are several
};

/// An operator moves tokens by hand, in this order; then the instance goes on.
struct ModifyRequested {
  std::vector<Modification> modifications;
  std::optional<Value> variables; ///< an object, set in the root scope first
};

/// An operator lets the instance go on with another version of its process.
struct MigrateRequested {
  Key definition_id = kNoKey;
  std::int64_t version = 0; ///< instead of the key, which whoever decides looks up
  /// Ids of elements and flows that have others there; whatever is not named keeps its id.
  std::map<std::string, std::string, std::less<>> mapping{};
};

/// Somebody begins activities of an ad hoc sub-process that is open.
struct ActivitiesChosen {
  Key scope_id = kNoKey; ///< that the sub-process has opened
  std::vector<std::string> node_ids;
  std::optional<Value> variables; ///< an object, for its scope
};

/// The process that has the coroutine of a flow tells what it did, in order. A process that did not
/// have it so far takes it over, when it has seen all that was recorded up to `version` and nothing
/// has happened since.
struct FlowAdvanced {
  std::string worker_id;
  std::int64_t version = 0;
  std::vector<FlowEntry> entries;
};

/// The code of a flow does something else than what is recorded: the run rests on an incident.
struct FlowDiverged {
  std::string worker_id;
  std::string asked;
  std::string recorded;
  std::string advice;
};

/// The process that called callbacks of a flow is gone; who says so has the run from now on.
struct FlowHostLost {
  std::string worker_id;
  std::string by;
};

/// The limits of its kind let a run begin that was pending, with what it has of an earlier one.
struct FlowAdmission {
  std::vector<FlowEntry> entries{};
  std::string worker_id{};
};

/// An operator gives a step its result, so that its code goes on without its work.
struct FlowStepSkipped {
  std::string name;
  std::optional<Value> output;
};

/// Ready tokens that an earlier decision left behind (its bound was reached) go on.
struct Proceed {};

/// A decision ended in a bug: the engine sets the instance aside with a visible incident.
struct SetAside {
  std::string message;
};

using EventData = std::variant<
    StartRequested, TaskLocked, TaskLockExtended, TaskCompleted, TaskFailed, TaskErrorThrown,
    TaskEscalationThrown, TaskLockExpired, TaskReleased, UserTaskCompleted, TimerDue, EventOccurred,
    SignalOccurred, CallEnded, CallEscalated, CancelRequested, RetryRequested, PauseRequested,
    ResumeRequested, VariablesRequested, ModifyRequested, MigrateRequested, ActivitiesChosen,
    FlowAdvanced, FlowDiverged, FlowHostLost, FlowAdmission, FlowStepSkipped, Proceed, SetAside>;

struct Event {
  Instant at{};
  KeyRange keys; ///< fresh; a decision takes from the front
  EventData data;
};

} // namespace perdure::facts
