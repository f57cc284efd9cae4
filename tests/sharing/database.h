// The database that programs share, as its rows show it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/key.h"
#include "perdure/engine.h"
#include "store/postgres/postgres.h"

namespace perdure::sharing {

/// Where the server's socket is.
[[nodiscard]] const std::string& server_folder();
/// Of the server's database, for that role.
[[nodiscard]] std::string server_url(const std::string& role = "perdure");

/// A schema of a test's own.
class Database {
public:
  Database();

  [[nodiscard]] const std::string& schema() const { return options_.schema; }
  /// As an engine of that name uses it, which is taken for dead after that time.
  [[nodiscard]] Storage storage(const std::string& node_name = {},
                                std::chrono::milliseconds lease = std::chrono::seconds(15)) const;

  /// Looks after each commit of an engine, and now and then by itself, until it is so; false after
  /// two minutes.
  [[nodiscard]] bool wait_until(const std::function<bool()>& is_so) const;
  /// Runs statements.
  void run(const std::string& statements) const;
  /// The rows of a query, columns joined by a space.
  [[nodiscard]] std::vector<std::string> rows(const std::string& query) const;
  /// Of flows that were started, the oldest first.
  [[nodiscard]] std::vector<Key> runs() const;
  /// How many runs have that status.
  [[nodiscard]] std::int64_t count(const std::string& status) const;
  /// "step state node" of each attempt at a callback, in the order in which they began.
  [[nodiscard]] std::vector<std::string> attempts(Key run) const;
  /// Everything of a run that the rows say, as text: to see that nothing has changed.
  [[nodiscard]] std::string image(Key run) const;
  /// That a run has completed, each of its steps once, and that its rows are what its history says.
  void expect_done_once(Key run) const;

private:
  store::postgres::Options options_;
};

} // namespace perdure::sharing
