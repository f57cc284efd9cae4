// Retention on PostgreSQL: one node at a time removes what has ended, in two round trips.
#include <span>
#include <utility>
#include <vector>

#include "store/postgres/store.h"

namespace perdure::store::postgres {

namespace queries = sql::postgres;

namespace {

/// In the order in which rows may go: those that refer to others first. That scopes refer to
/// tokens is looked at when the transaction ends.
constexpr const sql::Query* kRemovals[] = {&queries::purge_instance_migration,
                                           &queries::purge_decision_evaluation,
                                           &queries::purge_pending_event,
                                           &queries::purge_flow_completion,
                                           &queries::purge_flow_run,
                                           &queries::purge_compensation_record,
                                           &queries::purge_event_subscription,
                                           &queries::purge_dead_letter,
                                           &queries::purge_incident,
                                           &queries::purge_join_arrival,
                                           &queries::purge_parallel_join,
                                           &queries::purge_timer,
                                           &queries::purge_user_task,
                                           &queries::purge_external_task,
                                           &queries::purge_step_attempt,
                                           &queries::purge_step_record,
                                           &queries::purge_token,
                                           &queries::purge_scope,
                                           &queries::purge_history_event,
                                           &queries::purge_audit_entry,
                                           &queries::purge_process_instance};

/// The calls that remove the instances, from purge_begin to the end of the transaction.
std::vector<Call> removal_calls(std::span<const ExpiredInstance> instances, Instant now) {
  ArrayParameter ids(kBigint);
  ArrayParameter times(kTimestamp);
  for (const auto& instance : instances) {
    ids.add(instance.id);
    times.add(instance.retained_until);
  }
  std::vector<Call> calls;
  Parameters given;
  given.push_back(ids.take());
  given.push_back(times.take());
  given.push_back(parameter(now));
  calls.push_back({&queries::purge_begin, std::move(given)});
  for (const auto* query : kRemovals)
    calls.push_back({query, {}});
  calls.push_back({&queries::purge_end, {}});
  return calls;
}

} // namespace

Result<std::vector<InstanceAge>> PostgresStore::instance_ages(Key after, std::int64_t limit) {
  const auto result = side_.query(queries::instance_ages, parameters(after, limit));
  if (!result) return std::unexpected(result.error());
  return result->rows<InstanceAge>();
}

Result<Purged> PostgresStore::purge(std::span<const ExpiredInstance> instances, Instant now) {
  Purged purged;
  if (instances.empty()) return purged;
  const std::vector<Call> begin{{&queries::transaction_begin_write, {}},
                                {&queries::purge_lock, parameters(channel_ + ":purge")}};
  const auto begun = side_.run(begin);
  if (!begun) return std::unexpected(begun.error());
  auto* connection = side_.current();
  if (!begun->back().column<bool>(0, 0)) {
    connection->roll_back();
    return Purged{.busy = true};
  }
  const auto results = connection->run(removal_calls(instances, now));
  const auto done = results ? connection->query(queries::transaction_commit)
                            : Result<QueryResult>(std::unexpected(results.error()));
  if (!done) {
    connection->roll_back();
    return std::unexpected(done.error());
  }
  purged.instances = results->front().changes();
  for (std::size_t i = 1; i + 1 < results->size(); ++i)
    purged.rows += (*results)[i].changes();
  return purged;
}

} // namespace perdure::store::postgres
