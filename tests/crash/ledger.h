// Ledger: what the clients know for themselves, to be held against what the server says in the end.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace perdure::crash_test {

/// A completion that a worker has sent.
struct Completion {
  std::string task_id;
  std::string instance_id;
  std::string node_id;
  std::int64_t attempt = 0;
  std::string worker_id;
  std::string proof; ///< unique; in the variables that were sent
  bool acknowledged = false;
};

/// Thread-safe.
class Ledger {
public:
  /// A test failure when another order was given that instance.
  void started(std::string_view order, std::string_view instance_id);
  /// A test failure when this attempt was given to a worker before.
  void given(std::string_view task_id, std::int64_t attempt);
  /// To be told after it was answered or refused. A test failure when another one of its task was
  /// acknowledged.
  void completed(Completion completion);

  /// Instance ids by order.
  [[nodiscard]] std::map<std::string, std::string> instances() const;
  [[nodiscard]] std::vector<Completion> completions_of(const std::string& instance_id,
                                                       const std::string& node_id) const;

private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string, std::less<>> instances_;
  std::set<std::string, std::less<>> taken_instances_;
  std::set<std::pair<std::string, std::int64_t>> given_;
  std::set<std::string, std::less<>> acknowledged_;
  std::map<std::pair<std::string, std::string>, std::vector<Completion>> completions_;
};

} // namespace perdure::crash_test
