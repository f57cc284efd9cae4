// SqliteStore: the writer of one SQLite file.
#pragma once

#include <memory>
#include <utility>

#include "store/commit_guard.h"
#include "store/sqlite/connection.h"
#include "store/store.h"

namespace perdure::store::sqlite {

class SqliteStore final : public Store {
public:
  /// The connection can write and has the current schema.
  explicit SqliteStore(std::unique_ptr<Connection> connection,
                       std::shared_ptr<CommitGuard> guard = {})
      : connection_(std::move(connection)), guard_(std::move(guard)) {}
  /// Moves the log into the database, so that after a clean end the one file holds everything.
  ~SqliteStore() override;
  SqliteStore(const SqliteStore&) = delete;
  SqliteStore& operator=(const SqliteStore&) = delete;

  Result<KeyRange> take_keys(std::int64_t count) override;
  Result<std::vector<facts::InstanceState>> load(std::span<const Key> ids) override;
  Result<std::vector<UnitOutcome>> commit(std::span<const Unit> units) override;

  Result<std::optional<Key>> instance_of_task(Key task_id) override;
  Result<std::optional<Key>> instance_of_user_task(Key task_id) override;
  Result<std::optional<Key>> instance_of_incident(Key incident_id) override;
  Result<std::optional<Key>> instance_of_business_key(std::string_view tenant_id,
                                                      std::string_view process_id,
                                                      std::string_view business_key) override;
  Result<std::optional<facts::ExternalTask>> external_task(Key task_id) override;
  Result<std::optional<facts::UserTask>> user_task(Key task_id) override;

  Result<std::vector<ReadyTask>> ready_tasks(std::string_view type, Instant now,
                                             std::int64_t limit) override;
  Result<std::vector<DueRow>> due_rows(Instant now, std::int64_t limit) override;
  Result<std::vector<DueRow>> locks_of(std::string_view prefix, std::int64_t limit) override;
  Result<std::optional<Instant>> next_due(Instant now) override;
  Result<std::optional<Instant>> last_time() override;

  Result<std::optional<facts::IdempotencyRecord>> idempotency(std::string_view tenant_id,
                                                              std::string_view key) override;
  Result<std::int64_t> purge_idempotency(Instant now, std::int64_t limit) override;
  Result<std::vector<InstanceAge>> instance_ages(Key after, std::int64_t limit) override;
  Result<Purged> purge(std::span<const ExpiredInstance> instances, Instant now) override;

  Result<Deployment> deploy(Deployment deployment) override;
  Result<std::optional<facts::ProcessDefinition>> definition(Key id) override;
  Result<std::optional<facts::ProcessDefinition>> latest_definition(
      std::string_view tenant_id, std::string_view process_id) override;
  Result<std::optional<facts::DecisionDefinition>> decision(const DecisionChoice& choice) override;
  Result<std::optional<facts::DecisionRequirements>> requirements(Key id) override;

