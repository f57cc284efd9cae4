#include "engine/pool.h"

#include <utility>

namespace perdure::engine {

void Pool::start(std::size_t threads) {
  stopping_ = false;
  for (std::size_t i = 0; i < threads; ++i)
    threads_.emplace_back([this] { run(); });
}

void Pool::submit(std::move_only_function<void()> task) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(task));
    wake = idle_ > 0 && !std::exchange(waking_, true);
  }
  if (wake) ready_.notify_one();
}

void Pool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  ready_.notify_all();
  for (auto& thread : threads_)
    thread.join();
  threads_.clear();
}

void Pool::run() {
  while (true) {
    std::unique_lock lock(mutex_);
    while (queue_.empty() && !stopping_) {
      ++idle_;
      ready_.wait(lock);
      --idle_;
      waking_ = false;
    }
    if (queue_.empty()) return;
    auto task = std::move(queue_.front());
    queue_.pop_front();
    // One wakes the next while there is more: short tasks of a burst stay with few threads.
    const bool wake = !queue_.empty() && idle_ > 0 && !std::exchange(waking_, true);
    lock.unlock();
    if (wake) ready_.notify_one();
    task();
  }
}

} // namespace perdure::engine
