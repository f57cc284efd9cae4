#include "store/postgres/store.h"

#include <array>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "store/decision_query.h"
#include "store/postgres/commit.h"
#include "store/postgres/error.h"
#include "store/postgres/state_loader.h"

namespace perdure::store {

/// As the query due_rows spells them.
constexpr auto enum_names(DueRow::Kind) {
  return std::array<std::string_view, 3>{"timer", "task_lock", "ready_token"};
}

} // namespace perdure::store

namespace perdure::store::postgres {

namespace queries = sql::postgres;

namespace {

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
    return run(queries::process_definition_insert, row_parameters(row));
  }
  Result<void> insert(const facts::DecisionRequirements& row) override {
    return run(queries::decision_requirements_insert, row_parameters(row));
  }
  Result<void> insert(const facts::DecisionDefinition& row) override {
    return run(queries::decision_definition_insert, row_parameters(row));
  }
  Result<void> insert(const facts::DefinitionSubscription& row) override {
    return run(queries::definition_subscription_insert, row_parameters(row));
  }
  Result<void> close_starts(const facts::ProcessDefinition& version) override {
    return run(queries::definition_starts_close,
               parameters(version.tenant_id, version.process_id, version.deployed_at));
  }
  Result<bool> has_starts(Key definition_id) override {
    const auto found = connection_.query(queries::definition_has_starts, parameters(definition_id));
    if (!found) return std::unexpected(found.error());
    return found->size() > 0;
  }

private:
  template <class Row>
  Result<std::optional<Row>> row(const sql::Query& query, const std::string& tenant_id,
                                 const std::string& name) {
    const auto result = connection_.query(query, parameters(tenant_id, name));
    if (!result) return std::unexpected(result.error());
    return result->row<Row>();
  }
  Result<void> run(const sql::Query& query, Parameters given) {
    const auto done = connection_.query(query, std::move(given));
    if (!done) return std::unexpected(done.error());
    return {};
  }

  Connection& connection_;
};

} // namespace

template <class Row>
Result<std::optional<Row>> PostgresStore::row(const sql::Query& query, Parameters parameters) {
  const auto result = side_.query(query, std::move(parameters));
  if (!result) return std::unexpected(result.error());
  return result->row<Row>();
}

// Blocks that follow each other are one, for who wants more than a block.
Result<KeyRange> PostgresStore::take_keys(std::int64_t count) {
  PERDURE_CHECK(count > 0);
  while (keys_.left() < count) {
    const auto taken = row<std::tuple<Key, std::int64_t>>(queries::key_block_take, {});
    if (!taken) return std::unexpected(taken.error());
    const auto [first, size] = **taken;
    if (keys_.end != first) keys_.next = first;
    keys_.end = first + size;
  }
  const KeyRange range{keys_.next, keys_.next + count};
  keys_.next = range.end;
  return range;
}

Result<std::vector<facts::InstanceState>> PostgresStore::load(std::span<const Key> ids) {
  if (ids.empty()) return std::vector<facts::InstanceState>{};
  return load_states(side_, ids);
}

Result<void> PostgresStore::hold(std::span<const Key> ids) {
  ArrayParameter wanted(kBigint);
  for (const auto id : ids)
    wanted.add(id);
  Parameters given;
  given.push_back(wanted.take());
  const auto held = claim(queries::instance_lock, std::move(given));
  if (held) return {};
  if (held.error().code == ErrorCode::conflict) {
    const auto patience = side_.options().idle_in_transaction_timeout.count();
    const auto ended = side_.query(queries::stuck_session_end, parameters(patience));
    if (!ended) return std::unexpected(ended.error());
  }
  return std::unexpected(held.error());
}

