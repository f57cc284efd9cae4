// FlowHost: has the runs of flows in memory and calls their callbacks. What happens to a run comes
// as committed facts; what its code does goes to the ring as an event of its own. A callback is
// called only when its attempt is in the database.
//
//   committed facts --> inbox of the run --> its coroutine (one thread at a time)
//   ring <-- FlowAdvanced <-- what it did      | callbacks, on pool threads
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "engine/fact_reader.h"
#include "engine/flow_run.h"
#include "engine/pool.h"
#include "engine/work.h"
#include "facts/instance_state.h"
#include "store/flow_store.h"

namespace perdure::engine {

class FlowHost final : private FlowRun::Home {
public:
  struct Settings {
    std::size_t callback_threads = 8;
    std::size_t resident = 10'000; ///< runs kept in memory that only wait
  };
  using Submit = std::function<void(Work)>;

  FlowHost(Settings settings, Clock& clock, Log& log, Submit submit);
  ~FlowHost() override;
  FlowHost(const FlowHost&) = delete;
  FlowHost& operator=(const FlowHost&) = delete;

  // ---- before start() ----
  void define(FlowCode code) { codes_.push_back(std::move(code)); }
  void read_with(ReadHistory read) { read_ = std::move(read); }
  [[nodiscard]] const ReadHistory& history() const override { return read_; }
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
  /// After the commit, before the state forgets what is over. Of a start that came with what its
  /// code did first, in this process, the last fact: whoever sent it has its coroutine.
  [[nodiscard]] std::optional<std::int64_t> committed(const facts::InstanceState& state,
                                                      std::span<const facts::Fact> facts);
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
  using RunPtr = std::shared_ptr<FlowRun>;

  void submit(Work work) override { submit_(std::move(work)); }
  void post(const RunPtr& run, FlowRun::Message message) override;
  [[nodiscard]] bool call(std::move_only_function<void()> callback) override;
  void callback_ended() override;
  [[nodiscard]] bool is_stopping() const override;

  [[nodiscard]] bool is_begun_here(std::span<const facts::Fact> facts) const;
  [[nodiscard]] std::optional<FlowRun::Notices> notices_of(
      const facts::InstanceState& state, std::span<const facts::Fact> facts) const;
  [[nodiscard]] RunPtr new_run(Key instance_id, std::size_t code);
  void enter(const RunPtr& run, std::int64_t seen);
  void leave(FlowRun& run);
  [[nodiscard]] bool queue(const RunPtr& run, FlowRun::Message message);
  void hand_over(RunPtr run);
  void end_turn();
  void begin_now(Work work, Key definition_id);
  void adopt(const RunPtr& run, Key instance_id, std::int64_t seen);
  void go_on(const RunPtr& run);
  void trim();

  const Settings settings_;
  Clock& clock_;
  Log& log_;
  const Submit submit_;
  ReadHistory read_;
  std::vector<FlowCode> codes_;
  std::unordered_map<Key, std::size_t> by_definition_;
  std::unordered_map<std::string, Key> latest_; ///< the highest version by name
  std::string worker_id_;
  Pool coroutines_;
  Pool callbacks_;
  mutable std::mutex mutex_;
  std::condition_variable quiet_;
  std::unordered_map<Key, RunPtr> runs_;
  std::list<RunPtr> order_; ///< the one that was at work longest ago first
  bool stopping_ = false;
  int open_callbacks_ = 0;
  std::size_t scheduled_ = 0; ///< tasks that have the thread of coroutines, or wait for it
  std::uint64_t posted_ = 0;
};

} // namespace perdure::engine
