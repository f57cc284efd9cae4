#include "store/postgres/batch.h"

#include <algorithm>

namespace perdure::store::postgres {

namespace queries = sql::postgres;

namespace {

/// A fact as a row of history; its payload is text already.
struct HistoryRow {
  Key instance_id = kNoKey;
  std::int64_t sequence = 0;
  std::string_view event_type;
  std::string_view category;
  Instant occurred_at{};
  std::string payload;
};
PERDURE_DESCRIBE(HistoryRow, instance_id, sequence, event_type, category, occurred_at, payload)

/// For each field, whether the text has its parameter `$N`.
std::vector<bool> parameters_of(std::string_view text, std::size_t count) {
  std::vector<bool> used(count);
  for (std::size_t at = text.find('$'); at != std::string_view::npos; at = text.find('$', at + 1)) {
    std::size_t number = 0;
    for (std::size_t i = at + 1; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
      number = 10 * number + static_cast<std::size_t>(text[i] - '0');
    }
    if (number >= 1 && number <= count) used[number - 1] = true;
  }
  return used;
}

} // namespace

template <class Row>
void RowWrites::add(const Row& row) {
  if (used.empty()) used = parameters_of(query->text, kFieldCount<Row>);
  rows.add(row, used);
}

Batch::Batch()
    : instance_{.update = {.query = &queries::process_instance_update},
                .insert = {.query = &queries::process_instance_insert}},
      scope_{.update = {.query = &queries::scope_update},
             .insert = {.query = &queries::scope_insert}},
      token_{.update = {.query = &queries::token_update},
             .insert = {.query = &queries::token_insert}},
      step_{.update = {.query = &queries::step_record_update},
            .insert = {.query = &queries::step_record_insert}},
      attempt_{.update = {.query = &queries::step_attempt_update},
               .insert = {.query = &queries::step_attempt_insert}},
      external_task_{.update = {.query = &queries::external_task_update},
                     .insert = {.query = &queries::external_task_insert}},
      user_task_{.update = {.query = &queries::user_task_update},
                 .insert = {.query = &queries::user_task_insert}},
      timer_{.update = {.query = &queries::timer_update},
             .insert = {.query = &queries::timer_insert}},
      join_{.update = {.query = &queries::parallel_join_update},
            .insert = {.query = &queries::parallel_join_insert}},
      arrival_{.update = {.query = nullptr}, .insert = {.query = &queries::join_arrival_insert}},
      incident_{.update = {.query = &queries::incident_update},
                .insert = {.query = &queries::incident_insert}},
      dead_letter_{.update = {.query = &queries::dead_letter_update},
                   .insert = {.query = &queries::dead_letter_insert}},
      subscription_{.update = {.query = &queries::event_subscription_update},
                    .insert = {.query = &queries::event_subscription_insert}},
      compensation_{.update = {.query = &queries::compensation_record_update},
                    .insert = {.query = &queries::compensation_record_insert}},
      completion_{.update = {.query = nullptr},
                  .insert = {.query = &queries::flow_completion_insert}},
      flow_run_{.update = {.query = &queries::flow_run_update},
                .insert = {.query = &queries::flow_run_insert}},
      pending_event_{.update = {.query = nullptr},
                     .insert = {.query = &queries::pending_event_insert}},
      evaluation_{.update = {.query = nullptr},
                  .insert = {.query = &queries::decision_evaluation_insert}},
      migration_{.update = {.query = nullptr},
                 .insert = {.query = &queries::instance_migration_insert}},
      sent_before_{.query = &queries::pending_event_insert},
      message_{.query = &queries::inbound_event_insert},
      message_taken_{.query = &queries::inbound_event_take},
      pending_moved_{.query = &queries::pending_event_move},
      start_moved_{.query = &queries::definition_subscription_move},
      slot_left_{.query = &queries::flow_slot_leave},
      slot_queued_{.query = &queries::flow_slot_insert},
      slot_admitted_{.query = &queries::flow_slot_admit},
      schedule_moved_{.query = &queries::flow_schedule_move},
      history_{.query = &queries::history_event_insert},
      idempotency_{.query = &queries::idempotency_key_insert},
      audit_{.query = &queries::audit_entry_insert} {}

template <class Row>
void Batch::add_slots(TableWrites& table, const facts::Table<Row>& rows) {
  for (const auto* slot : rows.changed()) {
    (slot->change == facts::Change::inserted ? table.insert : table.update).add(slot->row);
  }
}

void Batch::add_state(const facts::InstanceState& state) {
  if (state.instance_change != facts::Change::none) {
    const bool fresh = state.instance_change == facts::Change::inserted;
    (fresh ? instance_.insert : instance_.update).add(state.instance);
  }
  add_slots(scope_, state.scopes);
  add_slots(token_, state.tokens);
  add_slots(step_, state.steps);
  add_slots(attempt_, state.attempts);
  add_slots(external_task_, state.external_tasks);
  add_slots(user_task_, state.user_tasks);
  add_slots(timer_, state.timers);
  add_slots(join_, state.joins);
  add_slots(arrival_, state.arrivals);
  add_slots(incident_, state.incidents);
  add_slots(dead_letter_, state.dead_letters);
  add_slots(subscription_, state.subscriptions);
  add_slots(compensation_, state.compensations);
  add_slots(completion_, state.completions);
  add_slots(flow_run_, state.flow_runs);
  const bool is_new = state.instance_change == facts::Change::inserted;
  for (const auto* slot : state.pending_events.changed())
    (is_new ? pending_event_.insert : sent_before_).add(slot->row);
  add_slots(evaluation_, state.evaluations);
  add_slots(migration_, state.migrations);
}

void Batch::add(const Unit& unit) {
  if (unit.state) {
    add_state(*unit.state);
    for (const auto& fact : unit.facts) {
      history_.add(HistoryRow{unit.state->instance.id, fact.sequence, facts::type_of(fact.data),
                              facts::category_of(fact.data), fact.at,
                              facts::payload_of(fact.data)});
    }
  }
  for (const auto& message : unit.events.received)
    message_.add(message);
  for (const auto& event : unit.events.sent)
    pending_event_.insert.add(event);
  for (const auto& taken : unit.events.taken)
    message_taken_.add(taken);
  for (const auto& moved : unit.events.moved)
    pending_moved_.add(moved);
  for (const auto& moved : unit.events.started)
    start_moved_.add(moved);
  for (const auto& slot : unit.events.left)
    slot_left_.add(slot);
  for (const auto& slot : unit.events.queued)
    slot_queued_.add(slot);
  for (const auto& slot : unit.events.admitted)
    slot_admitted_.add(slot);
  for (const auto& moved : unit.events.scheduled)
    schedule_moved_.add(moved);
  for (const auto& record : unit.idempotency)
    idempotency_.add(record);
  for (const auto& entry : unit.audit)
    audit_.add(entry);
}

std::vector<Call> Batch::take() {
  std::vector<Call> calls;
  const auto take_rows = [&](RowWrites& writes) {
    if (writes.rows.size() == 0) return;
    expected_.push_back(writes.rows.size());
    rows_ += writes.rows.size();
    calls.push_back({writes.query, writes.rows.take()});
  };
  // What an instance sends is there before it ends: events that came for a run go to the one that
  // it begins.
  take_rows(sent_before_);
  // A migration comes before what it allows to change.
  for (auto* table :
       {&migration_, &instance_, &scope_, &token_, &step_, &attempt_, &external_task_, &user_task_,
        &timer_, &join_, &arrival_, &incident_, &dead_letter_, &subscription_, &compensation_,
        &flow_run_, &completion_, &pending_event_, &evaluation_}) {
    take_rows(table->update);
    take_rows(table->insert);
  }
  // Who leaves makes room for who is let in.
  for (auto* rows : {&message_, &message_taken_, &pending_moved_, &start_moved_, &slot_left_,
                     &slot_queued_, &slot_admitted_, &schedule_moved_, &history_})
    take_rows(*rows);
  take_rows(idempotency_);
  take_rows(audit_);
  return calls;
}

Result<void> Batch::check(std::span<const QueryResult> results) const {
  for (std::size_t i = 0; i < expected_.size(); ++i) {
    if (results[i].changes() != expected_[i]) {
      return fail(ErrorCode::internal, "A row to be changed is not in the database.");
    }
  }
  return {};
}

} // namespace perdure::store::postgres
