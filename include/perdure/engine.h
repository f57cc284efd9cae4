// Engine: Perdure inside your own program. A SQLite file or a PostgreSQL database, BPMN and DMN
// models, and your functions as workers. Needs the standard library only.
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
#include <type_traits>
#include <utility>
#include <vector>

#include "perdure/api.h"
#include "perdure/result.h"
#include "perdure/value.h"

namespace perdure {

class Storage;

namespace app {
class Assembly;
struct AssemblyOptions;
struct TestBed;
Result<void> read_storage(const Storage& storage, AssemblyOptions& options);
} // namespace app

struct PostgresOptions {
  /// In the database, made when there is none: lower case letters, digits and `_`.
  std::string schema = "perdure";
  /// Of this engine among those on the database. One that takes the place of another, which is
  /// dead, under the same name goes on at once with what that one was doing, instead of after its
  /// lease. Empty: a name that nobody else has.
  std::string node_name{};
  /// An engine that gives no sign of life for so long is taken for dead: what it was doing is
  /// recorded as interrupted and done by others, and what it may still report is refused. From 1 s
  /// to a day.
  std::chrono::milliseconds lease{15'000};
  /// The schema is brought up to date; false: it is a conflict when it is not.
  bool migrate = true;
};

/// Where an engine keeps everything: what sqlite, postgres and database give.
class Storage {
private:
  friend PERDURE_API Storage sqlite(std::string path);
  friend PERDURE_API Storage postgres(std::string url, PostgresOptions options);
  friend Result<void> app::read_storage(const Storage& storage, app::AssemblyOptions& options);
  Storage(std::string place, std::optional<PostgresOptions> postgres)
      : place_(std::move(place)), postgres_(std::move(postgres)) {}

