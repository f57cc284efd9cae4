#include "engine/faulty_store.h"

#include <utility>

namespace perdure::engine {

namespace {

std::unexpected<Error> down() {
  return fail(ErrorCode::unavailable, "The disk is full; free some space, then go on.");
}

class FaultyStore final : public store::Store {
public:
  FaultyStore(std::unique_ptr<store::Store> inner, std::shared_ptr<Faults> faults)
      : inner_(std::move(inner)), faults_(std::move(faults)) {}

  Result<KeyRange> take_keys(std::int64_t count) override {
    if (fails(faults_->failing_keys)) return down();
    return inner_->take_keys(count);
  }

  Result<std::vector<facts::InstanceState>> load(std::span<const Key> ids) override {
    ++faults_->loads;
    if (fails(faults_->failing_loads)) return down();
    auto states = inner_->load(ids);
    if (states) {
      for (auto& state : *states)
        faults_->bend(state);
    }
    return states;
  }

  Result<std::vector<store::UnitOutcome>> commit(std::span<const store::Unit> units) override {
    const auto number = ++faults_->commits;
    faults_->commit_gate.pass();
    if (fails(faults_->failing_commits)) return down();
    const bool dies = faults_->dies_at_commit == number;
    if (dies && !faults_->dies_after_writing) {
      faults_->dead = true;
      return down();
    }
    auto outcomes = write(units);
    if (!dies) return outcomes;
    faults_->dead = true;
    return down();
  }

  void end_round() override { inner_->end_round(); }
  [[nodiscard]] bool is_shared() const override { return inner_->is_shared(); }
  Result<std::vector<store::InstanceVersion>> versions(std::span<const Key> ids) override {
    if (fails(faults_->failing_versions)) return down();
    return inner_->versions(ids);
  }
  Result<void> hold(std::span<const Key> ids) override {
    ++faults_->holds;
    return inner_->hold(ids);
  }

  Result<std::optional<Key>> instance_of_task(Key task_id) override {
    if (fails(faults_->failing_lookups)) return down();
    return inner_->instance_of_task(task_id);
  }
  Result<std::optional<Key>> instance_of_user_task(Key task_id) override {
    if (fails(faults_->failing_lookups)) return down();
    return inner_->instance_of_user_task(task_id);
  }
  Result<std::optional<Key>> instance_of_incident(Key incident_id) override {
    if (fails(faults_->failing_lookups)) return down();
    return inner_->instance_of_incident(incident_id);
  }
  Result<std::optional<Key>> instance_of_business_key(std::string_view tenant_id,
                                                      std::string_view process_id,
                                                      std::string_view business_key) override {
    if (fails(faults_->failing_lookups)) return down();
    return inner_->instance_of_business_key(tenant_id, process_id, business_key);
  }
  Result<std::optional<facts::ExternalTask>> external_task(Key task_id) override {
    if (faults_->dead) return down();
    return inner_->external_task(task_id);
  }
  Result<std::optional<facts::UserTask>> user_task(Key task_id) override {
    if (faults_->dead) return down();
    return inner_->user_task(task_id);
  }

