// What tests wait on instead of sleeping: gates that threads stand before, and a listener that
// tells what was committed.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "engine/engine.h"

namespace perdure::engine {

/// No test waits longer; reached only by one that fails.
inline constexpr std::chrono::seconds kPatience{120};

/// Waits for what no signal tells; false, and a failure, when it never holds.
inline bool wait_until(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) {
      ADD_FAILURE() << "waited in vain";
      return false;
    }
    std::this_thread::yield();
  }
  return true;
}

/// A door that threads pass. Open at first.
class Gate {
public:
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  void open() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = false;
    }
    changed_.notify_all();
  }
  /// Lets so many pass although it is closed.
  void let_through(int count) {
    {
      const std::lock_guard lock(mutex_);
      passes_ += count;
    }
    changed_.notify_all();
  }
  /// Waits while the gate is closed.
  void pass() {
    std::unique_lock lock(mutex_);
    ++arrived_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !closed_ || passes_ > 0; });
    if (closed_) --passes_;
  }
  /// Waits until `count` threads in all have come to the gate.
  void await_arrivals(int count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, kPatience, [&] { return arrived_ >= count; }));
  }
  [[nodiscard]] int arrived() {
    const std::lock_guard lock(mutex_);
    return arrived_;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool closed_ = false;
  int passes_ = 0;
  int arrived_ = 0;
};

/// Counts committed facts by instance and type.
class Watcher final : public Listener {
public:
  void committed(const facts::InstanceState& state, std::span<const facts::Fact> facts) override {
    {
      const std::lock_guard lock(mutex_);
      for (const auto& fact : facts) {
        const std::string type(facts::type_of(fact.data));
        ++counts_[{state.instance.id, type}];
        ++counts_[{kNoKey, type}];
      }
    }
    changed_.notify_all();
  }

  /// Of one instance, or of all with kNoKey.
  [[nodiscard]] int count(Key instance_id, std::string_view type) {
    const std::lock_guard lock(mutex_);
    return counts_[{instance_id, std::string(type)}];
  }
  /// Waits until so many facts of the type are committed.
  void await(Key instance_id, std::string_view type, int count = 1) {
    std::unique_lock lock(mutex_);
    const auto key = std::pair(instance_id, std::string(type));
    EXPECT_TRUE(changed_.wait_for(lock, kPatience, [&] { return counts_[key] >= count; }))
        << "no " << count << " x " << type << " but " << counts_[key];
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<Key, std::string>, int> counts_;
};

} // namespace perdure::engine
