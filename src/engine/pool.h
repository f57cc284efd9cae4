// Pool: threads that do what is queued, in its order.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace perdure::engine {

class Pool {
public:
  void start(std::size_t threads);
  /// Thread-safe.
  void submit(std::move_only_function<void()> task);
  /// Lets what is queued be done, then joins.
  void stop();

private:
  void run();
  std::mutex mutex_;
  std::condition_variable ready_;
  std::size_t idle_ = 0;
  bool waking_ = false; ///< a thread was told and has not come yet
  std::deque<std::move_only_function<void()>> queue_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

} // namespace perdure::engine
