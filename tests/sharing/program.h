// A program with an engine: a child process that takes orders, which its test kills, freezes and
// holds up in the midst of callbacks.
#pragma once

#include <sys/types.h>

#include <map>
#include <set>
#include <string>

#include "sharing/database.h"

namespace perdure::sharing {

/// What was done in the world: lines of a file that every program writes to.
class Journal {
public:
  explicit Journal(std::string path) : path_(std::move(path)) {}
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Lines "step order node", counted.
  [[nodiscard]] std::map<std::string, int> lines() const;
  /// How often a step was done for an order, by whomever.
  [[nodiscard]] int count(const std::string& step, const std::string& order) const;

private:
  std::string path_;
};

/// How a program differs from others.
struct Habit {
  std::string node_name{};
  /// Callbacks of this step say that they have begun, and wait until the test lets them go.
  std::string held_step{};
  std::chrono::milliseconds lease{2'000};
};

class Program {
public:
  /// Starts it: its engine is open when this returns. The caller has no threads.
  Program(const Database& database, const Journal& journal, const Habit& habit);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  /// Kills it.
  ~Program();

  /// Starts a run for that order, and returns when it is kept.
  void take_order(const std::string& order);
  /// Waits until the held step has begun so often in all; the orders that it did so for.
  [[nodiscard]] const std::set<std::string>& held(std::size_t times);
  /// Lets so many callbacks of the held step go on.
  void let_go(int times);

  void kill();
  /// Returns when it stands still.
  void freeze();
  void thaw() const;
  /// Lets it end by itself. That it does is asserted.
  void end();

private:
  /// The next that it says; empty when it has ended.
  [[nodiscard]] std::string line();
  /// The next answer.
  [[nodiscard]] std::string hear();
  void tell(const std::string& line) const;

  pid_t pid_ = -1;
  int orders_ = -1;  ///< the test writes what it is to do
  int reports_ = -1; ///< it writes what it has done
  int gate_ = -1;    ///< the test writes a byte for each callback that is let go
  std::set<std::string> held_;
  std::size_t begun_ = 0; ///< how often the held step has
};

} // namespace perdure::sharing
