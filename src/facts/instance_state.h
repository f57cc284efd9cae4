// InstanceState: the rows of one instance in memory, flat, linked by key. Only apply() changes it.
//
// Lifecycle of the instance (invariant I1):
//   pending -> running | cancelled;  running -> paused | completed | failed | cancelled;
//   paused -> running | cancelled;   terminal states are frozen.
// Invariants (cited by tests and by the schema):
//   I2  a token rests (waiting, executing) only on a row that can wake it: an open step with task,
//       user task or timer; an open subscription or scheduled timer of its own; an open scope; an
//       arrival at an open join; an open incident.
//   I3  an instance is completed when its root scope holds no live token, and not before.
//   I4  one open gathering per (scope, node, generation); one arrival per incoming flow in it.
//   I5  a step is named once per instance; a retry changes it and never adds one.
//   I6  terminal rows never change again.
//   I7  what is armed ends with its owner: a token that moves or ends, a scope that closes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "facts/rows.h"

namespace perdure::facts {

/// What the database does not know yet about a row.
enum class Change : std::uint8_t { none, inserted, updated };

/// Rows of one table in key order, each with its unsaved change.
template <class Row>
class Table {
public:
  struct Slot {
    Row row;
    Change change = Change::none;
  };

  /// Adds a row that the database has already.
  void load(Row row) { place(std::move(row), Change::none); }
  /// Adds a new row; its key must be unused.
  Row& insert(Row row) { return place(std::move(row), Change::inserted); }
  /// The row to be changed; it must exist.
  template <class RowKey>
  Row& update(const RowKey& key) {
    auto slot = lower(key);
    PERDURE_CHECK(slot != slots_.end() && row_key(slot->row) == key);
    if (slot->change == Change::none) slot->change = Change::updated;
    return slot->row;
  }
  /// The row, or nullptr. The pointer lives until the next insert or forget.
  template <class RowKey>
  [[nodiscard]] const Row* find(const RowKey& key) const {
    auto slot = lower(key);
    return slot != slots_.end() && row_key(slot->row) == key ? &slot->row : nullptr;
  }
  [[nodiscard]] const std::vector<Slot>& slots() const { return slots_; }
  [[nodiscard]] bool empty() const { return slots_.empty(); }
  [[nodiscard]] std::size_t size() const { return slots_.size(); }

  /// After a commit: every change is saved, and rows that no decision needs again may go.
  template <class Closed>
  void saved(const Closed& closed) {
    std::erase_if(slots_, [&](const Slot& slot) { return closed(slot.row); });
    for (auto& slot : slots_)
      slot.change = Change::none;
  }

private:
  template <class RowKey>
  auto lower(const RowKey& key) const {
    return std::ranges::lower_bound(slots_, key, {}, [](const Slot& s) { return row_key(s.row); });
  }
  template <class RowKey>
  auto lower(const RowKey& key) {
    return std::ranges::lower_bound(slots_, key, {}, [](const Slot& s) { return row_key(s.row); });
  }
  Row& place(Row row, Change change) {
    // New keys grow: nearly every insert is at the end.
    if (slots_.empty() || row_key(slots_.back().row) < row_key(row)) {
      return slots_.emplace_back(std::move(row), change).row;
    }
    auto slot = lower(row_key(row));
    PERDURE_CHECK(slot == slots_.end() || row_key(slot->row) != row_key(row));
    return slots_.insert(slot, Slot{std::move(row), change})->row;
  }

  std::vector<Slot> slots_;
};

/// How often a node was visited, so that the next visit gets its own slug (`node#2`).
struct NodeVisits {
  std::string node_id;
  std::int64_t count = 0;
  friend bool operator==(const NodeVisits&, const NodeVisits&) = default;
};

/// The last generation of gatherings at a join, so that the next one is new.
struct JoinGenerations {
  Key scope_id = kNoKey;
  std::string node_id;
  std::int64_t last = 0;
  friend bool operator==(const JoinGenerations&, const JoinGenerations&) = default;
};

struct InstanceState {
  ProcessInstance instance;
  Change instance_change = Change::none;
  Table<Scope> scopes;
  Table<Token> tokens;
  Table<StepRecord> steps;
  Table<StepAttempt> attempts;
  Table<ExternalTask> external_tasks;
  Table<UserTask> user_tasks;
  Table<Timer> timers;
  Table<EventSubscription> subscriptions;
  Table<ParallelJoin> joins;
  Table<JoinArrival> arrivals;
  Table<Incident> incidents;
  Table<DeadLetter> dead_letters;
  Table<CompensationRecord> compensations;
  Table<PendingEvent> pending_events;    ///< new ones only: no decision reads them
  Table<DecisionEvaluation> evaluations; ///< likewise
  std::vector<NodeVisits> visits;
  std::vector<JoinGenerations> generations;

  /// Marks all rows as saved and drops those that no later decision reads (terminal ones).
  void saved();
  /// Steps that the node has had so far.
  [[nodiscard]] std::int64_t visit_count(std::string_view node_id) const;
  /// Of the gatherings at that join; 0 when it had none.
  [[nodiscard]] std::int64_t last_generation(Key scope_id, std::string_view node_id) const;
};

} // namespace perdure::facts
