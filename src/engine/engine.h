// Engine: the ring. Takes the waiting events, loads the states of their instances, decides each,
// commits all in one transaction, answers and wakes. While one batch is at the disk the next one
// gathers.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <span>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "decide/decide.h"
#include "engine/commands.h"
#include "engine/compile.h"
#include "engine/flow_host.h"
#include "engine/retention_policy.h"
#include "store/store.h"

namespace perdure::engine {

struct Options {
  std::string node_name = "node";        ///< part of the worker id of in-process handlers
  std::size_t max_batch = 512;           ///< events per transaction
  std::int64_t key_block = 65'536;       ///< keys taken at once; what is left at the end is lost
  std::size_t cached_instances = 20'000; ///< states kept between decisions
  std::size_t handler_threads = 2;
  std::size_t handler_capacity = 512; ///< tasks leased to in-process handlers, to begin with
  Duration handler_lease{10'000};     ///< renewed while the handler runs
  std::size_t completion_threads = 2; ///< that tell the ends of flows
  Duration idempotency_ttl{24 * 3'600'000};
  RetentionPolicy retention; ///< of instances that have ended
  FlowHost::Settings flows;
  Duration flow_lease{15'000}; ///< of this process on the flows that it calls callbacks of
  decide::Policy policy;
};

/// Told after every commit, on the writer thread. Must not block.
class Listener {
public:
  Listener() = default;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  virtual ~Listener() = default;
  virtual void committed(const facts::InstanceState& state, std::span<const facts::Fact> facts) = 0;
};

/// Counts since the start; read by metrics and the benchmark.
struct Counters {
  std::atomic<std::int64_t> batches{0};
  std::atomic<std::int64_t> events{0};
  std::atomic<std::int64_t> facts{0};
  std::atomic<std::int64_t> conflicts{0}; ///< units whose instance another node had changed
  std::atomic<std::int64_t> reloads{0};   ///< cached states dropped, for the same reason
  std::atomic<std::int64_t> retried{0};   ///< works decided again after a commit that failed
  std::atomic<std::int64_t> in_doubt{0};  ///< units of a commit that was not answered
  std::atomic<std::int64_t> resolved{0};  ///< works of such units whose end is known since
  std::atomic<std::int64_t> repeated{0};  ///< commands answered from an idempotency record
  std::atomic<std::int64_t> refusals{0};
  std::atomic<std::int64_t> fenced{0};      ///< of these: the lease was over or another's
  std::atomic<std::int64_t> claims_lost{0}; ///< tasks offered to a worker that were taken already
  std::atomic<std::int64_t> instances_completed{0};
  std::atomic<std::int64_t> instances_purged{0}; ///< removed at the end of their retention
  std::atomic<std::int64_t> rows_purged{0};      ///< that went with them
  std::atomic<std::int64_t> fetches_waiting{0};  ///< now
};

/// Thread-safe, but for `handle` and `listen`, which come before start().
class Engine {
public:
  Engine(std::unique_ptr<store::Store> store, Compile compile, Clock& clock, Log& log,
         Options options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// In-process worker for a task type. Before start().
  void handle(std::string type, Handler handler);
  /// Before start().
  void listen(Listener& listener);
  /// Is told the ends of runs of that flow. An empty one: nobody is, from now on. Before start().
  void on_end(std::string flow, CompletionHandler handler);
  /// The code of a version of a flow. Before start(), with `read`, which gives recorded facts.
  void define(FlowCode code);
  void read_history_with(ReadHistory read);
  /// Begins to work: first what a dead process of this database left behind, then all that comes.
  Result<void> start();
  /// Answers the fetches that wait with what they have; from now on none waits. Comes before the
  /// end of whatever serves the workers.
  void end_waits();
  /// Finishes what was accepted, lets running handlers end, releases the tasks that wait for one,
  /// and stops. Idempotent.
  void stop();
  /// Looks for due rows at once (a virtual clock has moved).
  void wake();
  /// Returns when nothing is left to do until time passes or a command comes, and no handler and no
  /// callback runs; with the time at which the next row is due. For clocks that a test moves.
  [[nodiscard]] std::optional<Instant> settle();
  /// The time by which it decides; never goes back.
  [[nodiscard]] Instant now() const;

  /// Reads and compiles on the caller's thread, then stores.
  void deploy(DeployCommand command, Reply<Deployed> reply);
  /// Evaluates a deployed decision, on the caller's thread.
  [[nodiscard]] Answer<DecisionResult> evaluate(store::Reader& reader,
                                                const EvaluateCommand& command);
  void start_instance(StartCommand command, Reply<Started> reply);
  void complete_task(CompleteTaskCommand command, Reply<Done> reply);
  void fail_task(FailTaskCommand command, Reply<Done> reply);
  /// Answers with the new end of the lock.
  void extend_lock(ExtendLockCommand command, Reply<Instant> reply);
  void complete_user_task(CompleteUserTaskCommand command, Reply<Done> reply);
  void cancel(CancelCommand command, Reply<Done> reply);
  void retry(RetryCommand command, Reply<Done> reply);
  /// Until it is resumed nothing happens in the instance. Timers that were due meanwhile fire then;
  /// locks last another minute at least.
  void pause(PauseCommand command, Reply<Done> reply);
  void resume(ResumeCommand command, Reply<Done> reply);
  void set_variables(SetVariablesCommand command, Reply<Done> reply);
  void modify(ModifyCommand command, Reply<Modified> reply);
  /// Refused with every reason when something live cannot go on in that version.
  void migrate(MigrateCommand command, Reply<Migrated> reply);
  /// Reads the earlier run on the caller's thread.
  void restart_flow(RestartFlowCommand command, Reply<Started> reply);
  void skip_step(SkipStepCommand command, Reply<Done> reply);
  void choose_activities(ChooseCommand command, Reply<Done> reply);
  /// An error of the model's own: the nearest event that catches it goes on instead of the task.
  void throw_error(ThrowCommand command, Reply<Done> reply);
  /// The task goes on unless the event that catches the escalation interrupts it.
  void throw_escalation(ThrowCommand command, Reply<Done> reply);
  /// Answers once the message is taken, or kept for its time to live.
  void send_message(MessageCommand command, Reply<Correlated> reply);
  /// Answers once the signal is kept; it then reaches everybody who waits for it.
  void send_signal(SignalCommand command, Reply<Done> reply);
  /// Starts a process or flow again and again, in the place of the schedule of that name, if there
  /// is one. The same schedule once more changes nothing.
  void schedule(ScheduleCommand command, Reply<Done> reply);
  /// Nothing happens when there is none of that name.
  void unschedule(std::string name, Reply<Done> reply);
  /// Answers once it is kept what begins; the instances start soon after.
  void offer_conditions(ConditionsCommand command, Reply<Begun> reply);
  /// The holder of the lock gives the task back without having begun: it is available at once, and
  /// the attempt does not count.
  void release_task(ReleaseTaskCommand command, Reply<Done> reply);
  /// Tasks that never reached their worker: released in its name.
  void give_back(const std::vector<Job>& jobs);
  /// Answers with tasks locked for the worker; with none when `wait` is over.
  PollHandle fetch(FetchCommand command, Reply<std::vector<Job>> reply);

  [[nodiscard]] const Counters& counters() const;

private:
  class Ring;
  std::unique_ptr<Ring> ring_;
};

/// Sends a command and waits for its answer: `ask<Started>([&](auto r) { engine.start_instance(c,
/// std::move(r)); })`. Not from the writer thread.
template <class T, class Send>
[[nodiscard]] Answer<T> ask(Send&& send) {
  std::promise<Answer<T>> promise;
  auto future = promise.get_future();
  send(Reply<T>([&promise](Answer<T> answer) { promise.set_value(std::move(answer)); }));
  return future.get();
}

} // namespace perdure::engine
