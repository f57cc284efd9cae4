#include "store/sqlite/store.h"

#include <sqlite3.h>

#include <tuple>
#include <utility>

#include "base/check.h"
#include "store/decision_query.h"
#include "store/sqlite/state_loader.h"
#include "store/sqlite/unit_writer.h"

namespace perdure::store {

/// As the query due_rows spells them.
constexpr auto enum_names(DueRow::Kind) {
  return std::array<std::string_view, 3>{"timer", "task_lock", "ready_token"};
}

} // namespace perdure::store

namespace perdure::store::sqlite {

namespace queries = sql::sqlite;

namespace {

/// Errors of one unit; any other is one of the disk or the program and concerns all.
bool is_of_unit(const Error& error) {
  return error.code == ErrorCode::conflict || error.code == ErrorCode::invariant_violated ||
         error.code == ErrorCode::invalid_input;
}

class Tables final : public DefinitionTables {
public:
  explicit Tables(Connection& connection) : connection_(connection) {}

  Result<std::optional<facts::ProcessDefinition>> latest_process(
      const std::string& tenant_id, const std::string& process_id) override {
    return row<facts::ProcessDefinition>(queries::definition_latest, tenant_id, process_id);
  }
  Result<std::optional<facts::DecisionRequirements>> latest_model(
      const std::string& tenant_id, const std::string& model_id) override {
    return row<facts::DecisionRequirements>(queries::requirements_latest, tenant_id, model_id);
  }
  Result<std::optional<facts::DecisionDefinition>> latest_decision(
      const std::string& tenant_id, const std::string& decision_id) override {
    return row<facts::DecisionDefinition>(queries::decision_latest, tenant_id, decision_id);
  }
  Result<void> insert(const facts::ProcessDefinition& row) override {
    return connection_.statement(queries::process_definition_insert).bind_row(row).run();
  }
  Result<void> insert(const facts::DecisionRequirements& row) override {
    return connection_.statement(queries::decision_requirements_insert).bind_row(row).run();
  }
  Result<void> insert(const facts::DecisionDefinition& row) override {
    return connection_.statement(queries::decision_definition_insert).bind_row(row).run();
  }
  Result<void> insert(const facts::DefinitionSubscription& row) override {
    return connection_.statement(queries::definition_subscription_insert).bind_row(row).run();
  }
  Result<void> close_starts(const facts::ProcessDefinition& version) override {
    return connection_.statement(queries::definition_starts_close)
        .bind(version.tenant_id, version.process_id, version.deployed_at)
        .run();
  }
  Result<bool> has_starts(Key definition_id) override {
    const auto found =
        connection_.statement(queries::definition_has_starts).bind(definition_id).row<Key>();
    if (!found) return std::unexpected(found.error());
    return found->has_value();
  }

private:
  template <class Row>
  Result<std::optional<Row>> row(const sql::Query& query, const std::string& tenant_id,
                                 const std::string& name) {
    return connection_.statement(query).bind(tenant_id, name).template row<Row>();
  }