  std::string place_;                       ///< a file or a URL
  std::optional<PostgresOptions> postgres_; ///< none: SQLite
};

/// A SQLite file, made when it does not exist. One engine at a time uses it.
[[nodiscard]] PERDURE_API Storage sqlite(std::string path);
/// A PostgreSQL database, postgres://USER@HOST/NAME. Any number of engines, in this program and in
/// others, use it at the same time and do the work together.
[[nodiscard]] PERDURE_API Storage postgres(std::string url, PostgresOptions options = {});
/// What a person gives as a database: a URL that begins with postgres:// or postgresql://, or else
/// a file.
[[nodiscard]] PERDURE_API Storage database(std::string place);

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
  std::optional<std::string> business_key{};
  std::int64_t attempt = 0; ///< from 1; a handler may be called again after a crash
  Value variables;          ///< an object: what the task's scope shows
  Value headers;            ///< an object of texts from the model
  /// Of a listener: when it has its turn ("start", "end" ...); it throws no BpmnError.
  std::optional<std::string> listener{};
};

/// What a handler throws to fail its attempt and to say more than an exception's text can.
class PERDURE_API TaskFailed : public std::runtime_error {
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
class PERDURE_API BpmnError : public std::runtime_error {
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
  Value variables;                         ///< an object: those of the process itself
  std::optional<std::string> end_reason{}; ///< why it failed or was cancelled
};

/// The end of a flow, as its handler is told.
struct Completion {
  std::string id; ///< the same each time this end is told
  std::int64_t run_id = 0;
  std::string flow;
  InstanceStatus status = InstanceStatus::completed;
  std::optional<Value> output{};       ///< what it gave
  std::optional<std::string> reason{}; ///< why it failed or was cancelled
  std::chrono::sys_time<std::chrono::milliseconds> finished_at{};
  std::int64_t attempt = 1;
};

/// Runs on a pool thread, many at once. May be called again with the same end, after an exception
/// or when its process is killed: who must not act twice remembers the id.
using CompletionHandler = std::function<void(const Completion&)>;

struct StartOptions {
  /// The run's own id, unique among those of its name: a second start with the same id returns the
  /// first run, whatever its input.
  std::optional<std::string> id{};
  std::optional<std::string> business_key{};
  /// Started again with the same key, the first instance is returned.
  std::optional<std::string> idempotency_key{};
  /// The start event that begins, when there are several.
  std::string start_node_id{};
  /// Of a flow whose limits make it wait: the highest begins first, of equal ones the oldest.
  std::int64_t priority = 0;
  /// Of a flow: with whom it shares the limits of a key.
  std::optional<std::string> limit_key{};
};

/// Where a new run of a flow goes on in the place of one that has ended. What the earlier run did
/// before that place is not done again; with no place named, all of it is.
struct RestartOptions {
  std::optional<std::string> from_step{}; ///< before the code asked for it
  bool from_failure = false;              ///< instead: where it failed; only what failed is redone
  std::optional<Value> input{};           ///< instead of the earlier run's, as encode() gives it
  bool insist = false;  ///< other input is taken although the new run goes on in the middle
  bool latest = false;  ///< the latest version of the flow, instead of the earlier run's
  std::string reason{}; ///< for the audit, as `actor` is
  std::string actor{};
};

struct VerifyOptions {
  std::int64_t ended = 0; ///< how many runs of each flow that have ended are looked at too
};

/// A run that the code of this program does not fit.
struct Misfit {
  std::int64_t run_id = 0;
  std::string flow;
  std::int64_t version = 1;
  bool missing_version = false; ///< the program does not define it; else:
  std::string asked{};          ///< what the code asks for
  std::string recorded{};       ///< where the run has recorded this
  std::string advice{};
};

struct Verification {
  std::int64_t runs = 0; ///< that were looked at
  std::vector<Misfit> misfits;
  [[nodiscard]] bool fits() const { return misfits.empty(); }
};

struct FlowProgram; ///< perdure/flow.h

/// So many in any period of that length.
struct Rate {
  std::int64_t count = 0; ///< 0: as many as there are
  std::chrono::milliseconds period{1000};
};

/// What the runs of a flow may do together, on all nodes of the database. 0: no limit. A run that
/// has no room is pending until it has.
struct FlowLimits {
  std::int64_t running = 0;
  std::int64_t running_per_key = 0; ///< of those with the same StartOptions::limit_key
  Rate starts{};
  Rate starts_per_key{};
};

struct FlowOptions {
  std::int64_t version = 1;
  /// For the runs of all versions; what the highest version says counts.
  FlowLimits limits{};
};

/// What a schedule does while the run that it started before has not ended.
enum class Overlap {
  skip,            ///< this time is passed over
  queue,           ///< it is started when the other one ends
  cancel_previous, ///< the other one is cancelled
  allow,
};

/// What a schedule does about times at which nobody was there.
enum class Misfire {
  fire_once, ///< it is started once for all of them
  fire_all,  ///< once for each
  skip,      ///< they are passed over, when they are more than a minute ago
};

struct ScheduleOptions {
  /// Minute, hour, day of month, month, day of week; or six fields that begin with the second; or
  /// "@daily" and its like. Either this or `every`.
  std::string cron{};
  std::string zone = "UTC"; ///< whose clock cron follows, "Europe/Berlin"
  std::chrono::seconds every{0};
  Overlap overlap = Overlap::skip;
  Misfire misfire = Misfire::fire_once;
};

struct MessageOptions {
  std::optional<std::string> correlation_key{};
  std::chrono::milliseconds time_to_live = std::chrono::hours(1); ///< zero: who waits now, or none
  /// While the first message of this name and id lives, a second one has no effect.
  std::optional<std::string> message_id{};
  bool refuse_ambiguous = false; ///< when more than one could have it
};

struct ConditionOptions {
  std::optional<std::string> business_key{}; ///< of each instance that begins
  /// Offered again with the same key, the answer is the first one's.
  std::optional<std::string> idempotency_key{};
};

struct MigrateOptions {
  /// New ids by old ones, of elements and flows that are called otherwise in the version.
  std::map<std::string, std::string> mapping{};
  bool dry_run = false; ///< only find out whether it can go on
};

struct EngineOptions {
  std::size_t handler_threads = 4;
  /// Callbacks of flows that are called at the same time.
  std::size_t callback_threads = 8;
  /// Flows that only wait are kept in memory up to so many; an event builds the others anew.
  std::size_t resident_flows = 10'000;
  /// How long an instance is kept after its end; then it is removed. Absent: for ever.
  std::optional<std::chrono::milliseconds> retention = std::chrono::hours(30 * 24);
};

/// Thread-safe, but for `handle`, `define` and `on_end`, which come before the first other call:
/// that one opens the database, brings its schema up to date and goes on with what an earlier run
/// left unfinished.
class PERDURE_API Engine {
public:
  explicit Engine(Storage storage, EngineOptions options = {});
  /// Lets running handlers end; what is unfinished goes on at the next start.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// The worker of a task type.
  void handle(std::string type, TaskHandler handler);
  /// A durable workflow: `engine.define<fulfil>("order")`, where `fulfil` is a coroutine that takes
  /// a perdure::Flow& and one input by value, and returns a perdure::Task. Needs perdure/flow.h.
  /// Runs that are under way stay on the version that they began with, so that it must stay defined
  /// as long as there are any; new ones begin on the highest.
  template <auto coroutine>
  void define(std::string name, std::int64_t version = 1);
  /// `engine.define<fulfil>("order", {.version = 2, .limits = {.running = 10}})`
  template <auto coroutine>
  void define(std::string name, FlowOptions options);
  void define_flow(std::string name, FlowOptions options, const FlowProgram& program);

