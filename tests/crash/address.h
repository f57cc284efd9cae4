// Address: where the server is now. It moves with every restart; who waits for it is woken.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>

namespace perdure::crash_test {

/// Thread-safe.
class Address {
public:
  struct Place {
    std::string url;
    int life = 0; ///< how many servers have become ready so far
  };

  /// The next life of the server is ready there.
  void move_to(std::string url);
  [[nodiscard]] Place now() const;
  /// Waits until there is a life after `life`, at most for `limit`.
  void wait_for_change(int life, std::chrono::milliseconds limit);
  /// Waits until that life has come; false when the load is called off before.
  [[nodiscard]] bool wait_for_life(int life);
  /// Nobody waits any more, and callers give up at the first failure.
  void call_off();
  [[nodiscard]] bool is_called_off() const;

private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Place place_;
  bool called_off_ = false;
};

} // namespace perdure::crash_test