  Result<std::vector<store::ReadyTask>> ready_tasks(std::string_view type, Instant now,
                                                    std::int64_t limit) override {
    if (faults_->dead) return down();
    return inner_->ready_tasks(type, now, limit);
  }
  Result<std::vector<store::DueRow>> due_rows(Instant now, std::int64_t limit) override {
    ++faults_->sweeps;
    if (fails(faults_->failing_sweeps)) return down();
    auto rows = inner_->due_rows(now, limit);
    if (rows) {
      for (auto& row : faults_->take_due())
        rows->push_back(row);
    }
    return rows;
  }
  Result<std::vector<store::FlowAttempt>> flow_attempts_of(std::string_view prefix) override {
    if (faults_->dead) return down();
    return inner_->flow_attempts_of(prefix);
  }
  Result<std::vector<store::ReadyFlow>> ready_flows(Key after, std::int64_t limit) override {
    if (faults_->dead) return down();
    return inner_->ready_flows(after, limit);
  }
  Result<void> add_flow_host(const store::FlowHostRow& host) override {
    if (faults_->dead) return down();
    return inner_->add_flow_host(host);
  }
  Result<bool> renew_flow_host(std::string_view worker_id, Instant expires_at) override {
    if (faults_->dead) return down();
    return inner_->renew_flow_host(worker_id, expires_at);
  }
  Result<std::vector<std::string>> expired_flow_hosts(Instant now, std::int64_t limit) override {
    if (faults_->dead) return down();
    return inner_->expired_flow_hosts(now, limit);
  }
  Result<void> remove_flow_host(std::string_view worker_id, Instant now) override {
    if (faults_->dead) return down();
    return inner_->remove_flow_host(worker_id, now);
  }
  Result<std::vector<store::FlowAttempt>> flow_attempts_by(std::string_view worker_id) override {
    if (faults_->dead) return down();
    return inner_->flow_attempts_by(worker_id);
  }
  Result<std::vector<store::FlowLimit>> flow_limits() override {
    if (fails(faults_->failing_lookups)) return down();
    return inner_->flow_limits();
  }
  Result<void> put_flow_limit(const store::FlowLimit& limit) override {
    return inner_->put_flow_limit(limit);
  }
  Result<void> remove_flow_limit(std::string_view process_id) override {
    return inner_->remove_flow_limit(process_id);
  }
  Result<std::vector<std::string>> flow_names_waiting() override {
    if (faults_->dead) return down();
    return inner_->flow_names_waiting();
  }
  Result<bool> claim_flow_limit(std::string_view process_id) override {
    return inner_->claim_flow_limit(process_id);
  }
  Result<std::int64_t> flow_running(std::string_view process_id) override {
    return inner_->flow_running(process_id);
  }
  Result<store::AdmittedSince> flow_admitted_since(std::string_view process_id,
                                                   Instant since) override {
    return inner_->flow_admitted_since(process_id, since);
  }
  Result<std::vector<Key>> flow_slots_waiting(std::string_view process_id, std::int64_t limit,
                                              const std::optional<store::KeyRoom>& room) override {
    return inner_->flow_slots_waiting(process_id, limit, room);
  }
  Result<std::int64_t> forget_flow_slots(Instant now, std::int64_t limit) override {
    if (faults_->dead) return down();
    return inner_->forget_flow_slots(now, limit);
  }
  Result<std::optional<store::FlowSchedule>> flow_schedule(std::string_view name) override {
    return inner_->flow_schedule(name);
  }
  Result<void> put_flow_schedule(const store::FlowSchedule& schedule) override {
    return inner_->put_flow_schedule(schedule);
  }
  Result<void> remove_flow_schedule(std::string_view name) override {
    return inner_->remove_flow_schedule(name);
  }
  Result<std::vector<store::FlowSchedule>> due_flow_schedules(Instant now,
                                                              std::int64_t limit) override {
    if (faults_->dead) return down();
    return inner_->due_flow_schedules(now, limit);
  }
  Result<std::optional<store::ChainEnd>> chain_end(Key instance_id) override {
    return inner_->chain_end(instance_id);
  }
  Result<std::vector<store::DueRow>> locks_of(std::string_view prefix,
                                              std::int64_t limit) override {
    if (faults_->dead) return down();
    return inner_->locks_of(prefix, limit);
  }
  Result<std::optional<Instant>> last_time() override { return inner_->last_time(); }
  Result<std::optional<Instant>> next_due(Instant now) override {
    if (faults_->dead) return down();
    return inner_->next_due(now);
  }

  Result<std::optional<facts::IdempotencyRecord>> idempotency(std::string_view tenant_id,
                                                              std::string_view key) override {
    if (fails(faults_->failing_lookups)) return down();
    return inner_->idempotency(tenant_id, key);
  }
  Result<std::int64_t> purge_idempotency(Instant now, std::int64_t limit) override {
    if (faults_->dead) return down();
    return inner_->purge_idempotency(now, limit);
  }
  Result<std::vector<store::InstanceAge>> instance_ages(Key after, std::int64_t limit) override {
    if (fails(faults_->failing_purges)) return down();
    return inner_->instance_ages(after, limit);
  }
  Result<store::Purged> purge(std::span<const store::ExpiredInstance> instances,
                              Instant now) override {
    if (fails(faults_->failing_purges)) return down();
    return inner_->purge(instances, now);
  }

