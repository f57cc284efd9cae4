// Retention on SQLite: the writer removes what has ended, beside its other work.
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "store/sqlite/store.h"

namespace perdure::store::sqlite {

namespace queries = sql::sqlite;

namespace {

/// In the order in which rows may go: those that refer to others first.
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

std::string json_text(const Array& items) {
  std::string text;
  json::append(text, items);
  return text;
}

} // namespace

Result<std::vector<InstanceAge>> SqliteStore::instance_ages(Key after, std::int64_t limit) {
  return connection_->statement(queries::instance_ages).bind(after, limit).rows<InstanceAge>();
}

Result<Purged> SqliteStore::purge(std::span<const ExpiredInstance> instances, Instant now) {
  Purged purged;
  if (instances.empty()) return purged;
  auto transaction = Transaction::begin(*connection_, Transaction::Kind::write);
  if (!transaction) return std::unexpected(transaction.error());
  if (auto done = connection_->statement(queries::purge_defer).run(); !done) {
    return std::unexpected(done.error());
  }
  Array pairs;
  for (const auto& instance : instances)
    pairs.push_back(Array{instance.id, to_ms(instance.retained_until)});
  const auto list = json_text(pairs);
  auto& begin = connection_->statement(queries::purge_begin).bind(std::string_view(list), now);
  if (auto done = begin.run(); !done) return std::unexpected(done.error());
  purged.instances = begin.changes();
  for (const auto* query : kRemovals) {
    auto& removal = connection_->statement(*query);
    if (auto done = removal.run(); !done) return std::unexpected(done.error());
    purged.rows += removal.changes();
  }
  if (auto done = connection_->statement(queries::purge_end).run(); !done) {
    return std::unexpected(done.error());
  }
  if (auto done = transaction->commit(); !done) return std::unexpected(done.error());
  return purged;
}

} // namespace perdure::store::sqlite
