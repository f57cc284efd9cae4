// What facts about timers without a step, subscriptions, thrown and sent events, and compensation
// do.
#include "base/check.h"
#include "facts/appliers.h"

namespace perdure::facts {

namespace {

EventSubscription& change_subscription(InstanceState& state, Key subscription_id) {
  auto& subscription = state.subscriptions.update(subscription_id);
  PERDURE_CHECK(subscription.state == SubscriptionState::open);
  return subscription;
}

void cancel(InstanceState& state, Instant at, const EventSubscription& row) {
  auto& subscription = change_subscription(state, row.id);
  subscription.state = SubscriptionState::cancelled;
  subscription.closed_at = at;
  state.conditions.erase(row.id);
}

void cancel(InstanceState& state, Instant at, const Timer& row) {
  auto& timer = state.timers.update(row.id);
  timer.status = TimerStatus::cancelled;
  timer.ended_at = at;
}

/// Cancels what is open and belongs to `owner`.
void disarm(InstanceState& state, Instant at, Link link, Key owner) {
  for (const auto& timer : state.timers.of(link, owner)) {
    if (timer.status == TimerStatus::scheduled) cancel(state, at, timer);
  }
  for (const auto& subscription : state.subscriptions.of(link, owner)) {
    if (subscription.state == SubscriptionState::open) cancel(state, at, subscription);
  }
}

/// One owner, which exists; a token rests on what was opened, unless it is at work already.
void check_owner(InstanceState& state, const auto& fact) {
  PERDURE_CHECK(fact.token_id.has_value() != fact.scope_id.has_value());
  if (fact.scope_id) {
    const auto* scope = state.scopes.find(*fact.scope_id);
    PERDURE_CHECK(scope && scope->state == ScopeState::open);
  } else if (fact.keeps_state.value_or(false)) {
    const auto* token = state.tokens.find(*fact.token_id);
    PERDURE_CHECK(token && !is_terminal(token->state));
  } else {
    // What is awaited beside its work leaves a worker to it.
    const auto* token = state.tokens.find(*fact.token_id);
    if (token && token->state == TokenState::executing) return;
    change_token(state, *fact.token_id, TokenState::waiting);
  }
}

CompensationRecord& change_record(InstanceState& state, Key record_id,
                                  CompensationStatus expected) {
  auto& record = state.compensations.update(record_id);
  PERDURE_CHECK(record.status == expected);
  return record;
}

} // namespace

void disarm_token(InstanceState& state, Instant at, Key token_id) {
  disarm(state, at, Link::token, token_id);
}

void disarm_scope(InstanceState& state, Instant at, Key scope_id) {
  disarm(state, at, Link::scope, scope_id);
}

void apply_fact(InstanceState& state, Instant at, const TimerScheduled& fact) {
  check_owner(state, fact);
  state.timers.insert({.id = fact.timer_id,
                       .instance_id = state.instance.id,
                       .token_id = fact.token_id,
                       .step_id = {},
                       .node_id = fact.node_id,
                       .status = TimerStatus::scheduled,
                       .due_at = fact.due_at,
                       .occurrence = 1,
                       .cycle = fact.cycle,
                       .created_at = at,
                       .ended_at = {},
                       .scope_id = fact.scope_id,
                       .position = fact.position});
}

void apply_fact(InstanceState& state, Instant at, const TimerCancelled& fact) {
  const auto* timer = state.timers.find(fact.timer_id);
  PERDURE_CHECK(timer && timer->status == TimerStatus::scheduled);
  cancel(state, at, *timer);
}

void apply_fact(InstanceState& state, Instant at, const TimerFired& fact) {
  auto& timer = state.timers.update(fact.timer_id);
  PERDURE_CHECK(timer.status == TimerStatus::scheduled && fact.lateness_ms >= 0);
  PERDURE_CHECK(fact.next_due_at.has_value() == fact.next_occurrence.has_value());
  if (fact.next_due_at) {
    timer.occurrence = *fact.next_occurrence;
    timer.due_at = *fact.next_due_at;
    return;
  }
  timer.status = TimerStatus::fired;
  timer.ended_at = at;
}

void apply_fact(InstanceState& state, Instant at, const SubscriptionOpened& fact) {
  check_owner(state, fact);
  PERDURE_CHECK((fact.kind == SubscriptionKind::conditional) == fact.condition_holds.has_value());
  PERDURE_CHECK((fact.kind == SubscriptionKind::conditional) == fact.name.empty());
  state.subscriptions.insert({.id = fact.subscription_id,
                              .instance_id = state.instance.id,
                              .tenant_id = state.instance.tenant_id,
                              .token_id = fact.token_id,
                              .scope_id = fact.scope_id,
                              .step_id = fact.step_id,
                              .node_id = fact.node_id,
                              .position = fact.position,
                              .kind = fact.kind,
                              .name = fact.name,
                              .correlation_key = fact.correlation_key,
                              .state = SubscriptionState::open,
                              .trigger_count = 0,
                              .condition_holds = fact.condition_holds,
                              .opened_at = at,
                              .closed_at = {}});
  if (fact.condition_holds) state.conditions.insert(fact.subscription_id);
}

void apply_fact(InstanceState& state, Instant at, const SubscriptionTriggered& fact) {
  auto& subscription = change_subscription(state, fact.subscription_id);
  ++subscription.trigger_count;
  if (fact.stays_open) return;
  subscription.state = SubscriptionState::triggered;
  subscription.closed_at = at;
  state.conditions.erase(fact.subscription_id);
}

void apply_fact(InstanceState& state, Instant at, const SubscriptionCancelled& fact) {
  const auto* subscription = state.subscriptions.find(fact.subscription_id);
  PERDURE_CHECK(subscription != nullptr);
  cancel(state, at, *subscription);
}

void apply_fact(InstanceState& state, Instant, const ConditionChanged& fact) {
  auto& subscription = change_subscription(state, fact.subscription_id);
  PERDURE_CHECK(subscription.condition_holds && *subscription.condition_holds != fact.holds);
  subscription.condition_holds = fact.holds;
}

void apply_fact(InstanceState& state, Instant, const EventThrown& fact) {
  PERDURE_CHECK(state.tokens.find(fact.token_id) != nullptr);
}

void apply_fact(InstanceState& state, Instant at, const EventSent& fact) {
  PERDURE_CHECK(fact.payload.is_object());
  state.pending_events.insert({.id = fact.pending_event_id,
                               .instance_id = state.instance.id,
                               .tenant_id = state.instance.tenant_id,
                               .node_id = fact.node_id,
                               .kind = fact.kind,
                               .name = fact.name,
                               .correlation_key = fact.correlation_key,
                               .target_instance_id = fact.target_instance_id,
                               .target_token_id = fact.target_token_id,
                               .payload = fact.payload,
                               .state = PendingState::pending,
                               .reached_id = 0,
                               .created_at = at,
                               .closed_at = {}});
}

void apply_fact(InstanceState& state, Instant at, const CompensationRecorded& fact) {
  PERDURE_CHECK(fact.variables.is_object() && fact.ordinal >= 1);
  PERDURE_CHECK(fact.handler_id || fact.inner_scope_id);
  state.compensations.insert({.instance_id = state.instance.id,
                              .id = fact.record_id,
                              .scope_id = fact.scope_id,
                              .node_id = fact.node_id,
                              .handler_id = fact.handler_id,
                              .inner_scope_id = fact.inner_scope_id,
                              .ordinal = fact.ordinal,
                              .status = CompensationStatus::pending,
                              .token_id = {},
                              .variables = fact.variables,
                              .recorded_at = at,
                              .started_at = {},
                              .ended_at = {}});
  PERDURE_CHECK(state.undoable[fact.scope_id].emplace(fact.ordinal, fact.record_id).second);
}

void apply_fact(InstanceState& state, Instant at, const CompensationStarted& fact) {
  auto& record = change_record(state, fact.record_id, CompensationStatus::pending);
  PERDURE_CHECK(state.tokens.find(fact.token_id) != nullptr);
  record.status = CompensationStatus::running;
  record.token_id = fact.token_id;
  record.started_at = at;
  const auto left = state.undoable.find(record.scope_id);
  left->second.erase(record.ordinal);
  if (left->second.empty()) state.undoable.erase(left);
  state.undoing.emplace(fact.token_id, record.id);
}

void apply_fact(InstanceState& state, Instant at, const CompensationEnded& fact) {
  auto& record = change_record(state, fact.record_id, CompensationStatus::running);
  PERDURE_CHECK(fact.status == CompensationStatus::completed ||
                fact.status == CompensationStatus::failed);
  record.status = fact.status;
  record.ended_at = at;
  state.undoing.erase(*record.token_id);
}

} // namespace perdure::facts
