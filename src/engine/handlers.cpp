#include "engine/handlers.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

namespace perdure::engine {

namespace {

constexpr Duration kMeasured{1'000};
constexpr std::size_t kAhead = 2'000; ///< ms of work that may wait in memory
constexpr std::size_t kLeastPerThread = 4;
constexpr std::size_t kMostCapacity = 8'192;

} // namespace

Handlers::Handlers(std::size_t threads, std::size_t capacity, Finish finish)
    : threads_(threads), capacity_(capacity), finish_(std::move(finish)) {}

Handlers::~Handlers() { stop(); }

void Handlers::add(std::string type, Handler handler) {
  handlers_.insert_or_assign(std::move(type), std::move(handler));
}

std::vector<std::string> Handlers::types() const {
  std::vector<std::string> types;
  for (const auto& [type, handler] : handlers_)
    types.push_back(type);
  return types;
}

void Handlers::start() {
  if (handlers_.empty()) return;
  for (std::size_t i = 0; i < threads_; ++i)
    pool_.emplace_back([this] { run(); });
}

std::vector<Job> Handlers::close() {
  std::vector<Job> waiting;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    std::ranges::move(std::exchange(queue_, {}), std::back_inserter(waiting));
    for (const auto& job : waiting)
      leased_.erase(job.task_id);
  }
  ready_.notify_all();
  return waiting;
}

void Handlers::stop() {
  static_cast<void>(close());
  for (auto& thread : pool_)
    thread.join();
  pool_.clear();
}

void Handlers::measure(Instant now) {
  const std::lock_guard lock(mutex_);
  if (measured_ == Instant{}) measured_ = now;
  if (now - measured_ < kMeasured) return;
  const auto ahead = finished_ * kAhead / static_cast<std::size_t>((now - measured_).count());
  // A pause says nothing about the speed: the next burst finds the capacity of the last one.
  const bool busy = finished_ > 0 || taken_ > 0;
  if (busy) capacity_ = std::clamp(ahead, kLeastPerThread * threads_, kMostCapacity);
  finished_ = 0;
  measured_ = now;
}

std::size_t Handlers::free() const {
  const std::lock_guard lock(mutex_);
  return stopping_ || taken_ >= capacity_ ? 0 : capacity_ - taken_;
}

void Handlers::reserve() {
  const std::lock_guard lock(mutex_);
  ++taken_;
}

void Handlers::release() {
  const std::lock_guard lock(mutex_);
  --taken_;
}

bool Handlers::give(const Job& job) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return false;
    leased_.insert_or_assign(job.task_id, job);
    queue_.push_back(job);
    ++given_;
  }
  ready_.notify_one();
  return true;
}

void Handlers::await_quiet() {
  std::unique_lock lock(mutex_);
  quiet_.wait(lock, [this] { return stopping_ || (queue_.empty() && running_ == 0); });
}

std::uint64_t Handlers::given() const {
  const std::lock_guard lock(mutex_);
  return given_;
}

std::vector<Job> Handlers::leases_ending(Instant before) const {
  const std::lock_guard lock(mutex_);
  std::vector<Job> ending;
  for (const auto& [id, job] : leased_) {
    if (job.lock_expires_at < before) ending.push_back(job);
  }
  return ending;
}

void Handlers::renewed(const Job& job, Instant lock_expires_at) {
  const std::lock_guard lock(mutex_);
  if (const auto found = leased_.find(job.task_id);
      found != leased_.end() && found->second.attempt == job.attempt) {
    found->second.lock_expires_at = lock_expires_at;
  }
}

void Handlers::run() {
  while (true) {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (stopping_) return;
    auto job = std::move(queue_.front());
    queue_.pop_front();
    ++running_;
    lock.unlock();

    auto result = call(handlers_.at(job.type), job);

    lock.lock();
    // When the lease was lost meanwhile, the entry may be that of a later attempt.
    if (const auto found = leased_.find(job.task_id);
        found != leased_.end() && found->second.attempt == job.attempt) {
      leased_.erase(found);
    }
    --taken_;
    ++finished_;
    lock.unlock();
    finish_(std::move(job), std::move(result));
    lock.lock();
    --running_; // its end is on its way by now
    lock.unlock();
    quiet_.notify_all();
  }
}

JobResult Handlers::call(const Handler& handler, const Job& job) {
  try {
    return handler(job);
  } catch (const std::exception& error) {
    return std::unexpected(JobFailure{.error_name = "exception", .message = error.what()});
  } catch (...) {
    return std::unexpected(JobFailure{.error_name = "exception", .message = "unknown exception"});
  }
}

} // namespace perdure::engine
