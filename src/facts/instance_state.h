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

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "facts/rows.h"
#include "facts/table.h"

namespace perdure::facts {

/// How often a node was visited, so that the next visit gets its own slug (`node#2`); likewise each
/// of its listeners.
struct NodeVisits {
  std::string node_id;
  std::int64_t listener = 0; ///< 0: the node itself
  std::int64_t count = 0;
  friend bool operator==(const NodeVisits&, const NodeVisits&) = default;
};

/// What orders them.
inline std::tuple<std::string_view, std::int64_t> visits_key(const NodeVisits& visits) {
  return {visits.node_id, visits.listener};
}

/// How far a repeated activity is that is still running: nobody counts its iterations again.
struct LoopProgress {
  std::int64_t opened = 0; ///< iterations, whatever became of them
  std::int64_t completed = 0;
  std::int64_t terminated = 0;
  std::map<std::int64_t, Value> outputs; ///< by index, of completed iterations that have one
  friend bool operator==(const LoopProgress&, const LoopProgress&) = default;
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
  Table<FlowRun> flow_runs;              ///< of a flow: one
  Table<PendingEvent> pending_events;    ///< new ones only: no decision reads them
  Table<DecisionEvaluation> evaluations; ///< likewise
  Table<InstanceMigration> migrations;   ///< likewise
  Table<FlowCompletion> completions;     ///< likewise
  std::vector<NodeVisits> visits;
  /// The last generation of gatherings at a join, by scope and node, so that the next one is new.
  std::map<std::pair<Key, std::string>, std::int64_t> generations;
  std::map<Key, LoopProgress> loops; ///< by the scope of the open multi-instance
  /// Records that can still be undone, by the scope in which they were made and their ordinal.
  std::map<Key, std::map<std::int64_t, Key>> undoable;
  std::map<Key, Key> undoing; ///< records that are being undone, by the token that does it
  std::set<Key> conditions;   ///< subscriptions that wait for a condition
  std::set<Key> ready;        ///< tokens that must move now
  std::unordered_map<std::string, Key> flow_steps; ///< of a flow: open steps by name

  /// Adds a row that the database has already.
  template <class Row>
  void load(Table<Row> InstanceState::* table, Row row) {
    note(row);
    (this->*table).load(std::move(row));
  }
  /// Counts an iteration, open or not, of a multi-instance that is open.
  void load_iteration(Key multi_instance_id, std::int64_t index, ScopeState state,
                      std::optional<Value> output);

  /// Marks all rows as saved and drops those that no later decision reads (terminal ones).
  void saved();
  /// Steps that the node, or a listener of it, has had so far.
  [[nodiscard]] std::int64_t visit_count(std::string_view node_id, std::int64_t listener = 0) const;
  /// The open step of a flow; nullptr when there is none of that name.
  [[nodiscard]] const StepRecord* flow_step(const std::string& name) const;
  /// Of the gatherings at that join; 0 when it had none.
  [[nodiscard]] std::int64_t last_generation(Key scope_id, std::string_view node_id) const;

private:
  void note(const Token& token);
  void note(const Scope& scope);
  void note(const CompensationRecord& record);
  void note(const EventSubscription& subscription);
  void note(const StepRecord& step);
  void note(const auto&) {}
};

} // namespace perdure::facts
