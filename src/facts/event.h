// Events: what arrived for one instance. Each carries its time and fresh keys, so that the decision
// needs neither clock nor generator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/key.h"
#include "base/time.h"
#include "perdure/value.h"

namespace perdure::facts {

/// Begin a run. The state must be empty.
struct StartRequested {
  Key definition_id = kNoKey;
  std::string tenant_id;
  std::optional<std::string> business_key;
  bool unique_business_key = false;
  Value variables; ///< an object
  std::string
      start_node_id{};      ///< the start event that was triggered; empty: the one without trigger
  Key instance_id = kNoKey; ///< the key that the caller chose; kNoKey: a fresh one
  std::optional<Key> parent_instance_id; ///< with parent_token_id: the call activity
  std::optional<Key> parent_token_id;
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

enum class CallOutcome { completed, error, cancelled };

/// The instance that a call activity called has ended.
struct CallEnded {
  Key token_id = kNoKey;
  CallOutcome outcome = CallOutcome::completed;
  std::string code;    ///< of an error
  std::string message; ///< of an error, or why it was cancelled
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

/// Somebody sets variables of a running instance: in that scope itself, or, with kNoKey, in the
/// root.
struct VariablesSubmitted {
  Key scope_id = kNoKey;
  Value variables; ///< an object
};

/// Ready tokens that an earlier decision left behind (its bound was reached) go on.
struct Proceed {};

/// A decision ended in a bug: the engine sets the instance aside with a visible incident.
struct SetAside {
  std::string message;
};

using EventData =
    std::variant<StartRequested, TaskLocked, TaskLockExtended, TaskCompleted, TaskFailed,
                 TaskErrorThrown, TaskEscalationThrown, TaskLockExpired, TaskReleased,
                 UserTaskCompleted, TimerDue, EventOccurred, CallEnded, CallEscalated,
                 CancelRequested, RetryRequested, VariablesSubmitted, Proceed, SetAside>;

struct Event {
  Instant at{};
  KeyRange keys; ///< fresh; a decision takes from the front
  EventData data;
};

} // namespace perdure::facts
