#include "cluster/effects.h"

#include <gtest/gtest.h>

namespace perdure::cluster_test {

namespace {

/// `writes` counts the attempts that had the effect, `refused` those that came too late.
constexpr const char* kTables = R"(
CREATE SCHEMA effects;
CREATE TABLE effects.effect (
  task_id bigint PRIMARY KEY,
  node_id text NOT NULL,
  attempt bigint NOT NULL,
  worker_id text NOT NULL,
  writes bigint NOT NULL DEFAULT 1);
CREATE TABLE effects.refused (task_id bigint, attempt bigint, worker_id text);
)";

std::string quoted(const std::string& text) { return "'" + text + "'"; }

} // namespace

void Effects::create() {
  const auto made = rows(kTables);
  ASSERT_TRUE(made) << made.error().message;
}

Result<bool> Effects::apply(const Effect& effect) {
  const auto row = effect.task_id + ", " + quoted(effect.node_id) + ", " +
                   std::to_string(effect.attempt) + ", " + quoted(effect.worker_id);
  const auto written = rows(
      "WITH written AS (INSERT INTO effects.effect AS known (task_id, node_id, attempt, worker_id) "
      "VALUES (" +
      row +
      ") ON CONFLICT (task_id) DO UPDATE SET attempt = excluded.attempt, "
      "worker_id = excluded.worker_id, writes = known.writes + 1 "
      "WHERE known.attempt < excluded.attempt RETURNING attempt), "
      "stands AS (SELECT attempt FROM written UNION ALL SELECT attempt FROM effects.effect "
      "WHERE task_id = " +
      effect.task_id + " AND attempt = " + std::to_string(effect.attempt) +
      " AND worker_id = " + quoted(effect.worker_id) +
      "), "
      "late AS (INSERT INTO effects.refused SELECT " +
      effect.task_id + ", " + std::to_string(effect.attempt) + ", " + quoted(effect.worker_id) +
      " WHERE NOT EXISTS (SELECT 1 FROM stands)) SELECT count(*) FROM stands");
  if (!written) return std::unexpected(written.error());
  return written->front().front() != "0";
}

Result<std::vector<std::vector<std::string>>> Effects::rows(const std::string& question) {
  if (!connection_ || !connection_->alive()) {
    auto opened = store::postgres::Connection::open(
        {.url = url_, .schema = "effects", .application_name = "effects"});
    if (!opened) return std::unexpected(opened.error());
    connection_ = std::move(*opened);
  }
  return connection_->text_rows(question);
}

std::string Effects::value(const std::string& question) {
  const auto found = rows(question);
  if (!found || found->size() != 1) {
    ADD_FAILURE() << question << ": " << (found ? "not one row" : found.error().message);
    return {};
  }
  return found->front().front();
}

} // namespace perdure::cluster_test
