// Deliveries: tells the ends of flows to the handlers of this program, at least once each. The row
// of an end is written with the end itself; here it is taken with a lease, told on a pool thread,
// and marked. What a handler throws is kept in the row, and it is told again after a pause.
//
//   row (pending) --take, lease--> handler --returned--> delivered
//                                     `----threw-----> pending, 1 s, 2 s, 4 s ... 1 h
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/log.h"
#include "engine/engine.h"
#include "engine/pool.h"
#include "store/completion.h"

namespace perdure::engine {

/// All but the constructor, add() and the calls of handlers happens on the writer thread.
class Deliveries final : public Listener {
public:
  /// `nudge` makes the writer thread call step() soon. Thread-safe.
  Deliveries(std::size_t threads, Log& log, std::function<void()> nudge);
  ~Deliveries() override { pool_.stop(); }

  /// Before start(). Without a handler nobody is told any more of runs of that name.
  void add(std::string flow, CompletionHandler handler);
  /// Writes down which flows are delivered, for nodes that do not have this program.
  [[nodiscard]] Result<void> start(store::CompletionStore& store);

  void committed(const facts::InstanceState& state, std::span<const facts::Fact> facts) override;
  /// The time of some may have come.
  void look() { due_ = true; }
  /// Marks what handlers have ended and takes what is due. When it is to be called again at the
  /// latest; nullopt: when look() is.
  [[nodiscard]] std::optional<Instant> step(store::CompletionStore& store, Instant now);
  /// Returns when no handler runs or waits for its thread.
  void await_quiet();
  /// Lets running handlers end, and gives back what has not begun. The writer thread is gone.
  void stop(store::CompletionStore& store, Instant now);

private:
  struct Ended {
    Key instance_id = kNoKey;
    bool begun = true;
    std::optional<std::string> error;
  };

  [[nodiscard]] Result<void> settle(store::CompletionStore& store, Instant now);
  [[nodiscard]] store::CompletionTold told_of(const Ended& ended, Instant now) const;
  [[nodiscard]] Result<void> take(store::CompletionStore& store, Instant now);
  void submit(const store::DueCompletion& due);
  [[nodiscard]] Ended tell(const Completion& completion) const;
  void note_next(Instant at);

  const std::size_t threads_;
  Log& log_;
  const std::function<void()> nudge_;
  std::map<std::string, CompletionHandler> handlers_; ///< frozen by start()
  std::vector<std::string> flows_;                    ///< that have one
  std::vector<std::string> withdrawn_;
  bool due_ = true;
  std::optional<Instant> next_;
  Instant renewed_{};
  std::unordered_map<Key, std::int64_t> running_; ///< the last attempt that was taken, by instance
  std::mutex mutex_;
  std::condition_variable quiet_;
  std::vector<Ended> ended_;
  std::size_t open_ = 0; ///< given to handlers and not ended
  std::atomic<bool> stopping_{false};
  Pool pool_; ///< last: its threads use the others
};

} // namespace perdure::engine
