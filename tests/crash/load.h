// Load: clients that start orders, workers that do their tasks, and an operator who retries what
// has failed too often; all over HTTP, all prepared for a server that may be gone at any moment.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "crash/address.h"
#include "crash/caller.h"
#include "crash/ledger.h"
#include "random/chance.h"

namespace perdure::crash_test {

struct LoadOptions {
  std::uint64_t seed = 0;
  int orders = 500;
  int lives = 1; ///< the orders are spread over so many lives of the server
  int starters = 3;
  int workers = 4;
};

/// The n-th order: its name is idempotency key and business key.
[[nodiscard]] std::string order_name(int number);
/// Body of the request that starts it.
[[nodiscard]] Value order_request(int number);
/// Whether it needs an approval.
[[nodiscard]] bool is_large_order(int number);

class Load {
public:
  Load(Address& address, Traffic& traffic, Ledger& ledger, const LoadOptions& options);
  /// Calls off what is not finished and waits for its threads.
  ~Load();
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  void begin();
  /// Whether every order has come to its end.
  [[nodiscard]] bool is_finished() const;
  void wait_until_finished();
  [[nodiscard]] std::string describe() const;

private:
  void start_orders(int starter);
  [[nodiscard]] bool start_order(Caller& caller, random::Chance& chance, int number);
  void work(int number);
  [[nodiscard]] bool keep_lock(Caller& caller, const std::string& worker_id, const Value& job);
  [[nodiscard]] bool fetch(Caller& caller, random::Chance& chance, const std::string& worker_id);
  [[nodiscard]] bool do_job(Caller& caller, random::Chance& chance, const std::string& worker_id,
                            const Value& job);
  [[nodiscard]] bool fail_job(Caller& caller, random::Chance& chance, const std::string& worker_id,
                              const Value& job);
  [[nodiscard]] bool complete_job(Caller& caller, random::Chance& chance,
                                  const std::string& worker_id, const Value& job);
  [[nodiscard]] bool look_for_end(Caller& caller, const std::string& instance_id,
                                  bool must_be_over);
  void operate();

  Address& address_;
  Traffic& traffic_;
  Ledger& ledger_;
  const LoadOptions options_;
  std::atomic<int> next_order_{0};
  std::atomic<std::int64_t> retried_{0};
  std::atomic<std::int64_t> failed_{0};
  std::atomic<std::int64_t> settled_{0}; ///< completions that were refused
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::string> finished_;
  std::vector<std::thread> threads_;
};

} // namespace perdure::crash_test