  /// Is told the end of each run of that flow, however it ends: at least once, also when the
  /// program that ends it does not have this handler. What it throws changes nothing of the run: it
  /// is told again after 1 s, 2 s, 4 s ... at most 1 h. Runs that ended before there was a handler
  /// are not told. A null handler: nobody is told any more.
  void on_end(std::string flow, CompletionHandler handler);

  /// Replays what is recorded of every run that has not ended against the flows that are defined
  /// here, without doing or writing anything, also beside other programs that use the database:
  /// before a deployment, whether all of them will go on. Errors: unavailable, conflict.
  Result<Verification> verify(VerifyOptions options = {});

  /// Opens the database now, to see early whether that works. Errors: invalid_input, unavailable,
  /// conflict.
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
  /// Starts a flow with an input of its own type. Needs perdure/flow.h.
  template <class Input>
    requires(!std::is_same_v<Input, Value> && !std::is_same_v<Input, Object>)
  Result<std::int64_t> start(const std::string& flow, const Input& input,
                             StartOptions options = {});
  /// Starts a flow or process again and again, each time as a run of its own with the id
  /// "name@time". In the place of the schedule of that name, if there is one; the same schedule
  /// once more changes nothing. Errors: invalid_input.
  Result<void> schedule(const std::string& name, const std::string& process_id, Value variables,
                        ScheduleOptions options);
  /// The same with an input of the flow's own type. Needs perdure/flow.h.
  template <class Input>
    requires(!std::is_same_v<Input, Value> && !std::is_same_v<Input, Object>)
  Result<void> schedule(const std::string& name, const std::string& flow, const Input& input,
                        ScheduleOptions options);
  /// Runs that it has started go on. Nothing happens when there is none of that name.
  Result<void> unschedule(const std::string& name);
  /// Sends an event to a flow: the step that waits for that name longest has it, or the next one
  /// that comes to wait. Of one that has ended nothing comes. `message_id`: a second event of this
  /// name and id has no effect. Needs perdure/flow.h.
  template <class Payload>
  Result<void> send(std::int64_t flow_id, const std::string& event, const Payload& payload,
                    std::optional<std::string> message_id = {});
  Result<void> send(std::int64_t flow_id, const std::string& event,
                    std::optional<std::string> message_id = {});
  /// Waits for the end of a flow and gives what it gave. Errors: conflict when it failed or was
  /// cancelled, with the reason; unavailable when the time is up. Needs perdure/flow.h.
  template <class T>
  Result<T> result(std::int64_t flow_id, std::chrono::milliseconds limit = std::chrono::hours(24));
  Result<std::optional<Value>> output(std::int64_t flow_id, std::chrono::milliseconds limit);
  /// Holds a flow or process: nothing new begins in it until it is resumed.
  Result<void> pause(std::int64_t instance_id, const std::string& reason = {});
  Result<void> resume(std::int64_t instance_id);

  /// Begins a new run in the place of one that has ended; its id. It rests on an incident when its
  /// code does not do what was done before that place. Errors: not_found, invalid_input, conflict
  /// with the reason.
  Result<std::int64_t> restart(std::int64_t run_id, RestartOptions options = {});
  /// Gives an open step of a flow its result, as encode() gives it: its code goes on without its
  /// work. Errors: not_found, conflict with the reason.
  Result<void> skip_step(std::int64_t flow_id, const std::string& step,
                         std::optional<Value> result = {}, const std::string& reason = {});

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

protected:
  // For TestEngine (perdure/testing.h).
  Engine(const app::TestBed& bed, EngineOptions options);
  Result<app::Assembly*> assembly();
  /// Ends as the destructor does. The next call opens again.
  void close();

private:
  Result<void> send_event(std::int64_t flow_id, const std::string& event, Value variables,
                          std::optional<std::string> message_id);
  class PERDURE_HIDDEN Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace perdure
