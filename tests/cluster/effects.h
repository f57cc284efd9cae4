// Effects: what workers do to the world outside the engine, as a table in PostgreSQL. An effect is
// of a task, so that it counts once however often its task is attempted; and it is fenced by the
// number of the attempt: once an attempt has had its effect, an earlier one that wakes up late is
// refused.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "perdure/result.h"
#include "store/postgres/connection.h"

namespace perdure::cluster_test {

struct Effect {
  std::string task_id;
  std::string node_id;
  std::int64_t attempt = 0;
  std::string worker_id;
};

/// One connection that comes back after the server was away. One thread at a time.
class Effects {
public:
  explicit Effects(std::string database_url) : url_(std::move(database_url)) {}

  /// Makes the tables, once.
  void create();
  /// Whether the effect counts; false: a later attempt has had it. Sent again by the same attempt
  /// it is the same effect. An error: the database is away, try again.
  [[nodiscard]] Result<bool> apply(const Effect& effect);
  /// Rows of a question as text.
  [[nodiscard]] Result<std::vector<std::vector<std::string>>> rows(const std::string& question);
  /// The only field of the only row; a test failure when there is none.
  [[nodiscard]] std::string value(const std::string& question);

private:
  std::string url_;
  std::unique_ptr<store::postgres::Connection> connection_;
};

} // namespace perdure::cluster_test
