#include "store/postgres/state_loader.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace perdure::store::postgres {

namespace queries = sql::postgres;

namespace {

using facts::InstanceState;

/// Each id once, in order.
std::vector<Key> distinct(std::span<const Key> ids) {
  std::vector<Key> sorted(ids.begin(), ids.end());
  std::ranges::sort(sorted);
  const auto repeated = std::ranges::unique(sorted);
  sorted.erase(repeated.begin(), repeated.end());
  return sorted;
}

Parameter key_list(std::span<const Key> ids) {
  ArrayParameter list(kBigint);
  for (const auto id : ids)
    list.add(id);
  auto parameter = list.take();
  parameter.null = false;
  return parameter;
}

/// Instances first, then the tables in the order of State's members that fill() reads.
constexpr std::array kLoad{
    &queries::load_instances,     &queries::load_scopes,        &queries::load_tokens,
    &queries::load_steps,         &queries::load_attempts,      &queries::load_external_tasks,
    &queries::load_user_tasks,    &queries::load_timers,        &queries::load_joins,
    &queries::load_arrivals,      &queries::load_incidents,     &queries::load_dead_letters,
    &queries::load_subscriptions, &queries::load_compensations, &queries::load_flow_runs,
    &queries::load_iterations,    &queries::load_visits,        &queries::load_generations};
constexpr std::array kRecord{&queries::instance_by_id,
                             &queries::scopes_of_instance,
                             &queries::tokens_of_instance,
                             &queries::steps_of_instance,
                             &queries::attempts_of_instance,
                             &queries::tasks_of_instance,
                             &queries::people_tasks_of_instance,
                             &queries::timers_of_instance,
                             &queries::joins_of_instance,
                             &queries::arrivals_of_instance,
                             &queries::incidents_of_instance,
                             &queries::dead_letters_of_instance,
                             &queries::subscriptions_of_instance,
                             &queries::compensations_of_instance,
                             &queries::flow_run_of_instance,
                             &queries::flow_completion_of_instance,
                             &queries::evaluations_of_instance,
                             &queries::migrations_of_instance};

/// The states being loaded, found by instance.
class States {
public:
  Result<void> begin(const QueryResult& result) {
    auto instances = result.rows<facts::ProcessInstance>();
    if (!instances) return std::unexpected(instances.error());
    for (auto& instance : *instances) {
      index_.emplace(instance.id, states_.size());
      states_.emplace_back().instance = std::move(instance);
    }
    return {};
  }
  [[nodiscard]] InstanceState& of(Key instance_id) { return states_[index_.at(instance_id)]; }
  [[nodiscard]] std::vector<InstanceState> take() { return std::move(states_); }

private:
  std::vector<InstanceState> states_;
  std::unordered_map<Key, std::size_t> index_;
};

/// Adds the rows of each table to their instances; results are in the order of kLoad and kRecord.
class Filler {
public:
  Filler(States& states, std::span<const QueryResult> results)
      : states_(states), results_(results) {}

  Result<void> tables() {
    using S = InstanceState;
    return all(&S::scopes, &S::tokens, &S::steps, &S::attempts, &S::external_tasks, &S::user_tasks,
               &S::timers, &S::joins, &S::arrivals, &S::incidents, &S::dead_letters,
               &S::subscriptions, &S::compensations, &S::flow_runs);
  }
  /// What a record has beside that, behind its tables.
  Result<void> rest() {
    const auto& completions = results_[results_.size() - 3];
    if (auto done = one(completions, &InstanceState::completions); !done) return done;
    const auto& evaluations = results_[results_.size() - 2];
    if (auto done = one(evaluations, &InstanceState::evaluations); !done) return done;
    return one(results_.back(), &InstanceState::migrations);
  }

private:
  template <class... Rows>
  Result<void> all(facts::Table<Rows> InstanceState::*... tables) {
    Result<void> done;
    std::size_t at = 0;
    static_cast<void>(((done = one(results_[at++], tables), done.has_value()) && ...));
    return done;
  }
  template <class Row>
  Result<void> one(const QueryResult& result, facts::Table<Row> InstanceState::* table) {
    for (int i = 0; i < result.size(); ++i) {
      auto row = result.read<Row>(i);
      states_.of(row.instance_id).load(table, std::move(row));
    }
    return result.readable();
  }

