// Engine: Perdure inside your own program. One SQLite file, BPMN and DMN models, and your
// functions as workers. Needs the standard library only.
//
//   perdure::Engine engine{perdure::sqlite("orders.db")};
//   engine.handle("charge", [](const perdure::Job& job) -> perdure::Value {
//     return perdure::Object{{"receipt", charge_card(job.variables)}};
//   });
//   engine.deploy_file("order.bpmn");
//   auto id = engine.start("order", perdure::Object{{"amount", 120}});
//   auto outcome = engine.wait(*id);
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "perdure/result.h"
#include "perdure/value.h"

namespace perdure {

/// Where an engine keeps everything.
struct Storage {
  std::string path;
};

/// A SQLite file, made when it does not exist. One engine at a time uses it.
[[nodiscard]] Storage sqlite(std::string path);

/// A file of a deployment: BPMN or DMN.
struct Resource {
  std::string name;
  std::string xml;
};

/// A task as its handler gets it.
struct Job {
  std::int64_t task_id = 0;
  std::int64_t instance_id = 0;
  std::string type;
  std::string process_id;
  std::string node_id;
  std::optional<std::string> business_key;
  std::int64_t attempt = 0; ///< from 1; a handler may be called again after a crash
  Value variables;          ///< an object: what the task's scope shows
  Value headers;            ///< an object of texts from the model
  /// Of a listener: when it has its turn ("start", "end" ...); it throws no BpmnError.
  std::optional<std::string> listener{};
};

/// What a handler throws to fail its attempt and to say more than an exception's text can.
class TaskFailed : public std::runtime_error {
public:
  /// `retryable` false: no further attempt, an incident follows at once.
  TaskFailed(std::string name, const std::string& message, bool retryable = true);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool retryable() const { return retryable_; }

private:
  std::string name_;
  bool retryable_;
};

/// What a handler throws to report an error of the model's own: the nearest event that catches the
/// code goes on instead of the task.
class BpmnError : public std::runtime_error {
public:
  explicit BpmnError(std::string code, const std::string& message = {}, Value variables = {});

  [[nodiscard]] const std::string& code() const { return code_; }
  [[nodiscard]] const Value& variables() const { return variables_; }

private:
  std::string code_;
  Value variables_; ///< an object for that event, or null
};

/// Does the work of a task and returns its output variables (an object; null for none). Runs on a
/// pool thread, many at once. An exception counts as a failed attempt.
using TaskHandler = std::function<Value(const Job&)>;

enum class InstanceStatus { pending, running, paused, completed, failed, cancelled };

/// An instance as it is now.
struct Instance {
  std::int64_t id = 0;
  InstanceStatus status = InstanceStatus::pending;
  Value variables; ///< an object: those of the process itself
};

struct StartOptions {
  std::optional<std::string> business_key;
  /// Started again with the same key, the first instance is returned.
  std::optional<std::string> idempotency_key;
  /// The start event that begins, when there are several.
  std::string start_node_id{};
};

struct MessageOptions {
  std::optional<std::string> correlation_key;
  std::chrono::milliseconds time_to_live = std::chrono::hours(1); ///< zero: who waits now, or none
  /// While the first message of this name and id lives, a second one has no effect.
  std::optional<std::string> message_id;
  bool refuse_ambiguous = false; ///< when more than one could have it
};

struct ConditionOptions {
  std::optional<std::string> business_key; ///< of each instance that begins
  /// Offered again with the same key, the answer is the first one's.
  std::optional<std::string> idempotency_key;
};

struct MigrateOptions {
  /// New ids by old ones, of elements and flows that are called otherwise in the version.
  std::map<std::string, std::string> mapping{};
  bool dry_run = false; ///< only find out whether it can go on
};

struct EngineOptions {
  std::size_t handler_threads = 4;
  /// How long an instance is kept after its end; then it is removed. Absent: for ever.
  std::optional<std::chrono::milliseconds> retention = std::chrono::hours(30 * 24);
};

/// Thread-safe, but for `handle`, which comes before the first other call: that one opens the file,
/// brings its schema up to date and goes on with what an earlier run left unfinished.
class Engine {
public:
  explicit Engine(Storage storage, EngineOptions options = {});
  /// Lets running handlers end; what is unfinished goes on at the next start.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// The worker of a task type.
  void handle(std::string type, TaskHandler handler);
  /// Opens the file now, to see early whether that works. Errors: unavailable, conflict.
  Result<void> open();

  /// Deploys every executable process of a BPMN model, or the decisions of a DMN model; their ids.
  /// Deploying the same model again changes nothing. Errors: invalid_input with all that is wrong,
  /// a line each.
  Result<std::vector<std::string>> deploy_file(const std::string& path);
  Result<std::vector<std::string>> deploy(const std::string& xml, const std::string& name);
  /// The same for files that belong together, such as a process and the decisions that it calls:
  /// all or none.
  Result<std::vector<std::string>> deploy_files(const std::vector<std::string>& paths);
  Result<std::vector<std::string>> deploy(std::vector<Resource> resources);

  /// What the latest version of a decision gives. Errors: not_found, invalid_input when a limit
  /// ended the evaluation.
  Result<Value> decide(const std::string& decision_id, Value variables = {});

  /// Starts the latest version of a process; the instance's id. Durable on return.
  Result<std::int64_t> start(const std::string& process_id, Value variables = {},
                             StartOptions options = {});
  /// Sends a message to who waits for its name and key, or starts what begins by it: the instance
  /// that has it. None: it is kept for its time to live.
  Result<std::optional<std::int64_t>> send_message(const std::string& name, Value variables = {},
                                                   MessageOptions options = {});
  /// Sends a signal to all who wait for it. Durable on return; they have it soon after.
  Result<void> send_signal(const std::string& name, Value variables = {});
  /// Begins every process with a start event whose condition holds with these variables; the ids of
  /// the instances. Durable on return; they begin soon after, and are not_found until then.
  Result<std::vector<std::int64_t>> offer(Value variables, ConditionOptions options = {});
  /// Completes a task by hand, of a worker or of a person.
  Result<void> complete(std::int64_t task_id, Value variables = {});
  Result<void> cancel(std::int64_t instance_id, const std::string& reason = {});
  /// Lets a running instance go on with that version of its process. Errors: conflict with every
  /// reason when something live cannot go on there.
  Result<void> migrate(std::int64_t instance_id, std::int64_t version, MigrateOptions options = {});
  /// Begins activities of the ad hoc sub-process that is open at that element; it must be open once
  /// only. Errors: not_found, invalid_input, refused with the reason.
  Result<void> choose_activities(std::int64_t instance_id, const std::string& element_id,
                                 std::vector<std::string> activities, Value variables = {});

  [[nodiscard]] Result<Instance> instance(std::int64_t instance_id);
  /// Waits until the instance has ended, at most `limit`; the instance as it is then.
  Result<Instance> wait(std::int64_t instance_id,
                        std::chrono::milliseconds limit = std::chrono::hours(24));

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace perdure
