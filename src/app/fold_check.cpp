#include "app/fold_check.h"

#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "base/describe.h"
#include "base/enum_text.h"
#include "base/json.h"
#include "facts/apply.h"

namespace perdure::app {

namespace {

constexpr const char* kNoRow = "no row";

template <class T>
std::string text_of(const T& field) {
  if constexpr (std::is_same_v<T, bool>) {
    return field ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(field);
  } else if constexpr (std::is_same_v<T, Instant>) {
    return perdure::to_text(field);
  } else if constexpr (NamedEnum<T>) {
    return std::string(name_of(field));
  } else if constexpr (std::is_same_v<T, Value>) {
    return json::write(field);
  } else {
    return field;
  }
}

template <class T>
std::string text_of(const std::optional<T>& field) {
  return field ? text_of(*field) : "null";
}

template <class Row>
std::string key_of(const Row& row) {
  if constexpr (std::is_same_v<Row, facts::StepAttempt>) {
    return std::to_string(row.step_id) + "/" + std::to_string(row.number);
  } else if constexpr (std::is_same_v<Row, facts::JoinArrival>) {
    return std::to_string(row.join_id) + "/" + row.flow_id;
  } else if constexpr (std::is_same_v<Row, facts::FlowRun> ||
                       std::is_same_v<Row, facts::FlowCompletion>) {
    return std::to_string(row.instance_id);
  } else {
    return std::to_string(row.id);
  }
}

class Comparison {
public:
  explicit Comparison(Key instance_id) : instance_id_(instance_id) {}

  template <class Row>
  void row(std::string_view table, const Row& stored, const Row& folded) {
    std::vector<std::string> texts;
    for_each_field(folded,
                   [&](std::string_view, const auto& field) { texts.push_back(text_of(field)); });
    std::size_t column = 0;
    for_each_field(stored, [&](std::string_view name, const auto& field) {
      std::string text = text_of(field);
      auto& expected = texts[column++];
      if (text == expected) return;
      add(table, key_of(stored), name, std::move(text), std::move(expected));
    });
  }

  /// Both tables are in the order of their keys.
  template <class Row>
  void table(std::string_view name, const facts::Table<Row>& stored,
             const facts::Table<Row>& folded) {
    auto left = stored.slots().begin();
    auto right = folded.slots().begin();
    while (left != stored.slots().end() || right != folded.slots().end()) {
      const bool has_left = left != stored.slots().end();
      const bool has_right = right != folded.slots().end();
      if (!has_right || (has_left && row_key(left->row) < row_key(right->row))) {
        add(name, key_of((left++)->row), {}, "a row", kNoRow);
      } else if (!has_left || row_key(right->row) < row_key(left->row)) {
        add(name, key_of((right++)->row), {}, kNoRow, "a row");
      } else {
        row(name, (left++)->row, (right++)->row);
      }
    }
  }

  void add(std::string_view table, std::string key, std::string_view column, std::string stored,
           std::string folded) {
    found_.push_back({instance_id_, std::string(table), std::move(key), std::string(column),
                      std::move(stored), std::move(folded)});
  }

  [[nodiscard]] std::vector<Difference> take() { return std::move(found_); }

private:
  Key instance_id_;
  std::vector<Difference> found_;
};

/// The state that the history says; nullopt after an entry in `found`.
std::optional<facts::InstanceState> fold(const store::InstanceRecord& record, Comparison& found) {
  facts::InstanceState state;
  std::int64_t expected = 1;
  for (const auto& event : record.history) {
    const std::string key = std::to_string(event.sequence);
    if (event.sequence != expected) {
      found.add("history_event", key, "sequence", key, std::to_string(expected));
      return std::nullopt;
    }
    ++expected;
    auto data = facts::read_fact(event.event_type, json::write(event.payload));
    if (!data) {
      found.add("history_event", key, "payload", data.error().message, "a readable fact");
      return std::nullopt;
    }
    if (facts::category_of(*data) != event.category) {
      found.add("history_event", key, "category", event.category,
                std::string(facts::category_of(*data)));
    }
    try {
      facts::apply(state, {event.sequence, event.occurred_at, std::move(*data)});
    } catch (const BugFound& bug) {
      found.add("history_event", key, "payload", bug.what(), "a fact that fits");
      return std::nullopt;
    }
  }
  return state;
}

/// What was sent, without what has become of it: that is no fact of the sender.
facts::Table<facts::PendingEvent> as_sent(const facts::Table<facts::PendingEvent>& events) {
  facts::Table<facts::PendingEvent> sent;
  for (const auto& slot : events.slots()) {
    auto row = slot.row;
    row.state = facts::PendingState::pending;
    row.reached_id = 0;
    row.closed_at.reset();
    sent.load(std::move(row));
  }
  return sent;
}

/// What is to be told, without what has become of it.
facts::Table<facts::FlowCompletion> as_queued(const facts::Table<facts::FlowCompletion>& all) {
  facts::Table<facts::FlowCompletion> queued;
  for (const auto& slot : all.slots()) {
    queued.load({.instance_id = slot.row.instance_id,
                 .process_id = slot.row.process_id,
                 .status = slot.row.status,
                 .finished_at = slot.row.finished_at});
  }
  return queued;
}

} // namespace

std::vector<Difference> compare_with_fold(const store::InstanceRecord& record) {
  const auto& rows = record.rows;
  Comparison found(rows.instance.id);
  const auto folded = fold(record, found);
  if (!folded) return found.take();
  found.row("process_instance", rows.instance, folded->instance);
  found.table("scope", rows.scopes, folded->scopes);
  found.table("token", rows.tokens, folded->tokens);
  found.table("step_record", rows.steps, folded->steps);
  found.table("step_attempt", rows.attempts, folded->attempts);
  found.table("external_task", rows.external_tasks, folded->external_tasks);
  found.table("user_task", rows.user_tasks, folded->user_tasks);
  found.table("timer", rows.timers, folded->timers);
  found.table("parallel_join", rows.joins, folded->joins);
  found.table("join_arrival", rows.arrivals, folded->arrivals);
  found.table("incident", rows.incidents, folded->incidents);
  found.table("dead_letter", rows.dead_letters, folded->dead_letters);
  found.table("event_subscription", rows.subscriptions, folded->subscriptions);
  found.table("compensation_record", rows.compensations, folded->compensations);
  found.table("flow_run", rows.flow_runs, folded->flow_runs);
  found.table("flow_completion", as_queued(rows.completions), as_queued(folded->completions));
  found.table("decision_evaluation", rows.evaluations, folded->evaluations);
  found.table("instance_migration", rows.migrations, folded->migrations);
  found.table("pending_event", as_sent(rows.pending_events), as_sent(folded->pending_events));
  return found.take();
}

std::string to_text(const Difference& difference) {
  const std::string row = "instance " + key_text(difference.instance_id) + ": " + difference.table +
                          " " + difference.key + ": ";
  if (difference.column.empty()) {
    return row + "the database has " + difference.stored + ", but the history says " +
           difference.folded;
  }
  return row + "column " + difference.column + " is " + difference.stored +
         ", but the history says " + difference.folded;
}

} // namespace perdure::app
