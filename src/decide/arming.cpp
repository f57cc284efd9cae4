#include "decide/arming.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "base/check.h"
#include "decide/incidents.h"
#include "decide/steps.h"

namespace perdure::decide {

using definition::EventKind;
using definition::EventSpec;
using definition::NodeIndex;

namespace {

using Row = std::variant<facts::TimerScheduled, facts::SubscriptionOpened>;

/// The rows of the table that belong to the owner.
auto rows_of(const auto& table, const Owner& owner) {
  return owner.token_id ? table.of(facts::Link::token, *owner.token_id)
                        : table.of(facts::Link::scope, *owner.scope_id);
}

bool is_armed(const facts::InstanceState& state, const Owner& owner, std::string_view node_id,
              std::int64_t position) {
  const auto same = [&](const auto& row) {
    return row.node_id == node_id && row.position == position;
  };
  return std::ranges::any_of(rows_of(state.timers, owner),
                             [&](const auto& row) {
                               return row.status == facts::TimerStatus::scheduled && same(row);
                             }) ||
         std::ranges::any_of(rows_of(state.subscriptions, owner), [&](const auto& row) {
           return row.state == facts::SubscriptionState::open && same(row);
         });
}

/// Errors, escalations and the like are looked up in the model when they are thrown.
bool needs_row(EventKind kind) {
  return kind == EventKind::timer || kind == EventKind::message || kind == EventKind::signal ||
         kind == EventKind::conditional;
}

std::optional<bool> kept_by(const Owner& owner) {
  return owner.at_work ? std::optional(true) : std::nullopt;
}

Outcome<Row> timer_row(const Draft& draft, const Visit& place, const Owner& owner,
                       std::int64_t position) {
  const auto& event = place.node.events[static_cast<std::size_t>(position)];
  auto due = evaluate_timer(draft, place, *event.timer);
  if (!due) return std::unexpected(std::move(due.error()));
  return facts::TimerScheduled{.timer_id = kNoKey,
                               .token_id = owner.token_id,
                               .scope_id = owner.scope_id,
                               .node_id = place.node.id,
                               .position = position,
                               .due_at = due->at,
                               .cycle = std::move(due->cycle),
                               .keeps_state = kept_by(owner)};
}

Outcome<Row> subscription_row(const Draft& draft, const Visit& place, const Owner& owner,
                              std::int64_t position, bool anew) {
  const auto& event = place.node.events[static_cast<std::size_t>(position)];
  facts::SubscriptionOpened row{.subscription_id = kNoKey,
                                .token_id = owner.token_id,
                                .scope_id = owner.scope_id,
                                .step_id = owner.step_id,
                                .node_id = place.node.id,
                                .position = position,
                                .kind = facts::SubscriptionKind::signal,
                                .name = {},
                                .correlation_key = {},
                                .condition_holds = {},
                                .keeps_state = kept_by(owner)};
  if (event.kind == EventKind::conditional) {
    row.kind = facts::SubscriptionKind::conditional;
    // It counts as false until it is looked at; one that is awaited anew must become true again.
    row.condition_holds = anew && evaluate_holds(draft, place.scope_id, *event.condition);
    return row;
  }
  auto name = evaluate_name(draft, place, event);
  if (!name) return std::unexpected(std::move(name.error()));
  row.name = *std::move(name);
  if (event.kind == EventKind::message) {
    row.kind = facts::SubscriptionKind::message;
    auto key = evaluate_key(draft, place, event.correlation_key);
    if (!key) return std::unexpected(std::move(key.error()));
    row.correlation_key = *std::move(key);
  }
  return row;
}

bool is_date(const EventSpec& event) {
  return event.kind == EventKind::timer && event.timer->kind == definition::TimerKind::date;
}

/// Rows for the events of that node which the owner does not have yet. `anew`: they have come
/// before, and a date does not come again.
Outcome<void> add_rows(const Draft& draft, const Visit& place, const Owner& owner,
                       std::vector<Row>& rows, bool anew = false) {
  for (std::size_t i = 0; i < place.node.events.size(); ++i) {
    const auto& event = place.node.events[i];
    const auto position = static_cast<std::int64_t>(i);
    if (!needs_row(event.kind) || (anew && is_date(event))) continue;
    if (is_armed(draft.state(), owner, place.node.id, position)) continue;
    auto row = event.kind == EventKind::timer
                   ? timer_row(draft, place, owner, position)
                   : subscription_row(draft, place, owner, position, anew);
    if (!row) return std::unexpected(std::move(row.error()));
    rows.push_back(*std::move(row));
  }
  return {};
}

void open(Draft& draft, std::vector<Row> rows) {
  for (auto& row : rows) {
    if (auto* timer = std::get_if<facts::TimerScheduled>(&row)) {
      timer->timer_id = draft.take_key();
      draft.emit(std::move(*timer));
    } else {
      auto& subscription = std::get<facts::SubscriptionOpened>(row);
      subscription.subscription_id = draft.take_key();
      draft.emit(std::move(subscription));
    }
  }
}

/// All of them, or none and the incident of the token.
bool arm(Draft& draft, const Visit& visit, std::span<const NodeIndex> events) {
  auto armed =
      arm_events(draft, visit.token_id, visit.scope_id, events, {.token_id = visit.token_id});
  if (armed) return true;
  auto& [event, trouble] = armed.error();
  const Visit place{visit.token_id, visit.scope_id, draft.definition().node(event)};
  open_incident(draft, place, std::move(trouble));
  return false;
}

/// Closes every open row of the owner.
void disarm(Draft& draft, const Owner& owner) {
  for (const auto& timer : rows_of(draft.state().timers, owner)) {
    if (timer.status != facts::TimerStatus::scheduled) continue;
    draft.emit(facts::TimerCancelled{.timer_id = timer.id});
  }
  for (const auto& subscription : rows_of(draft.state().subscriptions, owner)) {
    if (subscription.state != facts::SubscriptionState::open) continue;
    draft.emit(facts::SubscriptionCancelled{.subscription_id = subscription.id});
  }
}

} // namespace

std::expected<void, NotArmed> arm_events(Draft& draft, Key token_id, Key scope_id,
                                         std::span<const NodeIndex> events, const Owner& owner) {
  std::vector<Row> rows;
  for (const auto index : events) {
    const Visit place{token_id, scope_id, draft.definition().node(index)};
    auto added = add_rows(draft, place, owner, rows);
    if (!added) return std::unexpected(NotArmed{index, std::move(added.error())});
  }
  open(draft, std::move(rows));
  return {};
}

bool arm_boundaries(Draft& draft, const Visit& visit) {
  return arm(draft, visit, visit.node.boundaries);
}

bool arm_scope(Draft& draft, Key scope_id, definition::ScopeIndex scope, Key token_id,
               bool is_leaving) {
  const auto& definition = draft.definition();
  std::vector<NodeIndex> starts;
  for (const auto index : definition.scope(scope).event_sub_processes)
    starts.push_back(definition.scope(definition.node(index).inner_scope).event_starts.front());
  auto armed = arm_events(draft, kNoKey, scope_id, starts, {.scope_id = scope_id});
  if (armed) return true;
  auto& [start, trouble] = armed.error();
  trouble.details.append(std::string(kArmingMember), key_text(scope_id));
  if (is_leaving) trouble.details.append(std::string(kLeavingMember), true);
  open_incident(draft, {token_id, scope_id, definition.node(start)}, std::move(trouble));
  return false;
}

bool arm_anew(Draft& draft, const Owner& owner, const definition::Node& event, Key token_id) {
  const auto& state = draft.state();
  const auto carrier_id = owner.token_id.value_or(kNoKey);
  const auto scope_id = owner.scope_id ? *owner.scope_id : state.tokens.find(carrier_id)->scope_id;
  std::vector<Row> rows;
  auto added = add_rows(draft, {carrier_id, scope_id, event}, owner, rows, true);
  if (!added) {
    added.error().details.append(std::string(kGatheringMember), true);
    open_incident(draft, {token_id, scope_id, event}, std::move(added.error()));
    return false;
  }
  open(draft, std::move(rows));
  return true;
}

bool arm_choices(Draft& draft, const Visit& gateway) {
  std::vector<NodeIndex> events;
  for (const auto flow : gateway.node.outgoing)
    events.push_back(draft.definition().flow(flow).target);
  return arm(draft, gateway, events);
}

void await_event(Draft& draft, const Visit& visit, facts::StepType type) {
  std::vector<Row> rows;
  const auto added = add_rows(draft, visit, {.token_id = visit.token_id}, rows);
  if (!added) return open_incident(draft, visit, added.error());
  auto step = new_step(draft, visit, type);
  for (auto& row : rows) {
    auto* subscription = std::get_if<facts::SubscriptionOpened>(&row);
    if (subscription) subscription->step_id = step.step_id;
  }
  draft.emit(std::move(step));
  open(draft, std::move(rows));
}

bool waits_for(const facts::InstanceState& state, const Owner& owner,
               const definition::Node& event) {
  for (std::size_t i = 0; i < event.events.size(); ++i) {
    if (is_armed(state, owner, event.id, static_cast<std::int64_t>(i))) return true;
  }
  return false;
}

void disarm_token(Draft& draft, Key token_id) { disarm(draft, {.token_id = token_id}); }

void disarm_scope(Draft& draft, Key scope_id) { disarm(draft, {.scope_id = scope_id}); }

} // namespace perdure::decide
