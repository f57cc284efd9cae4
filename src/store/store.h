// The port to the database. Store is the one writer: it loads states and commits decisions. Reader
// answers queries for people and programs beside it. Both dialects implement exactly this.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "facts/fact.h"
#include "facts/instance_state.h"
#include "facts/view.h"
#include "perdure/result.h"
#include "store/completion.h"
#include "store/delivery.h"
#include "store/deployment.h"
#include "store/flow_store.h"
#include "store/retention.h"

namespace perdure::store {

/// What one instance's decisions of a batch change. Committed whole or not at all.
struct Unit {
  const facts::InstanceState* state = nullptr; ///< its slots say what is new and what changed;
                                               ///< none: the unit is of no instance
  std::int64_t base_version = 0;               ///< version in the database; 0: the instance is new
  std::span<const facts::Fact> facts;          ///< to be appended to history
  std::vector<facts::IdempotencyRecord> idempotency; ///< recorded with it
  std::vector<facts::AuditEntry> audit;
  Delivered events;
};

/// What became of a unit. An error is of this unit alone: conflict (version moved on, or an event
/// was delivered by another node: reload and decide again) or invariant_violated (`where` names the
/// constraint).
using UnitOutcome = Result<void>;

struct InstanceVersion {
  Key instance_id = kNoKey;
  std::int64_t version = 0;
};

/// A ready task that a worker may be offered.
struct ReadyTask {
  Key task_id = kNoKey;
  Key instance_id = kNoKey;
};

/// A row whose time has come, with its instance.
struct DueRow {
  enum class Kind { timer, task_lock, ready_token };
  Kind kind = Kind::timer;
  Key id = kNoKey;
  Key instance_id = kNoKey;
};

/// One writer. Not thread-safe: lives on the engine's writer thread.
class Store : public EventStore, public CompletionStore, public FlowStore {
public:
  /// Takes `count` keys that nobody else gets, in one block.
  [[nodiscard]] virtual Result<KeyRange> take_keys(std::int64_t count) = 0;

  /// States of the instances for deciding: live rows only, in one set-oriented read per table.
  /// Unknown ids are left out of the answer.
  [[nodiscard]] virtual Result<std::vector<facts::InstanceState>> load(
      std::span<const Key> ids) = 0;

  /// Whether other writers share the database: a state that was loaded earlier may be old.
  [[nodiscard]] virtual bool is_shared() const { return false; }
  /// Versions of the instances as they are now. Unknown ids are left out. For shared databases.
  [[nodiscard]] virtual Result<std::vector<InstanceVersion>> versions(std::span<const Key>) {
    return {};
  }

  /// Keeps the instances from other writers until the round ends, waiting for those who have them:
  /// what is loaded after that stays true. Before anything else of the round. A conflict when
  /// somebody does not let go.
  [[nodiscard]] virtual Result<void> hold(std::span<const Key>) { return {}; }

  /// Writes all units in one transaction and returns after the fsync. One outcome per unit, in
  /// order. An error of the whole (disk full, closed) means that nothing was written; but when the
  /// connection to the database was cut during the commit nobody knows, and the states must be
  /// loaded again.
  [[nodiscard]] virtual Result<std::vector<UnitOutcome>> commit(std::span<const Unit> units) = 0;

  /// Ends a round: what ready_tasks and due_rows claimed since the last commit is free for other
  /// nodes again. Cheap when nothing is claimed.
  virtual void end_round() {}

  /// Instance that owns the row; nullopt when there is no such row.
  [[nodiscard]] virtual Result<std::optional<Key>> instance_of_task(Key task_id) = 0;
  [[nodiscard]] virtual Result<std::optional<Key>> instance_of_user_task(Key task_id) = 0;
  [[nodiscard]] virtual Result<std::optional<Key>> instance_of_incident(Key incident_id) = 0;
  [[nodiscard]] virtual Result<std::optional<Key>> instance_of_business_key(
      std::string_view tenant_id, std::string_view process_id, std::string_view business_key) = 0;
  /// A task that is no longer open: its final state, for telling "twice" from "unknown".
  [[nodiscard]] virtual Result<std::optional<facts::ExternalTask>> external_task(Key task_id) = 0;
  [[nodiscard]] virtual Result<std::optional<facts::UserTask>> user_task(Key task_id) = 0;

