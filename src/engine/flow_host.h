// FlowHost: has the coroutines of flows in memory and calls their callbacks. What happens to a run
// comes as committed facts; what its code does goes to the ring as an event of its own. A callback
// is called only when its attempt is in the database. What is in memory may be thrown away at any
// time: the run is built anew from what is recorded.
//
//   committed facts --> inbox of the run --> its coroutine (one thread at a time)
//   ring <-- FlowAdvanced <-- what it did      | callbacks, on pool threads
//
// While one FlowAdvanced is on its way, what the code does next gathers: it goes with the next one.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "engine/commands.h"
#include "engine/fact_reader.h"
#include "engine/pool.h"
#include "engine/work.h"
#include "facts/instance_state.h"
#include "flow/failure.h"
#include "flow/machine.h"
#include "flow/record.h"
#include "store/flow_store.h"

namespace perdure::engine {

/// The code of one version of a flow.
struct FlowCode {
  std::string name;
  std::int64_t version = 1;
  /// The program of a run with that input (an object of variables). Thread-safe.
  std::function<flow::Machine::Program(const Value& input)> program;
  /// Of all runs of the name; those of its highest version count. The name in it is not looked at.
  std::optional<store::FlowLimit> limit{};
};

class FlowHost {
public:
  struct Settings {
    std::size_t callback_threads = 8;
    std::size_t resident = 10'000; ///< runs kept in memory that only wait
  };
  using Submit = std::function<void(Work)>;

  FlowHost(Settings settings, Clock& clock, Log& log, Submit submit);
  ~FlowHost();
  FlowHost(const FlowHost&) = delete;
  FlowHost& operator=(const FlowHost&) = delete;

  // ---- before start() ----
  void define(FlowCode code) { codes_.push_back(std::move(code)); }
  void read_with(ReadHistory read) { read_ = std::move(read); }
  [[nodiscard]] const ReadHistory& history() const { return read_; }
  [[nodiscard]] const std::vector<FlowCode>& codes() const { return codes_; }
  /// That version of the database is the code of that place in codes().
  void bind(Key definition_id, std::size_t code);
  /// `worker_id`: unique for this start of the process.
  void start(std::string worker_id);

  // ---- of any thread ----
  /// Begins a run whose code is here: it runs up to its first rest before the start is decided, so
  /// that the start and the first step are one commit. False: the start is not for this host, and
  /// `work` is as it was.
  [[nodiscard]] bool begin(Work& work);

  // ---- of the writer thread ----
  /// Whether they are of a start that came with what its code did first, in this process.
  [[nodiscard]] bool is_begun_here(std::span<const facts::Fact> facts) const;
  /// After the commit, before the state forgets what is over.
  void committed(const facts::InstanceState& state, std::span<const facts::Fact> facts);
  /// A run that waits for a process to go on with it. When it is in memory already and another
  /// process has changed it, it takes that in.
  void wake(const store::ReadyFlow& flow);
  /// Others take this process for dead: it forgets all runs and goes on as another worker. What
  /// the callbacks that run now will give is not heard.
  void begin_anew(std::string worker_id);

  /// Calls no more callbacks, lets those that run end and reports them, then forgets all runs.
  void stop();

  [[nodiscard]] std::size_t resident() const;
  /// Returns when no coroutine and no callback runs or waits for its thread.
  void await_quiet();
  /// How many messages runs have had so far.
  [[nodiscard]] std::uint64_t posted() const;

private:
  // ---- what comes to a run ----
  struct Notices {
    std::vector<flow::Notice> notices;
    std::int64_t sequence = 0; ///< of the last fact that was committed with them
    std::optional<bool> paused;
    std::optional<Value> input; ///< the run is new
    bool inherits = false;      ///< and begins with what an earlier one did
    bool retry = false;         ///< an incident was resolved
    bool lost = false;          ///< another process has it now
    bool over = false;
  };
  struct CallbackEnded {
    std::string name;
    std::int64_t attempt = 1;
    std::optional<Value> value;
    std::optional<flow::Failure> failure;
  };
  struct Answered {
    std::optional<Failure> failure;
  };
  struct Wake {};
  struct Behind {}; ///< another process has changed the run
  struct Gone {};   ///< the run is of this process no more
  using Message = std::variant<Notices, CallbackEnded, Answered, Wake, Behind, Gone>;