  Result<store::Deployment> deploy(store::Deployment deployment) override {
    if (fails(faults_->failing_deployments)) return down();
    return inner_->deploy(std::move(deployment));
  }
  Result<std::optional<facts::DecisionDefinition>> decision(
      const store::DecisionChoice& choice) override {
    if (fails(faults_->failing_definitions)) return down();
    return inner_->decision(choice);
  }
  Result<std::optional<facts::DecisionRequirements>> requirements(Key id) override {
    if (fails(faults_->failing_definitions)) return down();
    return inner_->requirements(id);
  }
  Result<std::optional<facts::ProcessDefinition>> definition(Key id) override {
    if (fails(faults_->failing_definitions)) return down();
    return inner_->definition(id);
  }
  Result<std::optional<facts::ProcessDefinition>> latest_definition(
      std::string_view tenant_id, std::string_view process_id) override {
    if (fails(faults_->failing_definitions)) return down();
    return inner_->latest_definition(tenant_id, process_id);
  }

  Result<std::vector<store::Receiver>> message_receivers(std::string_view tenant_id,
                                                         std::string_view name,
                                                         const std::optional<std::string>& key,
                                                         std::int64_t limit) override {
    if (fails(faults_->failing_lookups)) return down();
    return inner_->message_receivers(tenant_id, name, key, limit);
  }
  Result<std::vector<facts::DefinitionSubscription>> starts(std::string_view tenant_id,
                                                            facts::StartKind kind,
                                                            std::string_view name) override {
    if (fails(faults_->failing_lookups)) return down();
    return inner_->starts(tenant_id, kind, name);
  }
  Result<std::vector<facts::DefinitionSubscription>> conditional_starts(
      std::string_view tenant_id) override {
    if (fails(faults_->failing_lookups)) return down();
    return inner_->conditional_starts(tenant_id);
  }
  Result<std::optional<facts::InboundEvent>> message(std::string_view tenant_id,
                                                     std::string_view name,
                                                     std::string_view message_id) override {
    if (fails(faults_->failing_lookups)) return down();
    return inner_->message(tenant_id, name, message_id);
  }
  Result<std::optional<facts::InboundEvent>> message_by_id(Key id) override {
    if (faults_->dead) return down();
    return inner_->message_by_id(id);
  }
  Result<std::optional<Key>> instance_of_subscription(Key id) override {
    if (faults_->dead) return down();
    return inner_->instance_of_subscription(id);
  }
  Result<std::vector<store::Match>> waiting_messages(std::span<const Key> subscriptions,
                                                     Instant now) override {
    if (faults_->dead) return down();
    return inner_->waiting_messages(subscriptions, now);
  }
  Result<std::vector<store::Awaited>> awaited_messages(Key after, std::int64_t limit,
                                                       Instant now) override {
    if (faults_->dead) return down();
    return inner_->awaited_messages(after, limit, now);
  }
  Result<std::vector<facts::PendingEvent>> pending_events(std::int64_t limit) override {
    if (faults_->dead) return down();
    return inner_->pending_events(limit);
  }
  Result<bool> is_call_pending(Key called_instance_id) override {
    if (faults_->dead) return down();
    return inner_->is_call_pending(called_instance_id);
  }
  Result<std::vector<Key>> signal_receivers(std::string_view tenant_id, std::string_view name,
                                            Instant sent_at, Key after,
                                            std::int64_t limit) override {
    if (faults_->dead) return down();
    return inner_->signal_receivers(tenant_id, name, sent_at, after, limit);
  }
  Result<std::vector<facts::DefinitionSubscription>> due_starts(Instant now,
                                                                std::int64_t limit) override {
    if (faults_->dead) return down();
    return inner_->due_starts(now, limit);
  }
  Result<std::optional<Key>> version_by_number(std::string_view tenant_id,
                                               std::string_view process_id,
                                               std::int64_t version) override {
    if (fails(faults_->failing_definitions)) return down();
    return inner_->version_by_number(tenant_id, process_id, version);
  }
  Result<std::optional<Key>> version_by_tag(std::string_view tenant_id, std::string_view process_id,
                                            std::string_view tag) override {
    if (fails(faults_->failing_definitions)) return down();
    return inner_->version_by_tag(tenant_id, process_id, tag);
  }
  Result<std::optional<Key>> version_beside(std::string_view process_id, Key caller_id) override {
    if (fails(faults_->failing_definitions)) return down();
    return inner_->version_beside(process_id, caller_id);
  }
  Result<std::int64_t> call_depth(Key instance_id, std::int64_t limit) override {
    if (faults_->dead) return down();
    return inner_->call_depth(instance_id, limit);
  }
  Result<std::int64_t> purge_events(Instant now, std::int64_t limit) override {
    if (faults_->dead) return down();
    return inner_->purge_events(now, limit);
  }

