// Handlers: the in-process workers. A small pool of threads runs the handlers that the embedder
// gave; tasks come leased from the ring and go back to it as completions or failures.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "engine/commands.h"

namespace perdure::engine {

class Handlers {
public:
  /// Takes the end of one job: its result, for the ring to decide on. Called on a pool thread.
  using Finish = std::function<void(Job, JobResult)>;

  /// `capacity`: how many tasks it takes at first; later what it does in two seconds.
  Handlers(std::size_t threads, std::size_t capacity, Finish finish);
  ~Handlers();
  Handlers(const Handlers&) = delete;
  Handlers& operator=(const Handlers&) = delete;

  /// Before start().
  void add(std::string type, Handler handler);
  void start();
  /// Begins no more jobs; those that have not begun come back.
  [[nodiscard]] std::vector<Job> close();
  /// Closes, lets running handlers end, joins.
  void stop();

  [[nodiscard]] bool has(const std::string& type) const { return handlers_.contains(type); }
  [[nodiscard]] std::vector<std::string> types() const;
  /// Adapts the capacity to the speed of the handlers: a task that waits long in memory would only
  /// have its lease renewed again and again, while another node could do it.
  void measure(Instant now);
  /// How many more tasks it would take now.
  [[nodiscard]] std::size_t free() const;
  /// Sets aside a place for a task that is being locked.
  void reserve();
  void release();
  /// Runs the job soon; its place was reserved. False: too late, it will not begin.
  [[nodiscard]] bool give(const Job& job);

  /// Returns when no job runs or waits for its thread.
  void await_quiet();
  /// How many jobs were given so far.
  [[nodiscard]] std::uint64_t given() const;

  /// Jobs whose lease ends before `before`: they ask for a longer one.
  [[nodiscard]] std::vector<Job> leases_ending(Instant before) const;
  void renewed(const Job& job, Instant lock_expires_at);

private:
  void run();
  [[nodiscard]] static JobResult call(const Handler& handler, const Job& job);

  const std::size_t threads_;
  std::size_t capacity_;
  const Finish finish_;
  std::map<std::string, Handler> handlers_; ///< frozen by start()
  mutable std::mutex mutex_;
  std::condition_variable ready_;
  std::condition_variable quiet_;
  std::deque<Job> queue_;
  std::unordered_map<Key, Job> leased_; ///< given and not finished, the last attempt of each task
  std::size_t taken_ = 0;               ///< reserved or given, not finished
  std::size_t running_ = 0;
  std::uint64_t given_ = 0;
  std::size_t finished_ = 0; ///< since `measured_`
  Instant measured_{};
  bool stopping_ = false;
  std::vector<std::thread> pool_;
};

} // namespace perdure::engine
