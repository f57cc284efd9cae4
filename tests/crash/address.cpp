#include "crash/address.h"

#include <utility>

namespace perdure::crash_test {

void Address::move_to(std::string url) {
  {
    const std::lock_guard lock(mutex_);
    place_ = {std::move(url), place_.life + 1};
  }
  changed_.notify_all();
}

Address::Place Address::now() const {
  const std::lock_guard lock(mutex_);
  return place_;
}

void Address::wait_for_change(int life, std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, limit, [&] { return called_off_ || place_.life > life; });
}

bool Address::wait_for_life(int life) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return called_off_ || place_.life >= life; });
  return !called_off_;
}

void Address::call_off() {
  {
    const std::lock_guard lock(mutex_);
    called_off_ = true;
  }
  changed_.notify_all();
}

bool Address::is_called_off() const {
  const std::lock_guard lock(mutex_);
  return called_off_;
}

} // namespace perdure::crash_test
