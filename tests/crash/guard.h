// Guard: ends a test that goes on for too long, with a message that says what it was doing.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace perdure::crash_test {

class Guard {
public:
  /// After `limit`: prints what `describe` answers, calls `clean_up` and ends the program with 1.
  /// Both are called on another thread.
  Guard(std::chrono::seconds limit, std::function<std::string()> describe,
        std::function<void()> clean_up);
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

} // namespace perdure::crash_test
