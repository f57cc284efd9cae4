// Running many flows, on PostgreSQL: hosts, limits, schedules.
#include <string>
#include <utility>

#include "store/postgres/store.h"

namespace perdure::store::postgres {

namespace queries = sql::postgres;

namespace {

/// So that the index of those that are ready is used, which is one of times.
constexpr Instant kEndOfTime = from_ms(253'402'300'799'000);

Result<void> done(const Result<QueryResult>& result) {
  if (!result) return std::unexpected(result.error());
  return {};
}

template <class Row>
Result<std::vector<Row>> all(const Result<QueryResult>& result) {
  if (!result) return std::unexpected(result.error());
  return result->template rows<Row>();
}

Result<std::vector<FlowAttempt>> attempts(const Result<QueryResult>& result) {
  if (!result) return std::unexpected(result.error());
  std::vector<FlowAttempt> rows;
  for (int i = 0; i < result->size(); ++i)
    rows.push_back({result->column<Key>(i, 0), result->column<std::string>(i, 1)});
  return rows;
}

} // namespace

// ---- hosts ------------------------------------------------------------------------------------

Result<void> PostgresStore::add_flow_host(const FlowHostRow& host) {
  return done(side_.query(queries::flow_host_insert, row_parameters(host)));
}

Result<bool> PostgresStore::renew_flow_host(std::string_view worker_id, Instant expires_at) {
  const auto result = side_.query(queries::flow_host_renew, parameters(worker_id, expires_at));
  if (!result) return std::unexpected(result.error());
  return result->changes() > 0;
}

Result<std::vector<std::string>> PostgresStore::expired_flow_hosts(Instant now,
                                                                   std::int64_t limit) {
  return all<std::string>(side_.query(queries::flow_hosts_expired, parameters(now, limit)));
}

Result<void> PostgresStore::remove_flow_host(std::string_view worker_id, Instant now) {
  return done(side_.query(queries::flow_host_remove, parameters(worker_id, now)));
}

Result<std::vector<FlowAttempt>> PostgresStore::flow_attempts_by(std::string_view worker_id) {
  return attempts(side_.query(queries::flow_attempts_by, parameters(worker_id)));
}

Result<std::vector<FlowAttempt>> PostgresStore::flow_attempts_of(std::string_view prefix) {
  return attempts(side_.query(queries::flow_attempts_of, parameters(prefix)));
}

Result<std::vector<ReadyFlow>> PostgresStore::ready_flows(Key after, std::int64_t limit) {
  const auto result = side_.query(queries::ready_flows, parameters(after, limit, kEndOfTime));
  if (!result) return std::unexpected(result.error());
  std::vector<ReadyFlow> rows;
  for (int i = 0; i < result->size(); ++i) {
    rows.push_back({.instance_id = result->column<Key>(i, 0),
                    .definition_id = result->column<Key>(i, 1),
                    .last_sequence = result->column<std::int64_t>(i, 2),
                    .updated_at = result->column<Instant>(i, 3),
                    .host = result->column<std::optional<std::string>>(i, 4),
                    .busy = result->column<std::int64_t>(i, 5) > 0});
  }
  return rows;
}

// ---- limits -----------------------------------------------------------------------------------

Result<std::vector<FlowLimit>> PostgresStore::flow_limits() {
  return all<FlowLimit>(side_.query(queries::flow_limits));
}

Result<void> PostgresStore::put_flow_limit(const FlowLimit& limit) {
  return done(side_.query(queries::flow_limit_put, row_parameters(limit)));
}

Result<void> PostgresStore::remove_flow_limit(std::string_view process_id) {
  return done(side_.query(queries::flow_limit_remove, parameters(process_id)));
}

Result<std::vector<std::string>> PostgresStore::flow_names_waiting() {
  return all<std::string>(side_.query(queries::flow_names_waiting));
}

Result<bool> PostgresStore::claim_flow_limit(std::string_view process_id) {
  const auto result = claim(queries::flow_limit_claim, parameters(process_id));
  if (!result) return std::unexpected(result.error());
  return result->size() > 0;
}

Result<std::int64_t> PostgresStore::flow_running(std::string_view process_id) {
  const auto result = side_.query(queries::flow_running_count, parameters(process_id));
  if (!result) return std::unexpected(result.error());
  return result->column<std::int64_t>(0, 0);
}

Result<AdmittedSince> PostgresStore::flow_admitted_since(std::string_view process_id,
                                                         Instant since) {
  const auto result = side_.query(queries::flow_admitted_since, parameters(process_id, since));
  if (!result) return std::unexpected(result.error());
  return AdmittedSince{.count = result->column<std::int64_t>(0, 0),
                       .first = result->column<std::optional<Instant>>(0, 1)};
}

Result<std::vector<Key>> PostgresStore::flow_slots_waiting(std::string_view process_id,
                                                           std::int64_t limit,
                                                           const std::optional<KeyRoom>& room) {
  if (!room) {
    return all<Key>(side_.query(queries::flow_slots_waiting, parameters(process_id, limit)));
  }
  return all<Key>(
      side_.query(queries::flow_slots_waiting_by_key,
                  parameters(process_id, limit, room->running, room->starts, room->since)));
}

Result<std::int64_t> PostgresStore::forget_flow_slots(Instant now, std::int64_t limit) {
  const auto result = side_.query(queries::flow_slots_forget, parameters(now, limit));
  if (!result) return std::unexpected(result.error());
  return result->changes();
}

// ---- schedules --------------------------------------------------------------------------------

Result<std::optional<FlowSchedule>> PostgresStore::flow_schedule(std::string_view name) {
  const auto result = side_.query(queries::flow_schedule_by_name, parameters(name));
  if (!result) return std::unexpected(result.error());
  return result->row<FlowSchedule>();
}

Result<void> PostgresStore::put_flow_schedule(const FlowSchedule& schedule) {
  const auto connection = side_.get();
  if (!connection) return std::unexpected(connection.error());
  const std::vector<Call> calls{{&queries::transaction_begin_write, {}},
                                {&queries::flow_schedule_remove, parameters(schedule.name)},
                                {&queries::flow_schedule_insert, row_parameters(schedule)},
                                {&queries::transaction_commit, {}}};
  const auto written = (*connection)->run(calls);
  if (written) return {};
  (*connection)->roll_back();
  return std::unexpected(written.error());
}

Result<void> PostgresStore::remove_flow_schedule(std::string_view name) {
  return done(side_.query(queries::flow_schedule_remove, parameters(name)));
}

Result<std::vector<FlowSchedule>> PostgresStore::due_flow_schedules(Instant now,
                                                                    std::int64_t limit) {
  return all<FlowSchedule>(claim(queries::flow_schedules_due, parameters(now, limit)));
}

// ---- chains -----------------------------------------------------------------------------------

Result<std::optional<ChainEnd>> PostgresStore::chain_end(Key instance_id) {
  const auto result = side_.query(queries::flow_chain_end, parameters(instance_id));
  if (!result) return std::unexpected(result.error());
  return result->row<ChainEnd>();
}

} // namespace perdure::store::postgres
