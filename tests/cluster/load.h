// Load: clients that start instances and workers that do their tasks, at all nodes, prepared for
// any of them to be gone or frozen at any moment.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cluster/caller.h"
#include "cluster/effects.h"

namespace perdure::cluster_test {

struct LoadOptions {
  std::uint64_t seed = 0;
  int instances = 2'000;
  int starters = 4;
  int workers = 8;
  std::string database_url; ///< of the effects
};

/// Three branches, one of which rests before its task; the process "storm".
[[nodiscard]] std::string storm_model();
/// How many instances are completed; nothing while the database is away.
[[nodiscard]] std::optional<int> count_completed(Effects& watcher);
/// How long a worker holds a task, in milliseconds.
inline constexpr int kLockMs = 2'500;

class Load {
public:
  Load(const Addresses& addresses, Traffic& traffic, const LoadOptions& options);
  /// Ends the threads; calls the addresses off only when the work is not done.
  ~Load();
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  void begin();
  /// Waits until so many instances are completed, as the database says.
  void wait_for_completed(Effects& watcher, int instances);
  /// No more tasks are to come.
  void finish();
  /// How many starts were acknowledged.
  [[nodiscard]] int started() const;
  /// Instance ids by the name of the order.
  [[nodiscard]] std::map<std::string, std::string> instances() const;
  [[nodiscard]] std::string describe() const;
  /// Attempts that were held back until a later one had done the task.
  [[nodiscard]] std::int64_t laggards() const { return laggards_; }

private:
  /// A task that a worker was given.
  struct Job {
    Effect effect;
    std::string instance_id;
  };

  void start_orders(int starter);
  [[nodiscard]] bool start_order(Caller& caller, int number);
  void work(int number);
  [[nodiscard]] bool fetch(Caller& caller, Effects& effects, random::Chance& chance,
                           const std::string& worker_id);
  [[nodiscard]] bool do_job(Caller& caller, Effects& effects, random::Chance& chance,
                            const Job& job);
  [[nodiscard]] bool apply(Effects& effects, const Effect& effect, bool& counts);
  [[nodiscard]] bool complete(Caller& caller, const Job& job, bool counts, bool with_key);
  /// Lets the worker of an earlier attempt of the task wake up: whatever it does is refused.
  [[nodiscard]] bool wake_laggard(Caller& caller, Effects& effects, const Job& later);

  const Addresses& addresses_;
  Traffic& traffic_;
  const LoadOptions options_;
  std::atomic<int> next_order_{0};
  std::atomic<bool> finished_{false};
  std::atomic<std::int64_t> laggards_{0};
  std::atomic<std::int64_t> late_{0}; ///< completions that were refused
  mutable std::mutex mutex_;
  std::map<std::string, std::string> instances_;
  std::map<std::string, Job> held_back_; ///< by task
  std::vector<std::thread> threads_;
};

} // namespace perdure::cluster_test
