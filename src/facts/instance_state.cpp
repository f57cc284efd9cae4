#include "facts/instance_state.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace perdure::facts {

void InstanceState::note(const Token& token) {
  if (token.state == TokenState::ready) ready.insert(token.id);
}

void InstanceState::note(const Scope& scope) {
  if (scope.kind == ScopeKind::multi_instance && scope.state == ScopeState::open) {
    loops.try_emplace(scope.id);
  }
}

void InstanceState::note(const CompensationRecord& record) {
  if (record.status == CompensationStatus::pending) {
    undoable[record.scope_id].emplace(record.ordinal, record.id);
  } else if (record.status == CompensationStatus::running) {
    undoing.emplace(*record.token_id, record.id);
  }
}

void InstanceState::note(const EventSubscription& subscription) {
  const bool is_open = subscription.state == SubscriptionState::open;
  if (is_open && subscription.kind == SubscriptionKind::conditional) {
    conditions.insert(subscription.id);
  }
}

// Steps of BPMN are named for their visits (`node#2`) and have types of their own, but for sleep
// and wait: these are noted as well, which harms nobody.
void InstanceState::note(const StepRecord& step) {
  const bool of_flow = step.type == StepType::run || step.type == StepType::sleep ||
                       step.type == StepType::wait || step.type == StepType::call_activity;
  if (of_flow && !step.completed_at) flow_steps.emplace(step.slug, step.id);
}

const StepRecord* InstanceState::flow_step(const std::string& name) const {
  const auto found = flow_steps.find(name);
  return found == flow_steps.end() ? nullptr : steps.find(found->second);
}

void InstanceState::load_iteration(Key multi_instance_id, std::int64_t index, ScopeState state,
                                   std::optional<Value> output) {
  auto& progress = loops[multi_instance_id];
  ++progress.opened;
  if (state == ScopeState::completed) ++progress.completed;
  if (state == ScopeState::terminated) ++progress.terminated;
  if (output) progress.outputs.emplace(index, *std::move(output));
}

void InstanceState::saved() {
  instance_change = Change::none;
  scopes.saved([](const Scope& row) { return row.state != ScopeState::open; },
               [this](const Scope& row) {
                 const auto first = generations.lower_bound(std::pair(row.id, std::string()));
                 const auto last = generations.lower_bound(std::pair(row.id + 1, std::string()));
                 generations.erase(first, last);
               });
  tokens.saved([](const Token& row) { return is_terminal(row.state); });
  steps.saved([](const StepRecord& row) { return is_terminal(row.status); });
  attempts.saved([](const StepAttempt& row) { return row.state != AttemptState::started; });
  external_tasks.saved([](const ExternalTask& row) {
    return row.state == TaskState::completed || row.state == TaskState::cancelled;
  });
  user_tasks.saved([](const UserTask& row) { return row.state != UserTaskState::open; });
  timers.saved([](const Timer& row) { return row.status != TimerStatus::scheduled; });
  subscriptions.saved(
      [](const EventSubscription& row) { return row.state != SubscriptionState::open; });
  arrivals.saved([](const JoinArrival&) { return false; });
  joins.saved([](const ParallelJoin& row) { return row.state != JoinState::open; },
              [this](const ParallelJoin& row) {
                std::vector<std::string> flows;
                for (const auto& arrival : arrivals.of_prefix(row.id))
                  flows.push_back(arrival.flow_id);
                for (const auto& flow_id : flows)
                  arrivals.forget(std::tuple(row.id, std::string_view(flow_id)));
              });
  incidents.saved([](const Incident& row) { return row.state != IncidentState::open; });
  flow_runs.saved([](const FlowRun&) { return false; });
  dead_letters.saved([](const DeadLetter& row) { return row.state != DeadLetterState::open; });
  compensations.saved([](const CompensationRecord& row) {
    return row.status == CompensationStatus::completed || row.status == CompensationStatus::failed;
  });
  // Nothing is undone once the instance has ended.
  if (is_terminal(instance.status)) {
    compensations = {};
    undoable.clear();
  }
  pending_events.saved([](const PendingEvent&) { return true; });
  evaluations.saved([](const DecisionEvaluation&) { return true; });
  migrations.saved([](const InstanceMigration&) { return true; });
  completions.saved([](const FlowCompletion&) { return true; });
}

std::int64_t InstanceState::visit_count(std::string_view node_id, std::int64_t listener) const {
  const auto entry =
      std::ranges::lower_bound(visits, std::tuple(node_id, listener), {}, visits_key);
  if (entry == visits.end() || visits_key(*entry) != std::tuple(node_id, listener)) return 0;
  return entry->count;
}

std::int64_t InstanceState::last_generation(Key scope_id, std::string_view node_id) const {
  const auto entry = generations.find(std::pair(scope_id, std::string(node_id)));
  return entry == generations.end() ? 0 : entry->second;
}

} // namespace perdure::facts
