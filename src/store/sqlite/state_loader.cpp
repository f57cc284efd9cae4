#include "store/sqlite/state_loader.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/json.h"

namespace perdure::store::sqlite {

namespace queries = sql::sqlite;

namespace {

/// Each id once, as a JSON array.
std::string json_list(std::span<const Key> ids) {
  std::vector<Key> sorted(ids.begin(), ids.end());
  std::ranges::sort(sorted);
  const auto repeated = std::ranges::unique(sorted);
  sorted.erase(repeated.begin(), repeated.end());
  std::string list = "[";
  for (const auto id : sorted) {
    if (list.size() > 1) list += ',';
    json::append_int(list, id);
  }
  return list + "]";
}

/// The states being loaded, found by instance.
class States {
public:
  Result<void> begin(Connection& connection, const std::string& list) {
    auto instances =
        connection.statement(queries::load_instances).bind(list).rows<facts::ProcessInstance>();
    if (!instances) return std::unexpected(instances.error());
    for (auto& instance : *instances) {
      index_.emplace(instance.id, states_.size());
      states_.emplace_back().instance = std::move(instance);
    }
    return {};
  }
  [[nodiscard]] facts::InstanceState& of(Key instance_id) {
    return states_[index_.at(instance_id)];
  }
  [[nodiscard]] std::vector<facts::InstanceState> take() { return std::move(states_); }
  [[nodiscard]] bool empty() const { return states_.empty(); }

private:
  std::vector<facts::InstanceState> states_;
  std::unordered_map<Key, std::size_t> index_;
};

/// Adds the rows that the query gives to the table of their instance.
template <class Row>
Result<void> load_table(Connection& connection, const sql::Query& query, const std::string& list,
                        States& states, facts::Table<Row> facts::InstanceState::* table) {
  return connection.statement(query).bind(list).each([&](Statement& statement) {
    auto row = statement.read<Row>();
    states.of(row.instance_id).load(table, std::move(row));
  });
}

Result<void> load_counts(Connection& connection, const std::string& list, States& states) {
  auto done = connection.statement(queries::load_visits).bind(list).each([&](Statement& statement) {
    auto [instance_id, node_id, listener, count] =
        statement.read<std::tuple<Key, std::string, std::int64_t, std::int64_t>>();
    states.of(instance_id).visits.push_back({std::move(node_id), listener, count});
  });
  if (!done) return done;
  done = connection.statement(queries::load_iterations).bind(list).each([&](Statement& statement) {
    auto [instance_id, multi_instance_id, index, state, output] =
        statement
            .read<std::tuple<Key, Key, std::int64_t, facts::ScopeState, std::optional<Value>>>();
    states.of(instance_id).load_iteration(multi_instance_id, index, state, std::move(output));
  });
  if (!done) return done;
  return connection.statement(queries::load_generations).bind(list).each([&](Statement& statement) {
    auto [instance_id, scope_id, node_id, last] =
        statement.read<std::tuple<Key, Key, std::string, std::int64_t>>();
    states.of(instance_id).generations[{scope_id, std::move(node_id)}] = last;
  });
}

Result<void> load_tables(Connection& connection, const std::string& list, States& states) {
  using State = facts::InstanceState;
  const auto table = [&]<class Row>(const sql::Query& query, facts::Table<Row> State::* member) {
    return load_table(connection, query, list, states, member);
  };
  if (auto done = table(queries::load_scopes, &State::scopes); !done) return done;
  if (auto done = table(queries::load_tokens, &State::tokens); !done) return done;
  if (auto done = table(queries::load_steps, &State::steps); !done) return done;
  if (auto done = table(queries::load_attempts, &State::attempts); !done) return done;
  if (auto done = table(queries::load_external_tasks, &State::external_tasks); !done) return done;
  if (auto done = table(queries::load_user_tasks, &State::user_tasks); !done) return done;
  if (auto done = table(queries::load_timers, &State::timers); !done) return done;
  if (auto done = table(queries::load_subscriptions, &State::subscriptions); !done) return done;
  if (auto done = table(queries::load_joins, &State::joins); !done) return done;
  if (auto done = table(queries::load_arrivals, &State::arrivals); !done) return done;
  if (auto done = table(queries::load_incidents, &State::incidents); !done) return done;
  if (auto done = table(queries::load_dead_letters, &State::dead_letters); !done) return done;
  if (auto done = table(queries::load_flow_runs, &State::flow_runs); !done) return done;
  if (auto done = table(queries::load_compensations, &State::compensations); !done) return done;
  return load_counts(connection, list, states);
}

/// Reads a whole table of one instance.
template <class Row>
Result<void> read_table(Connection& connection, const sql::Query& query, Key instance_id,
                        facts::InstanceState& state,
                        facts::Table<Row> facts::InstanceState::* table) {
  return connection.statement(query).bind(instance_id).each([&](Statement& statement) {
    state.load(table, statement.read<Row>());
  });
}

Result<void> read_rows(Connection& connection, Key id, facts::InstanceState& state) {
  using State = facts::InstanceState;
  const auto table = [&]<class Row>(const sql::Query& query, facts::Table<Row> State::* member) {
    return read_table(connection, query, id, state, member);
  };
  if (auto done = table(queries::scopes_of_instance, &State::scopes); !done) return done;
  if (auto done = table(queries::tokens_of_instance, &State::tokens); !done) return done;
  if (auto done = table(queries::steps_of_instance, &State::steps); !done) return done;
  if (auto done = table(queries::attempts_of_instance, &State::attempts); !done) return done;
  if (auto done = table(queries::tasks_of_instance, &State::external_tasks); !done) return done;
  if (auto done = table(queries::people_tasks_of_instance, &State::user_tasks); !done) return done;
  if (auto done = table(queries::timers_of_instance, &State::timers); !done) return done;
  if (auto done = table(queries::subscriptions_of_instance, &State::subscriptions); !done) {
    return done;
  }
  if (auto done = table(queries::compensations_of_instance, &State::compensations); !done) {
    return done;
  }
  if (auto done = table(queries::flow_run_of_instance, &State::flow_runs); !done) return done;
  if (auto done = table(queries::flow_completion_of_instance, &State::completions); !done) {
    return done;
  }
  if (auto done = table(queries::sent_by_instance, &State::pending_events); !done) return done;
  if (auto done = table(queries::evaluations_of_instance, &State::evaluations); !done) return done;
  if (auto done = table(queries::migrations_of_instance, &State::migrations); !done) return done;
  if (auto done = table(queries::joins_of_instance, &State::joins); !done) return done;
  if (auto done = table(queries::arrivals_of_instance, &State::arrivals); !done) return done;
  if (auto done = table(queries::incidents_of_instance, &State::incidents); !done) return done;
  return table(queries::dead_letters_of_instance, &State::dead_letters);
}

/// What the rows of an instance imply: visits of nodes, generations of gatherings, iterations.
void count(facts::InstanceState& state) {
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

} // namespace

Result<std::vector<facts::InstanceState>> load_states(Connection& connection,
                                                      std::span<const Key> ids) {
  const auto list = json_list(ids);
  auto transaction = Transaction::begin(connection, Transaction::Kind::read);
  if (!transaction) return std::unexpected(transaction.error());
  States states;
  if (const auto begun = states.begin(connection, list); !begun) {
    return std::unexpected(begun.error());
  }
  if (!states.empty()) {
    if (const auto done = load_tables(connection, list, states); !done) {
      return std::unexpected(done.error());
    }
  }
  if (const auto done = transaction->commit(); !done) return std::unexpected(done.error());
  return states.take();
}

Result<std::optional<InstanceRecord>> load_record(Connection& connection, Key instance_id) {
  auto instance =
      connection.statement(queries::instance_by_id).bind(instance_id).row<facts::ProcessInstance>();
  if (!instance) return std::unexpected(instance.error());
  if (!*instance) return std::nullopt;
  InstanceRecord record;
  record.rows.instance = std::move(**instance);
  if (const auto done = read_rows(connection, instance_id, record.rows); !done) {
    return std::unexpected(done.error());
  }
  count(record.rows);
  auto history = connection.statement(queries::history_of_instance)
                     .bind(instance_id, std::int64_t{0}, std::numeric_limits<std::int64_t>::max())
                     .rows<facts::HistoryEvent>();
  if (!history) return std::unexpected(history.error());
  record.history = std::move(*history);
  return record;
}

} // namespace perdure::store::sqlite
