// Nodes: real `perdure serve` processes on one PostgreSQL, each of which may be killed, frozen and
// brought back while clients use the others.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/program.h"

namespace perdure::cluster_test {

/// Where the nodes are; an empty URL while one is down. Thread-safe.
class Addresses {
public:
  explicit Addresses(std::size_t count) : urls_(count) {}

  void set(std::size_t node, std::string url);
  [[nodiscard]] std::string of(std::size_t node) const;
  [[nodiscard]] std::size_t count() const { return urls_.size(); }
  /// Waits until a node moves or ends, at most for `limit`.
  void wait_for_change(std::chrono::milliseconds limit) const;
  /// Nobody waits for an answer any more.
  void call_off();
  [[nodiscard]] bool is_called_off() const { return called_off_; }

private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<std::string> urls_;
  std::atomic<bool> called_off_{false};
};

class Node {
public:
  /// `options` are those of every start, the database among them; messages go to `log_file`.
  Node(std::size_t number, std::vector<std::string> options, std::string log_file,
       Addresses& addresses);
  /// Added to the environment of every start from now on.
  void set_environment(std::vector<std::string> environment) {
    environment_ = std::move(environment);
  }

  /// Starts it and waits until it serves. A test failure when it ends instead.
  void start();
  /// SIGKILL; also of a frozen one. A test failure when it had ended by itself.
  void kill();
  /// SIGTERM; a test failure unless it ends well.
  void stop();
  /// SIGSTOP, and later SIGCONT.
  void freeze();
  void thaw();
  [[nodiscard]] bool is_frozen() const { return frozen_; }
  [[nodiscard]] std::string url() const { return addresses_.of(number_); }
  /// Kills whatever runs; from any thread, for a guard.
  void kill_for_good() const;
  /// Lines of the log of all its lives that contain the text.
  [[nodiscard]] std::string log_lines(const std::string& text) const;

private:
  const std::size_t number_;
  const std::vector<std::string> options_;
  const std::string log_file_;
  std::vector<std::string> environment_;
  Addresses& addresses_;
  std::optional<cli_test::Running> process_;
  std::atomic<pid_t> pid_{-1};
  bool frozen_ = false;
};

} // namespace perdure::cluster_test