  /// Ready tasks of a type, best first (priority down, then available_at), at most `limit`.
  [[nodiscard]] virtual Result<std::vector<ReadyTask>> ready_tasks(std::string_view type,
                                                                   Instant now,
                                                                   std::int64_t limit) = 0;
  /// Rows whose time has come: timers due, locks run out, tokens left ready; at most `limit`.
  [[nodiscard]] virtual Result<std::vector<DueRow>> due_rows(Instant now, std::int64_t limit) = 0;
  /// Locked tasks whose worker id begins with `prefix`: what a dead process of this node held.
  [[nodiscard]] virtual Result<std::vector<DueRow>> locks_of(std::string_view prefix,
                                                             std::int64_t limit) = 0;
  /// The earliest time at which due_rows or ready_tasks will have something new; nullopt: never.
  [[nodiscard]] virtual Result<std::optional<Instant>> next_due(Instant now) = 0;

  /// When the last fact was recorded; nullopt where the database's own clock is the time of all.
  [[nodiscard]] virtual Result<std::optional<Instant>> last_time() { return std::nullopt; }

  [[nodiscard]] virtual Result<std::optional<facts::IdempotencyRecord>> idempotency(
      std::string_view tenant_id, std::string_view key) = 0;
  /// Drops expired idempotency records, at most `limit`; returns how many.
  [[nodiscard]] virtual Result<std::int64_t> purge_idempotency(Instant now, std::int64_t limit) = 0;

  /// Instances after a key in key order, at most `limit`, whatever has become of them.
  [[nodiscard]] virtual Result<std::vector<InstanceAge>> instance_ages(Key after,
                                                                       std::int64_t limit) = 0;
  /// Removes ended instances with everything that is theirs, in one transaction. One that another
  /// node holds stays. An error means that nothing was removed; invariant_violated when one of them
  /// has not ended.
  [[nodiscard]] virtual Result<Purged> purge(std::span<const ExpiredInstance> instances,
                                             Instant now) = 0;

  /// Adds versions of processes and decisions, all or none, as add_versions() says.
  [[nodiscard]] virtual Result<Deployment> deploy(Deployment deployment) = 0;
  [[nodiscard]] virtual Result<std::optional<facts::ProcessDefinition>> definition(Key id) = 0;
  [[nodiscard]] virtual Result<std::optional<facts::ProcessDefinition>> latest_definition(
      std::string_view tenant_id, std::string_view process_id) = 0;
  [[nodiscard]] virtual Result<std::optional<facts::DecisionDefinition>> decision(
      const DecisionChoice& choice) = 0;
  [[nodiscard]] virtual Result<std::optional<facts::DecisionRequirements>> requirements(Key id) = 0;

  /// Called when idle: checkpoint of the log and the like.
  virtual void idle() = 0;
};

struct Page {
  std::int64_t limit = 100;
  std::optional<Key> after; ///< id of the last row of the page before
};

struct InstanceFilter {
  std::optional<std::string> process_id;
  std::optional<facts::InstanceStatus> status;
  std::optional<std::string> business_key;
  bool only_incidents = false;
  std::optional<Key> parent_id{}; ///< only those that this instance has called
};

struct AuditFilter {
  std::optional<Key> instance_id;
  std::optional<std::string> actor;
  std::optional<std::string> action;
};

struct TaskFilter {
  std::optional<Key> instance_id;
  std::optional<std::string> assignee;
  std::optional<std::string> type; ///< of worker; external tasks only
  bool only_open = true;
};

/// An instance with the number of its open incidents.
using InstanceSummary = std::pair<facts::ProcessInstance, std::int64_t>;

/// Steps behind an ordinal, at most so many.
struct StepPage {
  std::int64_t after_ordinal = 0;
  std::int64_t limit = std::numeric_limits<std::int64_t>::max();
};

/// Steps by their ordinals: behind the first, up to the last.
struct StepRange {
  std::int64_t after_ordinal = 0;
  std::int64_t last_ordinal = std::numeric_limits<std::int64_t>::max();
};

/// A page of idempotency records in the order of key and tenant.
struct IdempotencyPage {
  std::int64_t limit = 500;
  std::string after_key;
  std::string after_tenant_id;
};

/// Facts and rows of one instance, all of them, as one read transaction saw them.
struct InstanceRecord {
  facts::InstanceState rows; ///< every row, terminal ones too
  std::vector<facts::HistoryEvent> history;
};

/// Queries. Thread-safe: takes a connection of a small pool per call. Sees every acknowledged
/// write.
class Reader {
public:
  Reader() = default;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  virtual ~Reader() = default;