Result<std::vector<UnitOutcome>> PostgresStore::commit(std::span<const Unit> units) {
  if (guard_ && !guard_->before(units)) return die();
  Commit commit(round_, units, channel_, *counters_);
  auto outcomes = commit.run();
  if (!outcomes) return outcomes;
  if (guard_ && !guard_->after(units)) return die();
  for (const auto& outcome : *outcomes) {
    if (outcome) continue;
    const bool overtaken = outcome.error().code == ErrorCode::conflict;
    (overtaken ? counters_->conflicts : counters_->refused).fetch_add(1, std::memory_order_relaxed);
  }
  return outcomes;
}

std::unexpected<Error> PostgresStore::die() {
  Error died{ErrorCode::unavailable, "The store has died, as its test wanted: open it again.", {}};
  round_.close(died);
  side_.close(died);
  return std::unexpected(std::move(died));
}

void PostgresStore::end_round() {
  if (auto* connection = round_.current()) connection->roll_back();
}

Result<std::vector<InstanceVersion>> PostgresStore::versions(std::span<const Key> ids) {
  ArrayParameter wanted(kBigint);
  for (const auto id : ids)
    wanted.add(id);
  Parameters given;
  given.push_back(wanted.take());
  const auto result = side_.query(queries::instance_versions, std::move(given));
  if (!result) return std::unexpected(result.error());
  std::vector<InstanceVersion> versions;
  for (int i = 0; i < result->size(); ++i)
    versions.push_back({result->column<Key>(i, 0), result->column<std::int64_t>(i, 1)});
  return versions;
}

Result<QueryResult> PostgresStore::claim(const sql::Query& query, Parameters parameters) {
  auto* connection = round_.current();
  const bool begins = !connection || !connection->in_transaction();
  std::vector<Call> calls;
  if (begins) calls.push_back({&queries::transaction_begin_write, {}});
  calls.push_back({&query, std::move(parameters)});
  // A transaction that is not begun yet may begin on a new connection.
  auto results = begins ? round_.run(calls) : connection->run(calls);
  if (!results) {
    end_round();
    return std::unexpected(std::move(results.error()));
  }
  auto result = std::move(results->back());
  if (begins && result.size() == 0) end_round(); // nothing is held, so that nothing has to be
  return result;
}

Result<std::optional<Key>> PostgresStore::instance_of_task(Key task_id) {
  return row<Key>(queries::instance_of_task, parameters(task_id));
}

Result<std::optional<Key>> PostgresStore::instance_of_user_task(Key task_id) {
  return row<Key>(queries::instance_of_user_task, parameters(task_id));
}

Result<std::optional<Key>> PostgresStore::instance_of_incident(Key incident_id) {
  return row<Key>(queries::instance_of_incident, parameters(incident_id));
}

Result<std::optional<Key>> PostgresStore::instance_of_business_key(std::string_view tenant_id,
                                                                   std::string_view process_id,
                                                                   std::string_view business_key) {
  return row<Key>(queries::instance_of_business_key,
                  parameters(tenant_id, process_id, business_key));
}

Result<std::optional<facts::ExternalTask>> PostgresStore::external_task(Key task_id) {
  return row<facts::ExternalTask>(queries::external_task_by_id, parameters(task_id));
}

Result<std::optional<facts::UserTask>> PostgresStore::user_task(Key task_id) {
  return row<facts::UserTask>(queries::user_task_by_id, parameters(task_id));
}

Result<std::vector<ReadyTask>> PostgresStore::ready_tasks(std::string_view type, Instant now,
                                                          std::int64_t limit) {
  const auto result = claim(queries::ready_tasks, parameters(type, now, limit));
  if (!result) return std::unexpected(result.error());
  std::vector<ReadyTask> tasks;
  for (int i = 0; i < result->size(); ++i)
    tasks.push_back({result->column<Key>(i, 0), result->column<Key>(i, 1)});
  return tasks;
}