  Result<std::optional<store::FlowKind>> flow_kind(std::string_view process_id) override {
    if (fails(faults_->failing_definitions)) return down();
    return inner_->flow_kind(process_id);
  }
  Result<void> put_flow_kind(const store::FlowKind& kind) override {
    if (fails(faults_->failing_definitions)) return down();
    return inner_->put_flow_kind(kind);
  }
  Result<std::vector<store::DueCompletion>> take_completions(std::span<const std::string> flows,
                                                             Instant now, Instant until,
                                                             std::int64_t limit) override {
    if (faults_->dead) return down();
    return inner_->take_completions(flows, now, until, limit);
  }
  Result<void> settle_completions(std::span<const store::CompletionTold> told) override {
    if (fails(faults_->failing_completions)) return down();
    return inner_->settle_completions(told);
  }

  void idle() override {
    if (!faults_->dead) inner_->idle();
  }

private:
  bool fails(std::atomic<int>& countdown) {
    if (faults_->dead) return true;
    if (countdown == 0) return false;
    --countdown;
    return true;
  }

  // Units that are to be refused never reach the database, as if their savepoint had been undone.
  Result<std::vector<store::UnitOutcome>> write(std::span<const store::Unit> units) {
    std::vector<store::UnitOutcome> outcomes(units.size());
    std::vector<store::Unit> passing;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < units.size(); ++i) {
      if (auto error = faults_->refusal_of(units[i])) {
        outcomes[i] = std::unexpected(std::move(*error));
      } else {
        passing.push_back(units[i]);
        places.push_back(i);
      }
    }
    if (passing.empty()) return outcomes;
    auto written = inner_->commit(passing);
    if (!written) return written;
    for (std::size_t i = 0; i < places.size(); ++i)
      outcomes[places[i]] = std::move((*written)[i]);
    return outcomes;
  }

  std::unique_ptr<store::Store> inner_;
  std::shared_ptr<Faults> faults_;
};

} // namespace

void Faults::refuse(Refuse refuse) {
  const std::lock_guard lock(mutex_);
  refuse_ = std::move(refuse);
}

void Faults::corrupt(Corrupt corrupt) {
  const std::lock_guard lock(mutex_);
  corrupt_ = std::move(corrupt);
}

void Faults::add_due(store::DueRow row) {
  const std::lock_guard lock(mutex_);
  due_.push_back(row);
}

std::optional<Error> Faults::refusal_of(const store::Unit& unit) {
  const std::lock_guard lock(mutex_);
  return refuse_ ? refuse_(unit) : std::nullopt;
}

void Faults::bend(facts::InstanceState& state) {
  const std::lock_guard lock(mutex_);
  if (corrupt_) corrupt_(state);
}

std::vector<store::DueRow> Faults::take_due() {
  const std::lock_guard lock(mutex_);
  return std::exchange(due_, {});
}

std::unique_ptr<store::Store> make_faulty(std::unique_ptr<store::Store> store,
                                          std::shared_ptr<Faults> faults) {
  return std::make_unique<FaultyStore>(std::move(store), std::move(faults));
}

} // namespace perdure::engine
