#include "crash/guard.h"

#include <cstdlib>
#include <iostream>
#include <utility>

namespace perdure::crash_test {

Guard::Guard(std::chrono::seconds limit, std::function<std::string()> describe,
             std::function<void()> clean_up)
    : thread_([this, limit, describe = std::move(describe), clean_up = std::move(clean_up)] {
        std::unique_lock lock(mutex_);
        if (changed_.wait_for(lock, limit, [this] { return over_; })) return;
        std::cerr << "The test is not done after " << limit.count() << " s: " << describe()
                  << std::endl;
        clean_up();
        std::_Exit(1);
      }) {}

Guard::~Guard() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

} // namespace perdure::crash_test