Result<std::vector<DueRow>> PostgresStore::due_rows(Instant now, std::int64_t limit) {
  const auto result = claim(queries::due_rows, parameters(now, limit));
  if (!result) return std::unexpected(result.error());
  std::vector<DueRow> rows;
  for (int i = 0; i < result->size(); ++i) {
    rows.push_back(
        {result->column<DueRow::Kind>(i, 0), result->column<Key>(i, 1), result->column<Key>(i, 2)});
  }
  return rows;
}

Result<std::vector<DueRow>> PostgresStore::locks_of(std::string_view prefix, std::int64_t limit) {
  const auto result = side_.query(queries::locks_of, parameters(prefix, limit));
  if (!result) return std::unexpected(result.error());
  std::vector<DueRow> rows;
  for (int i = 0; i < result->size(); ++i) {
    rows.push_back({DueRow::Kind::task_lock, result->column<Key>(i, 0), result->column<Key>(i, 1)});
  }
  return rows;
}

Result<std::optional<Instant>> PostgresStore::next_due(Instant now) {
  const auto due = row<std::optional<Instant>>(queries::next_due, parameters(now));
  if (!due) return std::unexpected(due.error());
  return due->value_or(std::nullopt);
}

Result<std::optional<Instant>> PostgresStore::last_time() {
  if (!guard_) return std::nullopt; // the database's own clock is the time of all
  const auto last = row<std::optional<Instant>>(queries::last_fact_time, {});
  if (!last) return std::unexpected(last.error());
  return last->value_or(std::nullopt);
}

Result<std::optional<facts::IdempotencyRecord>> PostgresStore::idempotency(
    std::string_view tenant_id, std::string_view key) {
  return row<facts::IdempotencyRecord>(queries::idempotency_by_key, parameters(key, tenant_id));
}

Result<std::int64_t> PostgresStore::purge_idempotency(Instant now, std::int64_t limit) {
  const auto purged = side_.query(queries::idempotency_purge, parameters(now, limit));
  if (!purged) return std::unexpected(purged.error());
  return purged->changes();
}

// Two nodes may deploy at once: the lock makes the second one see the first one's versions.
Result<Deployment> PostgresStore::deploy(Deployment deployment) {
  if (deployment.empty()) return deployment;
  const auto keys = take_keys(keys_needed(deployment));
  if (!keys) return std::unexpected(keys.error());
  const auto connection = side_.get();
  if (!connection) return std::unexpected(connection.error());
  auto written = [&]() -> Result<Deployment> {
    const std::vector<Call> begin{{&queries::transaction_begin_write, {}},
                                  {&queries::transaction_lock, parameters(channel_ + ":deploy")}};
    if (const auto begun = (*connection)->run(begin); !begun) {
      return std::unexpected(begun.error());
    }
    Tables tables(**connection);
    auto added = add_versions(tables, std::move(deployment), *keys);
    if (!added) return added;
    const auto done = (*connection)->query(queries::transaction_commit);
    if (!done) return std::unexpected(done.error());
    return added;
  }();
  if (!written) {
    (*connection)->roll_back();
    return written;
  }
  counters_->commits.fetch_add(1, std::memory_order_relaxed);
  return written;
}

Result<std::optional<facts::ProcessDefinition>> PostgresStore::definition(Key id) {
  return row<facts::ProcessDefinition>(queries::definition_by_id, parameters(id));
}

Result<std::optional<facts::ProcessDefinition>> PostgresStore::latest_definition(
    std::string_view tenant_id, std::string_view process_id) {
  return row<facts::ProcessDefinition>(queries::definition_latest,
                                       parameters(tenant_id, process_id));
}

Result<std::optional<facts::DecisionDefinition>> PostgresStore::decision(
    const DecisionChoice& choice) {
  return find_decision(choice, [&](const sql::Query& query, const auto&... values) {
    return row<facts::DecisionDefinition>(query, parameters(values...));
  });
}

Result<std::optional<facts::DecisionRequirements>> PostgresStore::requirements(Key id) {
  return row<facts::DecisionRequirements>(queries::requirements_by_id, parameters(id));
}

} // namespace perdure::store::postgres