  /// Newest first.
  [[nodiscard]] virtual Result<std::vector<facts::ProcessDefinition>> definitions(
      const Page& page) = 0;
  [[nodiscard]] virtual Result<std::optional<facts::ProcessDefinition>> definition(Key id) = 0;
  /// Newest first.
  [[nodiscard]] virtual Result<std::vector<facts::DecisionDefinition>> decisions(
      const Page& page) = 0;
  [[nodiscard]] virtual Result<std::optional<facts::DecisionDefinition>> decision(Key id) = 0;
  [[nodiscard]] virtual Result<std::optional<facts::DecisionDefinition>> decision(
      const DecisionChoice& choice) = 0;
  [[nodiscard]] virtual Result<std::optional<facts::DecisionRequirements>> requirements(Key id) = 0;
  /// Of an instance, oldest first.
  [[nodiscard]] virtual Result<std::vector<facts::DecisionEvaluation>> evaluations(
      Key instance_id, const Page& page) = 0;
  /// Newest first.
  [[nodiscard]] virtual Result<std::vector<InstanceSummary>> instances(const InstanceFilter& filter,
                                                                       const Page& page) = 0;
  [[nodiscard]] virtual Result<std::optional<facts::ProcessInstance>> instance(Key id) = 0;
  /// In the order of their ordinals.
  [[nodiscard]] virtual Result<std::vector<facts::StepRecord>> steps(Key instance_id,
                                                                     StepPage page = {}) = 0;
  /// Of those steps, in the order of the steps' keys.
  [[nodiscard]] virtual Result<std::vector<facts::StepAttempt>> attempts(Key instance_id,
                                                                         StepRange range = {}) = 0;
  [[nodiscard]] virtual Result<std::vector<facts::Token>> tokens(Key instance_id) = 0;
  [[nodiscard]] virtual Result<std::vector<facts::Scope>> scopes(Key instance_id) = 0;
  [[nodiscard]] virtual Result<std::vector<facts::Incident>> incidents(Key instance_id) = 0;
  [[nodiscard]] virtual Result<std::vector<facts::Timer>> timers(Key instance_id) = 0;
  [[nodiscard]] virtual Result<std::vector<facts::HistoryEvent>> history(
      Key instance_id, std::int64_t after_sequence, std::int64_t limit) = 0;
  /// Oldest first. Open are those that are ready, locked, or failed and wait for an operator.
  [[nodiscard]] virtual Result<std::vector<facts::ExternalTask>> external_tasks(
      const TaskFilter& filter, const Page& page) = 0;
  /// Oldest first.
  [[nodiscard]] virtual Result<std::vector<facts::UserTask>> user_tasks(const TaskFilter& filter,
                                                                        const Page& page) = 0;
  /// Open ones, oldest first.
  [[nodiscard]] virtual Result<std::vector<facts::DeadLetter>> dead_letters(const Page& page) = 0;
  /// Newest first.
  [[nodiscard]] virtual Result<std::vector<facts::AuditEntry>> audit(const AuditFilter& filter,
                                                                     const Page& page) = 0;
  /// Everything of one instance, consistent, for `check`.
  [[nodiscard]] virtual Result<std::optional<InstanceRecord>> record(Key instance_id) = 0;
  [[nodiscard]] virtual Result<std::vector<facts::IdempotencyRecord>> idempotency_records(
      const IdempotencyPage& page) = 0;
  /// No key from this one on was handed out before the question.
  [[nodiscard]] virtual Result<Key> next_key() = 0;
  /// The last schema file that was applied, by whatever node.
  [[nodiscard]] virtual Result<std::int64_t> schema_version() = 0;
  /// Ids after `after` in key order, for walks over all instances.
  [[nodiscard]] virtual Result<std::vector<Key>> instance_ids(const Page& page) = 0;
  /// Likewise, with what decides how long they are kept.
  [[nodiscard]] virtual Result<std::vector<InstanceAge>> instance_ages(const Page& page) = 0;
  /// The run that an instance has become by going on as a new one; none: there is no such instance.
  [[nodiscard]] virtual Result<std::optional<ChainEnd>> chain_end(Key instance_id) = 0;
  /// Counts every run that is stored.
  [[nodiscard]] virtual Result<FlowOverview> flow_overview() = 0;
  /// Rows of each table that a purge of the instances would remove.
  [[nodiscard]] virtual Result<std::vector<TableCount>> purge_counts(std::span<const Key> ids) = 0;
};

} // namespace perdure::store