  States& states_;
  std::span<const QueryResult> results_;
};

void add_iterations(States& states, const QueryResult& iterations) {
  for (int i = 0; i < iterations.size(); ++i) {
    auto [instance_id, multi_instance_id, index, state, output] =
        iterations
            .read<std::tuple<Key, Key, std::int64_t, facts::ScopeState, std::optional<Value>>>(i);
    states.of(instance_id).load_iteration(multi_instance_id, index, state, std::move(output));
  }
}

void add_counts(States& states, const QueryResult& visits, const QueryResult& generations) {
  for (int i = 0; i < visits.size(); ++i) {
    auto [instance_id, node_id, listener, count] =
        visits.read<std::tuple<Key, std::string, std::int64_t, std::int64_t>>(i);
    states.of(instance_id).visits.push_back({std::move(node_id), listener, count});
  }
  for (int i = 0; i < generations.size(); ++i) {
    auto [instance_id, scope_id, node_id, last] =
        generations.read<std::tuple<Key, Key, std::string, std::int64_t>>(i);
    states.of(instance_id).generations[{scope_id, std::move(node_id)}] = last;
  }
}

/// What the rows of an instance imply: visits of nodes, generations of gatherings, iterations.
void count(InstanceState& state) {
  std::map<std::pair<std::string, std::int64_t>, std::int64_t> visits;
  for (const auto& slot : state.steps.slots())
    ++visits[{slot.row.node_id, slot.row.listener.value_or(0)}];
  for (const auto& [visited, number] : visits)
    state.visits.push_back({visited.first, visited.second, number});
  for (const auto& slot : state.joins.slots()) {
    auto& last = state.generations[{slot.row.scope_id, slot.row.node_id}];
    last = std::max(last, slot.row.generation);
  }
  for (const auto& slot : state.scopes.slots()) {
    const auto& row = slot.row;
    if (row.kind != facts::ScopeKind::iteration || !state.loops.contains(*row.parent_id)) continue;
    state.load_iteration(*row.parent_id, *row.loop_index, row.state, row.output);
  }
}

std::vector<Call> snapshot_of(std::span<const sql::Query* const> wanted,
                              const Parameters& parameters) {
  std::vector<Call> calls{{&queries::transaction_begin_read, {}}};
  for (const auto* query : wanted)
    calls.push_back({query, parameters});
  return calls;
}

} // namespace

Result<std::vector<InstanceState>> load_states(Link& link, std::span<const Key> ids) {
  auto calls = snapshot_of(kLoad, {key_list(distinct(ids))});
  calls.push_back({&queries::transaction_commit, {}});
  const auto results = link.run(calls);
  if (!results) return std::unexpected(results.error());
  const auto read = std::span(*results).subspan(1);
  States states;
  if (const auto begun = states.begin(read[0]); !begun) return std::unexpected(begun.error());
  if (const auto done = Filler(states, read.subspan(1)).tables(); !done) {
    return std::unexpected(done.error());
  }
  add_iterations(states, read[kLoad.size() - 3]);
  if (const auto done = read[kLoad.size() - 3].readable(); !done) {
    return std::unexpected(done.error());
  }
  add_counts(states, read[kLoad.size() - 2], read[kLoad.size() - 1]);
  return states.take();
}

Result<std::optional<InstanceRecord>> load_record(Link& link, Key instance_id) {
  auto calls = snapshot_of(kRecord, parameters(instance_id));
  calls.push_back(
      {&queries::history_of_instance,
       parameters(instance_id, std::int64_t{0}, std::numeric_limits<std::int64_t>::max())});
  calls.push_back({&queries::sent_by_instance, parameters(instance_id)});
  calls.push_back({&queries::transaction_commit, {}});
  const auto results = link.run(calls);
  if (!results) return std::unexpected(results.error());
  const auto read = std::span(*results).subspan(1);
  States states;
  if (const auto begun = states.begin(read[0]); !begun) return std::unexpected(begun.error());
  if (read[0].size() == 0) return std::nullopt;
  Filler filler(states, read.subspan(1, kRecord.size() - 1));
  if (const auto done = filler.tables(); !done) return std::unexpected(done.error());
  if (const auto done = filler.rest(); !done) return std::unexpected(done.error());
  InstanceRecord record{.rows = std::move(states.take().front()), .history = {}};
  count(record.rows);
  auto history = read[kRecord.size()].rows<facts::HistoryEvent>();
  if (!history) return std::unexpected(history.error());
  record.history = std::move(*history);
  auto sent = read[kRecord.size() + 1].rows<facts::PendingEvent>();
  if (!sent) return std::unexpected(sent.error());
  for (auto& event : *sent)
    record.rows.pending_events.load(std::move(event));
  return record;
}

} // namespace perdure::store::postgres
