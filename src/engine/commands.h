// Commands: what callers ask of the engine, and what they get back. Values only.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/key.h"
#include "base/time.h"
#include "definition/diagnostic.h"
#include "facts/event.h"
#include "facts/refusal.h"
#include "facts/view.h"
#include "flow/restart.h"
#include "perdure/value.h"
#include "store/deployment.h"
#include "store/flow_store.h"

namespace perdure::engine {

/// Why a command had no effect. Callers branch on `kind`.
struct Failure {
  enum class Kind {
    invalid_input, ///< the request itself is wrong
    not_found,     ///< no such process, instance, task
    refused,       ///< the state does not allow it; `violation` names the rule
    unavailable,   ///< the database cannot serve now: nothing changed, try again
    internal,      ///< a bug; the instance was set aside
  };
  Kind kind = Kind::internal;
  std::string violation;          ///< value of X-Invariant-Violation; empty unless refused
  std::string message;            ///< one sentence: what is wrong and what to do
  std::optional<Key> existing_id; ///< the instance that holds the business key, if that is why
  std::vector<definition::Diagnostic> diagnostics; ///< of a deployment
  std::vector<facts::Objection> objections;        ///< of a migration: every reason
};

template <class T>
using Answer = std::expected<T, Failure>;

/// Called exactly once, on the engine's writer thread, after the fsync. Must not block.
template <class T>
using Reply = std::move_only_function<void(Answer<T>)>;

struct Done {};

/// Makes a command safe to send twice: the second time the first outcome is returned.
struct Idempotency {
  std::string key;
  std::string digest; ///< SHA-256 of command and body: the same key with another body is refused
};

/// A file: BPMN or DMN.
struct Resource {
  std::string name;   ///< for messages, e.g. "order.bpmn"
  std::string source; ///< the XML
};

/// Files that belong together: deployed all or none.
struct DeployCommand {
  std::vector<Resource> resources;
  std::string tenant_id;
};

/// What a deployment made: an entry for each executable process and each decision model, and the
/// readers' warnings.
struct Deployed {
  std::vector<facts::ProcessDefinition> definitions;
  std::vector<store::DecisionModel> models;
  std::vector<definition::Diagnostic> warnings;
};

struct EvaluateCommand {
  std::string decision_id; ///< or the key of a version
  std::string tenant_id;
  std::optional<std::int64_t> version; ///< none: the latest
  Value variables;                     ///< an object, or null for none
};

struct DecisionResult {
  facts::DecisionDefinition definition;
  Value outcome; ///< as dmn/outcome_value.h says; its "error" is null unless a limit was reached
};

struct StartCommand {
  std::optional<Key> definition_id; ///< this version
  std::string process_id;           ///< else the latest version of this process
  std::string start_node_id{};      ///< the start event; empty: the only one without trigger
  std::string tenant_id;
  std::optional<std::string> business_key;
  bool unique_business_key = false;      ///< refuse a second instance with the same key
  Value variables;                       ///< an object, or null for none
  std::vector<std::string> start_before; ///< elements that begin instead of the start event
  std::optional<Key> restart_of;         ///< for the audit: the instance whose work begins anew
  std::optional<std::string> actor;      ///< likewise
  std::optional<Idempotency> idempotency;
  std::int64_t priority = 0;              ///< of a flow that waits to be let in
  std::optional<std::string> limit_key{}; ///< of a flow: with whom it shares the limits of a key
};

struct ScheduleCommand {
  std::string name;
  std::string process_id; ///< its latest version at the time
  Value input;            ///< an object, or null for none
  std::string cycle;      ///< as expr::Recurrence reads it
  store::Overlap overlap = store::Overlap::skip;
  store::Misfire misfire = store::Misfire::fire_once;
};

struct Started {
  Key instance_id = kNoKey;
  bool repeated = false; ///< true: an earlier start with the same idempotency key made it
};

struct CompleteTaskCommand {
  Key task_id = kNoKey;
  std::optional<Key> instance_id;       ///< a hint that saves a look-up
  std::optional<std::string> worker_id; ///< absent: an operator completes by hand
  std::int64_t attempt = 0;             ///< only this attempt of the worker; 0: whichever it holds
  std::optional<Value> variables;
  std::optional<Idempotency> idempotency;
  std::optional<std::string> actor; ///< by hand: who, for the audit
};

struct FailTaskCommand {
  Key task_id = kNoKey;
  std::optional<Key> instance_id;
  std::string worker_id;
  std::int64_t attempt = 0;
  std::string error_name;
  std::string error_message;
  std::optional<std::int64_t> retries;
  std::optional<Duration> retry_delay;
};

struct ExtendLockCommand {
  Key task_id = kNoKey;
  std::optional<Key> instance_id;
  std::string worker_id;
  std::int64_t attempt = 0;
  Duration lock_duration{};
};

struct ReleaseTaskCommand {
  Key task_id = kNoKey;
  std::optional<Key> instance_id;
  std::string worker_id;
  std::int64_t attempt = 0; ///< as above
};

struct CompleteUserTaskCommand {
  Key task_id = kNoKey;
  std::optional<Value> variables;
  std::optional<Idempotency> idempotency;
  std::optional<std::string> actor;
};

/// What a BPMN error or escalation is told by, from the worker that has the task.
struct ThrowCommand {
  Key task_id = kNoKey;
  std::optional<Key> instance_id;
  std::optional<std::string> worker_id; ///< absent: the person at a user task escalates
  std::int64_t attempt = 0;
  std::string code;
  std::string message;            ///< of an error
  std::optional<Value> variables; ///< an object, for the event that catches
};

/// A message for whoever waits for its name and key: a subscription, the oldest first; else a
/// process that begins by it; else whoever comes to wait for it within its time to live.
struct MessageCommand {
  std::string name;
  std::optional<std::string> correlation_key;
  std::string tenant_id;
  Value variables;                       ///< an object, or null for none
  Duration time_to_live{60 * 60'000};    ///< zero: refused when nobody waits now
  std::optional<std::string> message_id; ///< known as long as it lives: the second one is no more
  bool refuse_ambiguous = false;         ///< refused when more than one waits
  bool start_once_per_key = false;       ///< the key is a unique business key of what it starts
  bool starts_nothing = false;           ///< it waits though a process begins by such a message
  /// It is for that run of a flow, or the one that it has become by going on as a new one; once
  /// that has ended it is dropped. Its key is the run's.
  std::optional<Key> run_id{};
  std::optional<Idempotency> idempotency;
};

/// What became of a message.
struct Correlated {
  enum class Fate { taken, started, buffered, dropped };
  Fate fate = Fate::taken;
  std::optional<Key> instance_id; ///< that has it or began by it
  bool repeated = false;          ///< it was received before
};
constexpr auto enum_names(Correlated::Fate) {
  return std::array<std::string_view, 4>{"taken", "started", "buffered", "dropped"};
}

/// A signal for all that wait for it now, and all processes that begin by it.
struct SignalCommand {
  std::string name;
  std::string tenant_id;
  Value variables; ///< an object, or null for none
  std::optional<Idempotency> idempotency;
};

/// Variables that are offered: every process with a start event whose condition holds with them
/// begins by it.
struct ConditionsCommand {
  std::string tenant_id;
  Value variables; ///< an object, or null for none
  std::optional<std::string> business_key;
  std::optional<Idempotency> idempotency;
};

/// What is to begin; each has its key already and starts soon.
struct Begun {
  struct Instance {
    Key id = kNoKey;
    std::string process_id;
    std::string node_id; ///< the start event
  };
  std::vector<Instance> instances;
  bool repeated = false; ///< an earlier offer with the same idempotency key made them
};

struct CancelCommand {
  Key instance_id = kNoKey;
  std::optional<std::string> reason;
  std::optional<std::string> actor;
};

struct PauseCommand {
  Key instance_id = kNoKey;
  std::optional<std::string> reason;
  std::optional<std::string> actor;
};

struct ResumeCommand {
  Key instance_id = kNoKey;
  std::optional<std::string> actor;
};

struct SetVariablesCommand {
  Key instance_id = kNoKey;
  std::optional<Key> scope_id; ///< exactly there; absent: where the names are known, else the root
  Value variables;             ///< an object with at least one member
  std::optional<std::string> actor;
};

/// Places and ends tokens by hand; `request` says which, in order.
struct ModifyCommand {
  Key instance_id = kNoKey;
  facts::ModifyRequested request;
  bool dry_run = false; ///< nothing changes; the answer tells what would
  std::optional<std::string> actor;
};

/// Begins activities of an ad hoc sub-process that is open.
struct ChooseCommand {
  Key instance_id = kNoKey;
  Key scope_id = kNoKey; ///< that the sub-process has opened
  std::vector<std::string> activities;
  std::optional<Value> variables; ///< an object, for its scope
  std::optional<Idempotency> idempotency;
  std::optional<std::string> actor;
};

/// What a modification did, or would do.
struct Modified {
  Array facts; ///< of a dry run: objects {"type", "payload"}, in order
};

/// Lets the instance go on with another version of its process; `request` names it by its key or
/// its number.
struct MigrateCommand {
  Key instance_id = kNoKey;
  facts::MigrateRequested request;
  bool dry_run = false; ///< nothing changes; the answer tells what would
  std::optional<std::string> actor;
};

/// What a migration did, or would do.
struct Migrated {
  Array facts; ///< of a dry run: objects {"type", "payload"}, in order
};

/// Lets stuck tokens of an instance try again: one incident, or all when incident_id is absent.
/// With an incident the instance need not be named.
struct RetryCommand {
  Key instance_id = kNoKey;
  std::optional<Key> incident_id;
  std::int64_t retries = 1;
  std::optional<Value> variables; ///< an object: corrections, set before the tokens try again
  std::optional<std::string> actor;
};

/// Lets a new run go on in the place of one of a flow that has ended.
struct RestartFlowCommand {
  Key instance_id = kNoKey;
  flow::RestartPoint from;
  std::optional<Value> input{}; ///< an object of variables, instead of the earlier run's
  /// Other input is taken although the new run begins with what was done with the earlier one.
  bool insist = false;
  bool latest = false; ///< with the latest version of the flow, instead of the earlier run's
  std::optional<std::string> reason{};
  std::optional<std::string> actor{};
};

/// Gives an open step of a flow its result, so that its code goes on without its work.
struct SkipStepCommand {
  Key instance_id = kNoKey;
  std::string step;
  std::optional<Value> output{};
  std::optional<std::string> reason{};
  std::optional<std::string> actor{};
};

/// A task as a worker gets it.
struct Job {
  Key task_id = kNoKey;
  Key instance_id = kNoKey;
  Key definition_id = kNoKey;
  std::string type;
  std::string process_id;
  std::string node_id;
  std::string node_name;
  std::optional<std::string> business_key;
  std::string worker_id;
  Instant lock_expires_at{};
  std::int64_t attempt = 0; ///< from 1
  std::int64_t retries = 0; ///< attempts left, this one included
  std::int64_t priority = 0;
  Value variables; ///< an object: what the task's scope shows
  Value headers;   ///< an object of strings from the model
  /// When it has its turn at the node ("start", "end" ...); nothing: it is the node's own work.
  std::optional<std::string> listener{};
};

struct FetchCommand {
  std::string worker_id;
  std::vector<std::string> task_types;
  std::int64_t max_tasks = 1;
  Duration lock_duration{30'000};
  Duration wait{0}; ///< how long to stay parked when there is nothing
};

/// A parked fetch. The caller drops `wanted` when its client is gone: it then gets no task.
struct PollHandle {
  std::shared_ptr<std::atomic<bool>> wanted;
};

/// The end of a flow, as its handler is told.
struct Completion {
  Key instance_id = kNoKey;
  std::string flow;
  facts::InstanceStatus status = facts::InstanceStatus::completed;
  Instant finished_at{};
  std::int64_t attempt = 1;
};
/// Runs on a pool thread, many at once. After an exception it is told again.
using CompletionHandler = std::function<void(const Completion&)>;

/// What a handler says of a failed attempt.
struct JobFailure {
  std::string error_name;
  std::string message;
  bool retryable = true;
  std::optional<Duration> retry_delay;
  std::optional<std::string> bpmn_error{}; ///< its code: the model's own error, which an event of
                                           ///< the model catches
  Value variables{};                       ///< an object for that event, or null
};

/// Output variables (an object, or null for none), or why the attempt failed.
using JobResult = std::expected<Value, JobFailure>;
/// Runs on a pool thread, many at once. An exception counts as a failed attempt.
using Handler = std::function<JobResult(const Job&)>;

} // namespace perdure::engine
