#include "store/sqlite/unit_writer.h"

#include <string>

namespace perdure::store::sqlite {

namespace queries = sql::sqlite;

namespace {

/// The statements that write one table.
struct RowQueries {
  const sql::Query* insert;
  const sql::Query* update;
  const sql::Query* rename = nullptr; ///< when the id of its element has changed by a migration
};

template <class Row>
constexpr RowQueries queries_of();
template <>
constexpr RowQueries queries_of<facts::Scope>() {
  return {&queries::scope_insert, &queries::scope_update, &queries::scope_rename};
}
template <>
constexpr RowQueries queries_of<facts::Token>() {
  return {&queries::token_insert, &queries::token_update};
}
template <>
constexpr RowQueries queries_of<facts::StepRecord>() {
  return {&queries::step_record_insert, &queries::step_record_update};
}
template <>
constexpr RowQueries queries_of<facts::StepAttempt>() {
  return {&queries::step_attempt_insert, &queries::step_attempt_update};
}
template <>
constexpr RowQueries queries_of<facts::ExternalTask>() {
  return {&queries::external_task_insert, &queries::external_task_update,
          &queries::external_task_rename};
}
template <>
constexpr RowQueries queries_of<facts::UserTask>() {
  return {&queries::user_task_insert, &queries::user_task_update, &queries::user_task_rename};
}
template <>
constexpr RowQueries queries_of<facts::Timer>() {
  return {&queries::timer_insert, &queries::timer_update, &queries::timer_rename};
}
template <>
constexpr RowQueries queries_of<facts::EventSubscription>() {
  return {&queries::event_subscription_insert, &queries::event_subscription_update,
          &queries::event_subscription_rename};
}
template <>
constexpr RowQueries queries_of<facts::CompensationRecord>() {
  return {&queries::compensation_record_insert, &queries::compensation_record_update,
          &queries::compensation_record_rename};
}
template <>
constexpr RowQueries queries_of<facts::FlowCompletion>() {
  return {&queries::flow_completion_insert, nullptr};
}
template <>
constexpr RowQueries queries_of<facts::FlowRun>() {
  return {&queries::flow_run_insert, &queries::flow_run_update};
}
template <>
constexpr RowQueries queries_of<facts::PendingEvent>() {
  return {&queries::pending_event_insert, nullptr};
}
template <>
constexpr RowQueries queries_of<facts::DecisionEvaluation>() {
  return {&queries::decision_evaluation_insert, nullptr};
}
template <>
constexpr RowQueries queries_of<facts::InstanceMigration>() {
  return {&queries::instance_migration_insert, nullptr};
}
template <>
constexpr RowQueries queries_of<facts::ParallelJoin>() {
  return {&queries::parallel_join_insert, &queries::parallel_join_update};
}
template <>
constexpr RowQueries queries_of<facts::JoinArrival>() {
  return {&queries::join_arrival_insert, nullptr};
}
template <>
constexpr RowQueries queries_of<facts::Incident>() {
  return {&queries::incident_insert, &queries::incident_update, &queries::incident_rename};
}
template <>
constexpr RowQueries queries_of<facts::DeadLetter>() {
  return {&queries::dead_letter_insert, &queries::dead_letter_update};
}

std::unexpected<Error> conflict(Key instance_id) {
  return fail(ErrorCode::conflict,
              "Instance " + key_text(instance_id) +
                  " was changed by another decision; load it again and decide again.",
              "process_instance.version");
}

Result<void> write_instance(Connection& connection, const Unit& unit) {
  const auto& instance = unit.state->instance;
  switch (unit.state->instance_change) {
    case facts::Change::none: return {};
    case facts::Change::inserted:
      return connection.statement(queries::process_instance_insert).bind_row(instance).run();
    case facts::Change::updated: break;
  }
  const bool migrates = !unit.state->migrations.changed().empty();
  auto& update = connection
                     .statement(migrates ? queries::process_instance_migrate
                                         : queries::process_instance_update)
                     .bind_row(instance);
  update.bind_field(static_cast<int>(kFieldCount<facts::ProcessInstance>) + 1, unit.base_version);
  if (auto done = update.run(); !done) return done;
  if (update.changes() != 1) return conflict(instance.id);
  return {};
}

template <class Row>
Result<void> write_slot(Connection& connection, const typename facts::Table<Row>::Slot& slot) {
  constexpr auto rows = queries_of<Row>();
  if (slot.change == facts::Change::inserted) {
    return connection.statement(*rows.insert).bind_row(slot.row).run();
  }
  if constexpr (rows.update == nullptr) {
    return fail(ErrorCode::internal, "A row of an append-only table was changed.");
  } else {
    auto& update = connection.statement(*rows.update).bind_row(slot.row);
    if (auto done = update.run(); !done) return done;
    if (update.changes() != 1) {
      return fail(ErrorCode::internal, "A row to be changed is not in the database.",
                  std::string(rows.update->name));
    }
    return {};
  }
}

template <class Row>
Result<void> write_table(Connection& connection, const facts::Table<Row>& table) {
  for (const auto* slot : table.changed()) {
    if (auto done = write_slot<Row>(connection, *slot); !done) return done;
  }
  return {};
}

/// Live rows follow their element to its new id before they change otherwise: what has ended is
/// frozen.
template <class Row>
Result<void> rename(Connection& connection, const facts::Table<Row>& table) {
  for (const auto* slot : table.changed()) {
    if (slot->change != facts::Change::updated) continue;
    auto done = connection.statement(*queries_of<Row>().rename).bind_row(slot->row).run();
    if (!done) return done;
  }
  return {};
}

Result<void> rename_all(Connection& connection, const facts::InstanceState& state) {
  if (auto done = rename(connection, state.scopes); !done) return done;
  if (auto done = rename(connection, state.external_tasks); !done) return done;
  if (auto done = rename(connection, state.user_tasks); !done) return done;
  if (auto done = rename(connection, state.timers); !done) return done;
  if (auto done = rename(connection, state.subscriptions); !done) return done;
  if (auto done = rename(connection, state.incidents); !done) return done;
  return rename(connection, state.compensations);
}

/// Scopes and tokens refer to each other: the token that a scope hangs on is older than it, the
/// tokens in it are younger. In the order of their keys every parent comes first.
Result<void> write_scopes_and_tokens(Connection& connection, const facts::InstanceState& state) {
  const auto scopes = state.scopes.changed();
  const auto tokens = state.tokens.changed();
  auto scope = scopes.begin();
  const auto scopes_end = scopes.end();
  auto token = tokens.begin();
  const auto tokens_end = tokens.end();
  while (scope != scopes_end || token != tokens_end) {
    const bool scope_first =
        token == tokens_end || (scope != scopes_end && (*scope)->row.id < (*token)->row.id);
    auto done = scope_first ? write_slot<facts::Scope>(connection, **scope++)
                            : write_slot<facts::Token>(connection, **token++);
    if (!done) return done;
  }
  return {};
}

Result<void> write_history(Connection& connection, const Unit& unit) {
  auto& insert = connection.statement(queries::history_event_insert);
  for (const auto& fact : unit.facts) {
    const auto payload = facts::payload_of(fact.data);
    auto done = insert
                    .bind(unit.state->instance.id, fact.sequence, facts::type_of(fact.data),
                          facts::category_of(fact.data), fact.at, payload)
                    .run();
    if (!done) return done;
  }
  return {};
}

template <class Row>
Result<void> insert_all(Statement& insert, const std::vector<Row>& rows) {
  for (const auto& row : rows) {
    if (auto done = insert.bind_row(row).run(); !done) return done;
  }
  return {};
}

Result<void> write_state(Connection& connection, const Unit& unit) {
  const auto& state = *unit.state;
  if (auto done = write_table(connection, state.migrations); !done) return done;
  // What it sends is there before it ends: events that came for a run go to the one that it begins.
  const bool is_new = state.instance_change == facts::Change::inserted;
  if (!is_new) {
    if (auto done = write_table(connection, state.pending_events); !done) return done;
  }
  if (auto done = write_instance(connection, unit); !done) return done;
  if (!state.migrations.changed().empty()) {
    if (auto done = rename_all(connection, state); !done) return done;
  }
  if (auto done = write_scopes_and_tokens(connection, state); !done) return done;
  if (auto done = write_table(connection, state.steps); !done) return done;
  if (auto done = write_table(connection, state.attempts); !done) return done;
  if (auto done = write_table(connection, state.external_tasks); !done) return done;
  if (auto done = write_table(connection, state.user_tasks); !done) return done;
  if (auto done = write_table(connection, state.timers); !done) return done;
  if (auto done = write_table(connection, state.subscriptions); !done) return done;
  if (auto done = write_table(connection, state.joins); !done) return done;
  if (auto done = write_table(connection, state.arrivals); !done) return done;
  if (auto done = write_table(connection, state.incidents); !done) return done;
  if (auto done = write_table(connection, state.dead_letters); !done) return done;
  if (auto done = write_table(connection, state.compensations); !done) return done;
  if (auto done = write_table(connection, state.flow_runs); !done) return done;
  if (auto done = write_table(connection, state.completions); !done) return done;
  if (is_new) {
    if (auto done = write_table(connection, state.pending_events); !done) return done;
  }
  if (auto done = write_table(connection, state.evaluations); !done) return done;
  return write_history(connection, unit);
}

/// Rows that must be as they were read: each changes exactly one.
template <class Row>
Result<void> move_all(Statement& move, const std::vector<Row>& rows) {
  for (const auto& row : rows) {
    if (auto done = move.bind_row(row).run(); !done) return done;
    if (move.changes() != 1) {
      return fail(ErrorCode::conflict, "The event was delivered already; nothing is left to do.",
                  "delivery");
    }
  }
  return {};
}

/// What is for an instance that has ended meanwhile leaves no row.
Result<void> check_addressed(Connection& connection, const std::vector<Key>& instance_ids) {
  for (const auto instance_id : instance_ids) {
    const auto found =
        connection.statement(queries::addressed_instance).bind(instance_id).row<Key>();
    if (!found) return std::unexpected(found.error());
    if (!*found) return conflict(instance_id);
  }
  return {};
}

Result<void> write_events(Connection& connection, const Delivered& events) {
  if (events.empty()) return {};
  const auto statement = [&](const sql::Query& query) -> Statement& {
    return connection.statement(query);
  };
  if (auto done = check_addressed(connection, events.addressed); !done) return done;
  if (auto done = insert_all(statement(queries::inbound_event_insert), events.received); !done) {
    return done;
  }
  if (auto done = insert_all(statement(queries::pending_event_insert), events.sent); !done) {
    return done;
  }
  if (auto done = move_all(statement(queries::inbound_event_take), events.taken); !done) {
    return done;
  }
  if (auto done = move_all(statement(queries::pending_event_move), events.moved); !done) {
    return done;
  }
  if (auto done = move_all(statement(queries::definition_subscription_move), events.started);
      !done) {
    return done;
  }
  // Who leaves makes room for who is let in.
  if (auto done = move_all(statement(queries::flow_slot_leave), events.left); !done) return done;
  if (auto done = insert_all(statement(queries::flow_slot_insert), events.queued); !done) {
    return done;
  }
  if (auto done = move_all(statement(queries::flow_slot_admit), events.admitted); !done) {
    return done;
  }
  return move_all(statement(queries::flow_schedule_move), events.scheduled);
}

} // namespace

Result<void> write_unit(Connection& connection, const Unit& unit) {
  if (unit.state) {
    if (auto done = write_state(connection, unit); !done) return done;
  }
  if (auto done = write_events(connection, unit.events); !done) return done;
  auto done = insert_all(connection.statement(queries::idempotency_key_insert), unit.idempotency);
  if (!done) return done;
  return insert_all(connection.statement(queries::audit_entry_insert), unit.audit);
}

} // namespace perdure::store::sqlite
