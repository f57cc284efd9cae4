// WorkPool: a few threads for what must not hold up the server's own: queries, compiling, large
// bodies.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace perdure::api {

/// Thread-safe.
class WorkPool {
public:
  using Job = std::move_only_function<void()>;

  WorkPool(std::size_t threads, std::size_t capacity);
  /// Stops as stop() does.
  ~WorkPool();
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  /// False when the queue is full or the pool has stopped: the job was not taken and will not run.
  [[nodiscard]] bool post(Job&& job);
  /// Runs what was taken, then ends the threads. Idempotent; not from a job.
  void stop();

private:
  void run();

  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  bool stopped_ = false;
  std::vector<std::thread> threads_;
};

} // namespace perdure::api
