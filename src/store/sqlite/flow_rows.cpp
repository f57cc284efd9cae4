// Running many flows, on SQLite: hosts, limits, schedules.
#include <string>
#include <utility>

#include "store/sqlite/store.h"

namespace perdure::store::sqlite {

namespace queries = sql::sqlite;

namespace {

/// So that the index of those that are ready is used, which is one of times.
constexpr Instant kEndOfTime = from_ms(253'402'300'799'000);

FlowAttempt read_attempt(Statement& row) {
  return {.instance_id = row.column<Key>(0), .worker_id = row.column<std::string>(1)};
}

Result<std::vector<FlowAttempt>> attempts(Statement& statement) {
  std::vector<FlowAttempt> rows;
  const auto done = statement.each([&](Statement& row) { rows.push_back(read_attempt(row)); });
  if (!done) return std::unexpected(done.error());
  return rows;
}

} // namespace

// ---- hosts ------------------------------------------------------------------------------------

Result<void> SqliteStore::add_flow_host(const FlowHostRow& host) {
  return connection_->statement(queries::flow_host_insert).bind_row(host).run();
}

Result<bool> SqliteStore::renew_flow_host(std::string_view worker_id, Instant expires_at) {
  auto& renew = connection_->statement(queries::flow_host_renew).bind(worker_id, expires_at);
  if (const auto done = renew.run(); !done) return std::unexpected(done.error());
  return renew.changes() > 0;
}

Result<std::vector<std::string>> SqliteStore::expired_flow_hosts(Instant now, std::int64_t limit) {
  return connection_->statement(queries::flow_hosts_expired).bind(now, limit).rows<std::string>();
}

Result<void> SqliteStore::remove_flow_host(std::string_view worker_id, Instant now) {
  return connection_->statement(queries::flow_host_remove).bind(worker_id, now).run();
}

Result<std::vector<FlowAttempt>> SqliteStore::flow_attempts_by(std::string_view worker_id) {
  return attempts(connection_->statement(queries::flow_attempts_by).bind(worker_id));
}

Result<std::vector<FlowAttempt>> SqliteStore::flow_attempts_of(std::string_view prefix) {
  return attempts(connection_->statement(queries::flow_attempts_of).bind(prefix));
}

Result<std::vector<ReadyFlow>> SqliteStore::ready_flows(Key after, std::int64_t limit) {
  std::vector<ReadyFlow> rows;
  const auto done = connection_->statement(queries::ready_flows)
                        .bind(after, limit, kEndOfTime)
                        .each([&](Statement& row) {
                          rows.push_back({.instance_id = row.column<Key>(0),
                                          .definition_id = row.column<Key>(1),
                                          .last_sequence = row.column<std::int64_t>(2),
                                          .updated_at = row.column<Instant>(3),
                                          .host = row.column<std::optional<std::string>>(4),
                                          .busy = row.column<std::int64_t>(5) > 0});
                        });
  if (!done) return std::unexpected(done.error());
  return rows;
}

// ---- limits -----------------------------------------------------------------------------------

Result<std::vector<FlowLimit>> SqliteStore::flow_limits() {
  return connection_->statement(queries::flow_limits).rows<FlowLimit>();
}

Result<void> SqliteStore::put_flow_limit(const FlowLimit& limit) {
  return connection_->statement(queries::flow_limit_put).bind_row(limit).run();
}

Result<void> SqliteStore::remove_flow_limit(std::string_view process_id) {
  return connection_->statement(queries::flow_limit_remove).bind(process_id).run();
}

Result<std::vector<std::string>> SqliteStore::flow_names_waiting() {
  return connection_->statement(queries::flow_names_waiting).rows<std::string>();
}

Result<std::int64_t> SqliteStore::flow_running(std::string_view process_id) {
  const auto count =
      connection_->statement(queries::flow_running_count).bind(process_id).row<std::int64_t>();
  if (!count) return std::unexpected(count.error());
  return count->value_or(0);
}

Result<AdmittedSince> SqliteStore::flow_admitted_since(std::string_view process_id, Instant since) {
  AdmittedSince found;
  const auto done = connection_->statement(queries::flow_admitted_since)
                        .bind(process_id, since)
                        .each([&](Statement& row) {
                          found = {.count = row.column<std::int64_t>(0),
                                   .first = row.column<std::optional<Instant>>(1)};
                        });
  if (!done) return std::unexpected(done.error());
  return found;
}

Result<std::vector<Key>> SqliteStore::flow_slots_waiting(std::string_view process_id,
                                                         std::int64_t limit,
                                                         const std::optional<KeyRoom>& room) {
  if (!room) {
    return connection_->statement(queries::flow_slots_waiting).bind(process_id, limit).rows<Key>();
  }
  return connection_->statement(queries::flow_slots_waiting_by_key)
      .bind(process_id, limit, room->running, room->starts, room->since)
      .rows<Key>();
}

Result<std::int64_t> SqliteStore::forget_flow_slots(Instant now, std::int64_t limit) {
  auto& forget = connection_->statement(queries::flow_slots_forget).bind(now, limit);
  if (const auto done = forget.run(); !done) return std::unexpected(done.error());
  return forget.changes();
}

// ---- schedules --------------------------------------------------------------------------------

Result<std::optional<FlowSchedule>> SqliteStore::flow_schedule(std::string_view name) {
  return connection_->statement(queries::flow_schedule_by_name).bind(name).row<FlowSchedule>();
}

Result<void> SqliteStore::put_flow_schedule(const FlowSchedule& schedule) {
  auto transaction = Transaction::begin(*connection_, Transaction::Kind::write);
  if (!transaction) return std::unexpected(transaction.error());
  if (auto done = remove_flow_schedule(schedule.name); !done) return done;
  auto done = connection_->statement(queries::flow_schedule_insert).bind_row(schedule).run();
  if (!done) return done;
  return transaction->commit();
}

Result<void> SqliteStore::remove_flow_schedule(std::string_view name) {
  return connection_->statement(queries::flow_schedule_remove).bind(name).run();
}

Result<std::vector<FlowSchedule>> SqliteStore::due_flow_schedules(Instant now, std::int64_t limit) {
  return connection_->statement(queries::flow_schedules_due).bind(now, limit).rows<FlowSchedule>();
}

// ---- chains -----------------------------------------------------------------------------------

Result<std::optional<ChainEnd>> SqliteStore::chain_end(Key instance_id) {
  return connection_->statement(queries::flow_chain_end).bind(instance_id).row<ChainEnd>();
}

} // namespace perdure::store::sqlite