  Result<std::vector<Receiver>> message_receivers(std::string_view tenant_id, std::string_view name,
                                                  const std::optional<std::string>& key,
                                                  std::int64_t limit) override;
  Result<std::vector<facts::DefinitionSubscription>> starts(std::string_view tenant_id,
                                                            facts::StartKind kind,
                                                            std::string_view name) override;
  Result<std::vector<facts::DefinitionSubscription>> conditional_starts(
      std::string_view tenant_id) override;
  Result<std::optional<facts::InboundEvent>> message(std::string_view tenant_id,
                                                     std::string_view name,
                                                     std::string_view message_id) override;
  Result<std::optional<facts::InboundEvent>> message_by_id(Key id) override;
  Result<std::optional<Key>> instance_of_subscription(Key id) override;
  Result<std::vector<Match>> waiting_messages(std::span<const Key> subscriptions,
                                              Instant now) override;
  Result<std::vector<Awaited>> awaited_messages(Key after, std::int64_t limit,
                                                Instant now) override;
  Result<std::vector<facts::PendingEvent>> pending_events(std::int64_t limit) override;
  Result<bool> is_call_pending(Key called_instance_id) override;
  Result<std::vector<Key>> signal_receivers(std::string_view tenant_id, std::string_view name,
                                            Instant sent_at, Key after,
                                            std::int64_t limit) override;
  Result<std::vector<facts::DefinitionSubscription>> due_starts(Instant now,
                                                                std::int64_t limit) override;
  Result<std::optional<Key>> version_by_number(std::string_view tenant_id,
                                               std::string_view process_id,
                                               std::int64_t version) override;
  Result<std::optional<Key>> version_by_tag(std::string_view tenant_id, std::string_view process_id,
                                            std::string_view tag) override;
  Result<std::optional<Key>> version_beside(std::string_view process_id, Key caller_id) override;
  Result<std::int64_t> call_depth(Key instance_id, std::int64_t limit) override;
  Result<std::int64_t> purge_events(Instant now, std::int64_t limit) override;

  Result<std::optional<FlowKind>> flow_kind(std::string_view process_id) override;
  Result<void> put_flow_kind(const FlowKind& kind) override;
  Result<std::vector<DueCompletion>> take_completions(std::span<const std::string> flows,
                                                      Instant now, Instant until,
                                                      std::int64_t limit) override;
  Result<void> settle_completions(std::span<const CompletionTold> told) override;
  Result<void> add_flow_host(const FlowHostRow& host) override;
  Result<bool> renew_flow_host(std::string_view worker_id, Instant expires_at) override;
  Result<std::vector<std::string>> expired_flow_hosts(Instant now, std::int64_t limit) override;
  Result<void> remove_flow_host(std::string_view worker_id, Instant now) override;
  Result<std::vector<FlowAttempt>> flow_attempts_by(std::string_view worker_id) override;
  Result<std::vector<FlowAttempt>> flow_attempts_of(std::string_view prefix) override;
  Result<std::vector<ReadyFlow>> ready_flows(Key after, std::int64_t limit) override;
  Result<std::vector<FlowLimit>> flow_limits() override;
  Result<void> put_flow_limit(const FlowLimit& limit) override;
  Result<void> remove_flow_limit(std::string_view process_id) override;
  Result<std::vector<std::string>> flow_names_waiting() override;
  Result<std::int64_t> flow_running(std::string_view process_id) override;
  Result<AdmittedSince> flow_admitted_since(std::string_view process_id, Instant since) override;
  Result<std::vector<Key>> flow_slots_waiting(std::string_view process_id, std::int64_t limit,
                                              const std::optional<KeyRoom>& room) override;
  Result<std::int64_t> forget_flow_slots(Instant now, std::int64_t limit) override;
  Result<std::optional<FlowSchedule>> flow_schedule(std::string_view name) override;
  Result<void> put_flow_schedule(const FlowSchedule& schedule) override;
  Result<void> remove_flow_schedule(std::string_view name) override;
  Result<std::vector<FlowSchedule>> due_flow_schedules(Instant now, std::int64_t limit) override;
  Result<std::optional<ChainEnd>> chain_end(Key instance_id) override;

  void idle() override;

private:
  /// Fewer outcomes than units: one was refused outside a savepoint, and nothing was written.
  [[nodiscard]] Result<std::vector<UnitOutcome>> try_commit(std::span<const Unit> units,
                                                            bool guarded);
  [[nodiscard]] Result<UnitOutcome> plain_unit(const Unit& unit);
  [[nodiscard]] Result<UnitOutcome> guarded_unit(const Unit& unit);

  /// From now on every write fails.
  [[nodiscard]] std::unexpected<Error> die();

  std::unique_ptr<Connection> connection_;
  std::shared_ptr<CommitGuard> guard_; ///< may be null
};

} // namespace perdure::store::sqlite