  Connection& connection_;
};

} // namespace

Result<KeyRange> SqliteStore::take_keys(std::int64_t count) {
  PERDURE_CHECK(count > 0);
  const auto end = connection_->statement(queries::key_block_take).bind(count).row<Key>();
  if (!end) return std::unexpected(end.error());
  if (!*end) return fail(ErrorCode::internal, "The database has lost its row of keys.");
  connection_->counters().commits.fetch_add(1, std::memory_order_relaxed);
  return KeyRange{**end - count, **end};
}

Result<std::vector<facts::InstanceState>> SqliteStore::load(std::span<const Key> ids) {
  return load_states(*connection_, ids);
}

Result<std::vector<UnitOutcome>> SqliteStore::commit(std::span<const Unit> units) {
  // Nearly every batch is accepted whole. A savepoint around each unit would copy every page that
  // the unit touches; they are set only once a unit was refused.
  if (guard_ && !guard_->before(units)) return die();
  auto outcomes = try_commit(units, false);
  if (outcomes && outcomes->size() < units.size()) outcomes = try_commit(units, true);
  if (guard_ && outcomes && !guard_->after(units)) return die();
  return outcomes;
}

std::unexpected<Error> SqliteStore::die() {
  const auto closed = connection_->statement(queries::connection_query_only).run();
  PERDURE_CHECK(closed.has_value());
  return fail(ErrorCode::unavailable, "The store has died, as its test wanted: open it again.");
}

Result<std::vector<UnitOutcome>> SqliteStore::try_commit(std::span<const Unit> units,
                                                         bool guarded) {
  auto& counters = connection_->counters();
  auto transaction = Transaction::begin(*connection_, Transaction::Kind::write);
  if (!transaction) return std::unexpected(transaction.error());
  const auto rows_before = sqlite3_total_changes64(connection_->handle());
  std::vector<UnitOutcome> outcomes;
  outcomes.reserve(units.size());
  for (const auto& unit : units) {
    auto outcome = guarded ? guarded_unit(unit) : plain_unit(unit);
    if (!outcome) return std::unexpected(outcome.error());
    if (!*outcome && !guarded) return outcomes; // the transaction is rolled back
    if (!*outcome) counters.refused.fetch_add(1, std::memory_order_relaxed);
    outcomes.push_back(std::move(*outcome));
  }
  if (const auto done = transaction->commit(); !done) return std::unexpected(done.error());
  const auto rows = sqlite3_total_changes64(connection_->handle()) - rows_before;
  counters.rows.fetch_add(rows, std::memory_order_relaxed);
  counters.commits.fetch_add(1, std::memory_order_relaxed);
  return outcomes;
}

Result<UnitOutcome> SqliteStore::plain_unit(const Unit& unit) {
  UnitOutcome outcome = write_unit(*connection_, unit);
  if (!outcome && !is_of_unit(outcome.error())) return std::unexpected(outcome.error());
  return outcome;
}

Result<UnitOutcome> SqliteStore::guarded_unit(const Unit& unit) {
  const auto run = [&](const sql::Query& query) { return connection_->statement(query).run(); };
  if (auto done = run(queries::savepoint_begin); !done) return std::unexpected(done.error());
  UnitOutcome outcome = write_unit(*connection_, unit);
  if (!outcome) {
    if (!is_of_unit(outcome.error())) return std::unexpected(outcome.error());
    if (auto done = run(queries::savepoint_rollback); !done) return std::unexpected(done.error());
  }
  if (auto done = run(queries::savepoint_release); !done) return std::unexpected(done.error());
  return outcome;
}

Result<std::optional<Key>> SqliteStore::instance_of_task(Key task_id) {
  return connection_->statement(queries::instance_of_task).bind(task_id).row<Key>();
}

Result<std::optional<Key>> SqliteStore::instance_of_user_task(Key task_id) {
  return connection_->statement(queries::instance_of_user_task).bind(task_id).row<Key>();
}

Result<std::optional<Key>> SqliteStore::instance_of_incident(Key incident_id) {
  return connection_->statement(queries::instance_of_incident).bind(incident_id).row<Key>();
}

Result<std::optional<Key>> SqliteStore::instance_of_business_key(std::string_view tenant_id,
                                                                 std::string_view process_id,
                                                                 std::string_view business_key) {
  return connection_->statement(queries::instance_of_business_key)
      .bind(tenant_id, process_id, business_key)
      .row<Key>();
}

Result<std::optional<facts::ExternalTask>> SqliteStore::external_task(Key task_id) {
  return connection_->statement(queries::external_task_by_id)
      .bind(task_id)
      .row<facts::ExternalTask>();
}

Result<std::optional<facts::UserTask>> SqliteStore::user_task(Key task_id) {
  return connection_->statement(queries::user_task_by_id).bind(task_id).row<facts::UserTask>();
}

Result<std::vector<ReadyTask>> SqliteStore::ready_tasks(std::string_view type, Instant now,
                                                        std::int64_t limit) {
  std::vector<ReadyTask> tasks;
  const auto done = connection_->statement(queries::ready_tasks)
                        .bind(type, now, limit)
                        .each([&](Statement& statement) {
                          tasks.push_back({statement.column<Key>(0), statement.column<Key>(1)});
                        });
  if (!done) return std::unexpected(done.error());
  return tasks;
}

Result<std::vector<DueRow>> SqliteStore::due_rows(Instant now, std::int64_t limit) {
  std::vector<DueRow> rows;
  const auto done =
      connection_->statement(queries::due_rows).bind(now, limit).each([&](Statement& statement) {
        rows.push_back({statement.column<DueRow::Kind>(0), statement.column<Key>(1),
                        statement.column<Key>(2)});
      });
  if (!done) return std::unexpected(done.error());
  return rows;
}

Result<std::vector<DueRow>> SqliteStore::locks_of(std::string_view prefix, std::int64_t limit) {
  std::vector<DueRow> rows;
  const auto done =
      connection_->statement(queries::locks_of).bind(prefix, limit).each([&](Statement& statement) {
        rows.push_back(
            {DueRow::Kind::task_lock, statement.column<Key>(0), statement.column<Key>(1)});
      });
  if (!done) return std::unexpected(done.error());
  return rows;
}

Result<std::optional<Instant>> SqliteStore::next_due(Instant now) {
  const auto due =
      connection_->statement(queries::next_due).bind(now).row<std::optional<Instant>>();
  if (!due) return std::unexpected(due.error());
  return due->value_or(std::nullopt);
}

Result<std::optional<Instant>> SqliteStore::last_time() {
  return connection_->statement(queries::last_fact_time).row<Instant>();
}

Result<std::optional<facts::IdempotencyRecord>> SqliteStore::idempotency(std::string_view tenant_id,
                                                                         std::string_view key) {
  return connection_->statement(queries::idempotency_by_key)
      .bind(key, tenant_id)
      .row<facts::IdempotencyRecord>();
}

Result<std::int64_t> SqliteStore::purge_idempotency(Instant now, std::int64_t limit) {
  auto& purge = connection_->statement(queries::idempotency_purge).bind(now, limit);
  if (const auto done = purge.run(); !done) return std::unexpected(done.error());
  return purge.changes();
}

Result<Deployment> SqliteStore::deploy(Deployment deployment) {
  if (deployment.empty()) return deployment;
  const auto keys = take_keys(keys_needed(deployment));
  if (!keys) return std::unexpected(keys.error());
  auto transaction = Transaction::begin(*connection_, Transaction::Kind::write);
  if (!transaction) return std::unexpected(transaction.error());
  Tables tables(*connection_);
  auto added = add_versions(tables, std::move(deployment), *keys);
  if (!added) return added;
  if (const auto done = transaction->commit(); !done) return std::unexpected(done.error());
  connection_->counters().commits.fetch_add(1, std::memory_order_relaxed);
  return added;
}

Result<std::optional<facts::ProcessDefinition>> SqliteStore::definition(Key id) {
  return connection_->statement(queries::definition_by_id).bind(id).row<facts::ProcessDefinition>();
}

Result<std::optional<facts::ProcessDefinition>> SqliteStore::latest_definition(
    std::string_view tenant_id, std::string_view process_id) {
  return connection_->statement(queries::definition_latest)
      .bind(tenant_id, process_id)
      .row<facts::ProcessDefinition>();
}

Result<std::optional<facts::DecisionDefinition>> SqliteStore::decision(
    const DecisionChoice& choice) {
  return find_decision(choice, [&](const sql::Query& query, const auto&... parameters) {
    return connection_->statement(query)
        .bind(parameters...)
        .template row<facts::DecisionDefinition>();
  });
}

Result<std::optional<facts::DecisionRequirements>> SqliteStore::requirements(Key id) {
  return connection_->statement(queries::requirements_by_id)
      .bind(id)
      .row<facts::DecisionRequirements>();
}

void SqliteStore::idle() { connection_->checkpoint(); }

SqliteStore::~SqliteStore() {
  connection_->end_waiting(); // a reader of another program must not hold up the end
  connection_->checkpoint();
}

} // namespace perdure::store::sqlite