  /// A callback that runs.
  struct Call {
    std::int64_t attempt = 1;
    std::stop_source stop;
  };

  struct Run {
    Run(Key instance, std::size_t its_code, std::string worker)
        : id(instance), code(its_code), worker_id(std::move(worker)) {}
    Key id; ///< kNoKey until its start is committed
    const std::size_t code;
    const std::string worker_id;
    std::int64_t seen = 0; ///< of the writer thread: the last fact that is known here
    // Guarded by mutex_.
    std::vector<Message> inbox; // a deque would hold half a kilobyte while it is empty
    bool scheduled = false;
    std::list<std::shared_ptr<Run>>::iterator place;
    // Of the thread that runs it.
    std::unique_ptr<flow::Machine> machine;
    std::int64_t version = 0; ///< the last fact that the machine knows of
    std::vector<facts::FlowEntry> outgoing;
    std::vector<facts::FlowEntry> sent;
    bool in_flight = false;
    bool paused = false;
    bool parked = false;
    bool over = false;
    bool behind = false;           ///< to be built anew when all it did is recorded
    bool stale = false;            ///< to be built anew
    int rebuilds = 0;              ///< in a row
    int callbacks = 0;             ///< that run
    std::vector<std::string> held; ///< runs to be tried when it is resumed
    std::map<std::string, Call> calls;
    std::vector<CallbackEnded> late; ///< that ended while it was to be built anew
    /// Built before: their callbacks still use what is in their frames.
    std::vector<std::unique_ptr<flow::Machine>> retired;
  };
  using RunPtr = std::shared_ptr<Run>;

  [[nodiscard]] std::optional<Notices> notices_of(const facts::InstanceState& state,
                                                  std::span<const facts::Fact> facts) const;
  void add_run(Key instance_id, std::size_t code, std::int64_t seen);
  void begin_now(Work work, Key definition_id, std::size_t code);
  void adopt(const RunPtr& run, Key instance_id);
  void post(Key instance_id, Message message);
  void post(const RunPtr& run, Message message);
  void go_on(const RunPtr& run);
  void trim();

  void take(const RunPtr& run, Notices& message);
  void take(const RunPtr& run, CallbackEnded& message);
  void take(const RunPtr& run, Answered& message);
  void take(const RunPtr& run, Wake& message);
  void take(const RunPtr& run, Behind& message);
  void take(const RunPtr& run, Gone& message);
  void end_callback(const RunPtr& run, CallbackEnded& message);
  [[nodiscard]] bool mark_calls(const RunPtr& run, const flow::Recorded& recorded);
  void release_dropped(const RunPtr& run);
  void tell(const RunPtr& run, const flow::Notice& notice);
  void build(const RunPtr& run);
  void build_fresh(const RunPtr& run, const Value& input);
  void catch_up(const RunPtr& run, const flow::Recorded& recorded,
                std::deque<flow::Notice> notices);
  void deliver(const RunPtr& run, flow::Observation heard);
  void fail_or_retry(const RunPtr& run, const std::string& name, const flow::Failure& failure);
  void call(const RunPtr& run, const std::string& name);
  void begin_or_hold(const RunPtr& run, const facts::FlowEntry& entry);
  void release_held(const RunPtr& run);
  [[nodiscard]] bool is_stopping() const;
  void flush(const RunPtr& run);
  void settle(const RunPtr& run);
  void drop(const RunPtr& run);
  [[nodiscard]] std::unique_ptr<flow::Machine> machine_of(const Run& run, const Value& input);

  const Settings settings_;
  Clock& clock_;
  Log& log_;
  const Submit submit_;
  ReadHistory read_;
  std::vector<FlowCode> codes_;
  std::unordered_map<Key, std::size_t> by_definition_;
  std::unordered_map<std::string, Key> latest_; ///< the highest version by name
  std::string worker_id_;
  std::int64_t begun_until_ = 0; ///< of the writer thread: the last fact of the last start
  Pool coroutines_;
  Pool callbacks_;
  mutable std::mutex mutex_;
  std::condition_variable quiet_;
  std::unordered_map<Key, RunPtr> runs_;
  std::list<RunPtr> order_; ///< the one that was at work longest ago first
  bool stopping_ = false;
  int open_callbacks_ = 0;
  std::size_t scheduled_ = 0; ///< runs that have a thread, or wait for one
  std::uint64_t posted_ = 0;
};

} // namespace perdure::engine
