#include "api/work_pool.h"

#include <utility>

namespace perdure::api {

WorkPool::WorkPool(std::size_t threads, std::size_t capacity) : capacity_(capacity) {
  for (std::size_t i = 0; i < threads; ++i)
    threads_.emplace_back([this] { run(); });
}

WorkPool::~WorkPool() { stop(); }

bool WorkPool::post(Job&& job) {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_ || jobs_.size() >= capacity_) return false;
    jobs_.push_back(std::move(job));
  }
  changed_.notify_one();
  return true;
}

void WorkPool::stop() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    threads.swap(threads_);
  }
  changed_.notify_all();
  for (auto& thread : threads)
    thread.join();
}

void WorkPool::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopped_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    auto job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    job = {}; // what it holds may be the last of its kind: never under the lock
    lock.lock();
  }
}

} // namespace perdure::api
