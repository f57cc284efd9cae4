#include "facts/instance_state.h"

#include <algorithm>
#include <vector>

namespace perdure::facts {

void InstanceState::saved() {
  instance_change = Change::none;
  // An iteration that has ended keeps its output until all are done.
  std::vector<Key> repeated;
  for (const auto& slot : scopes.slots()) {
    const bool open = slot.row.state == ScopeState::open;
    if (open && slot.row.kind == ScopeKind::multi_instance) repeated.push_back(slot.row.id);
  }
  scopes.saved([&](const Scope& row) {
    return row.state != ScopeState::open &&
           !(row.output && std::ranges::binary_search(repeated, *row.parent_id));
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
  joins.saved([](const ParallelJoin& row) { return row.state != JoinState::open; });
  // Only open joins are left, so an arrival is needed exactly while its join is found.
  arrivals.saved([this](const JoinArrival& row) { return joins.find(row.join_id) == nullptr; });
  incidents.saved([](const Incident& row) { return row.state != IncidentState::open; });
  dead_letters.saved([](const DeadLetter& row) { return row.state != DeadLetterState::open; });
  // Nothing is undone once the instance has ended.
  compensations.saved([ended = is_terminal(instance.status)](const CompensationRecord& row) {
    return ended || row.status == CompensationStatus::completed ||
           row.status == CompensationStatus::failed;
  });
  pending_events.saved([](const PendingEvent&) { return true; });
  evaluations.saved([](const DecisionEvaluation&) { return true; });
  std::erase_if(generations, [this](const JoinGenerations& entry) {
    return scopes.find(entry.scope_id) == nullptr;
  });
}

std::int64_t InstanceState::visit_count(std::string_view node_id) const {
  const auto entry = std::ranges::find(visits, node_id, &NodeVisits::node_id);
  return entry == visits.end() ? 0 : entry->count;
}

std::int64_t InstanceState::last_generation(Key scope_id, std::string_view node_id) const {
  const auto entry = std::ranges::find_if(generations, [&](const JoinGenerations& candidate) {
    return candidate.scope_id == scope_id && candidate.node_id == node_id;
  });
  return entry == generations.end() ? 0 : entry->last;
}

} // namespace perdure::facts
