// FlowRun: one run of a flow in memory: its coroutine, what the code did that is not recorded yet,
// and its callbacks. While one FlowAdvanced is on its way, what the code does next gathers: it goes
// with the next one. What is here may be thrown away at any time: the run is built anew from what
// is recorded.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "engine/commands.h"
#include "engine/fact_reader.h"
#include "engine/work.h"
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

/// Of one thread at a time, its home sees to that.
class FlowRun : public std::enable_shared_from_this<FlowRun> {
public:
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
  struct Answered { ///< what was sent is committed, or refused
    std::optional<Failure> failure;
  };
  struct Wake {};
  struct Behind {}; ///< another process has changed the run
  struct Gone {};   ///< the run is of this process no more
  using Message = std::variant<Notices, CallbackEnded, Answered, Wake, Behind, Gone>;

  /// Where runs live: it brings their messages, and takes what they send. Thread-safe.
  class Home {
  public:
    virtual ~Home() = default;
    virtual void submit(Work work) = 0;
    virtual void post(const std::shared_ptr<FlowRun>& run, Message message) = 0;
    /// Calls it on a thread of its own; not when it is stopping, which is the answer false.
    [[nodiscard]] virtual bool call(std::move_only_function<void()> callback) = 0;
    /// The run knows of its end.
    virtual void callback_ended() = 0;
    [[nodiscard]] virtual bool is_stopping() const = 0;
    [[nodiscard]] virtual const ReadHistory& history() const = 0;
  };

  /// What its home keeps with it, under the lock of its home.
  struct Place {
    std::vector<Message> inbox; // a deque would hold half a kilobyte while it is empty
    bool scheduled = false;     ///< it has a thread, or waits for one
    std::list<std::shared_ptr<FlowRun>>::iterator among;
    std::int64_t seen = 0; ///< of the writer thread: the last fact that is known here
  };

  FlowRun(Home& home, Clock& clock, Log& log, const FlowCode& code, std::string worker_id, Key id);

  [[nodiscard]] Key id() const { return id_; } ///< kNoKey until its start is committed
  [[nodiscard]] const std::string& worker_id() const { return worker_id_; }
  Place place;

  /// Runs the code of a new run up to its first rest: what it did, to be sent with the start.
  [[nodiscard]] std::vector<facts::FlowEntry> begin(const Value& input);
  /// The start is committed.
  void adopt(Key id) { id_ = id; }

  void take(Message& message);
  /// After each turn: sends what the code did, and builds anew what is not current. True: the run
  /// is over, and no callback refers to it.
  [[nodiscard]] bool settle();
  /// Throws the coroutine away.
  void forget() { machine_.reset(); }
  /// Whether all that is here is recorded as well.
  [[nodiscard]] bool may_go() const;

private:
  /// A callback that runs.
  struct Call {
    std::int64_t attempt = 1;
    std::stop_source stop;
  };

  void on(Notices& message);
  void on(CallbackEnded& message);
  void on(Answered& message);
  void on(Wake& message);
  void on(Behind& message);
  void on(Gone& message);
  void tell(const flow::Notice& notice);
  void deliver(flow::Observation heard);
  void keep_result(const std::vector<flow::Entry>& turn);
  void send(facts::EventData event);
  void flush();
  void park();

  [[nodiscard]] std::unique_ptr<flow::Machine> new_machine(const Value& input);
  void build_fresh(const Value& input);
  void build();
  void catch_up(const flow::Recorded& recorded, std::deque<flow::Notice> notices);
  [[nodiscard]] bool mark_calls(const flow::Recorded& recorded);
  void release_dropped();

  void call(const std::string& name);
  void end_callback(CallbackEnded& message);
  void fail_or_retry(const std::string& name, const flow::Failure& failure);
  void begin_or_hold(const facts::FlowEntry& entry);
  void release_held();

  Home& home_;
  Clock& clock_;
  Log& log_;
  const FlowCode& code_;
  const std::string worker_id_;
  Key id_;
  std::unique_ptr<flow::Machine> machine_;
  std::int64_t version_ = 0; ///< the last fact that the machine knows of
  std::vector<facts::FlowEntry> outgoing_;
  std::vector<facts::FlowEntry> sent_;
  bool in_flight_ = false;
  bool paused_ = false;
  bool parked_ = false;
  bool over_ = false;
  bool behind_ = false;           ///< to be built anew when all it did is recorded
  bool stale_ = false;            ///< to be built anew
  int rebuilds_ = 0;              ///< in a row
  int callbacks_ = 0;             ///< that run
  std::vector<std::string> held_; ///< runs to be tried when it is resumed
  std::map<std::string, Call> calls_;
  std::vector<CallbackEnded> late_; ///< that ended while nothing could be made of them
  /// Built before: their callbacks still use what is in their frames.
  std::vector<std::unique_ptr<flow::Machine>> retired_;
};

} // namespace perdure::engine
