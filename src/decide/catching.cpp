#include "decide/catching.h"

#include <utility>
#include <vector>

#include "base/check.h"
#include "decide/ad_hoc.h"
#include "decide/data.h"
#include "decide/elements.h"
#include "decide/events.h"
#include "decide/listeners.h"
#include "decide/scopes.h"
#include "decide/steps.h"
#include "expr/recurrence.h"

namespace perdure::decide {

using definition::Node;
using definition::NodeKind;

namespace {

Key place_token(Draft& draft, Key scope_id, std::optional<Key> parent_id, const Node& node) {
  const auto token_id = draft.take_key();
  draft.emit(facts::TokenPlaced{.token_id = token_id,
                                .scope_id = scope_id,
                                .node_id = node.id,
                                .flow_id = {},
                                .parent_id = parent_id});
  return token_id;
}

/// Whether it waits for all of its events again and again.
bool gathers_anew(const Node& event) { return event.all_events && !event.interrupting; }

/// Everything inside ends before the first flow behind the event is taken.
void catch_at_boundary(Draft& draft, Key activity_id, const Node& event, const Object& variables) {
  const auto scope_id = draft.state().tokens.find(activity_id)->scope_id;
  if (event.interrupting) terminate_token(draft, activity_id);
  if (!event.data) set_variables(draft, scope_id, variables);
  const auto token_id = place_token(draft, scope_id, activity_id, event);
  if (event.data) begin_data(draft, draft.visit_of(token_id), variables);
  if (gathers_anew(event) && !arm_anew(draft, {.token_id = activity_id}, event, token_id)) return;
  draft.make_ready(token_id);
}

void open_event_sub_process(Draft& draft, const Visit& visit, const Object& variables) {
  const auto inner = visit.node.inner_scope;
  const auto& start = draft.definition().node(draft.definition().scope(inner).event_starts.front());
  const auto inner_id = draft.take_key();
  draft.emit(facts::ScopeOpened{.scope_id = inner_id,
                                .parent_id = variables_of(draft.state(), visit.token_id),
                                .token_id = visit.token_id,
                                .node_id = visit.node.id,
                                .kind = facts::ScopeKind::event_sub_process,
                                .loop_index = {},
                                .variables = with_initial(draft, inner, variables)});
  const auto first = place_token(draft, inner_id, {}, start);
  if (gathers_anew(start) && !arm_anew(draft, {.scope_id = visit.scope_id}, start, first)) return;
  if (arm_scope(draft, inner_id, inner, first)) draft.make_ready(first);
}

/// The token that stands for the event sub-process keeps the scope around it open.
void begin_event_sub_process(Draft& draft, Key scope_id, const Node& start,
                             const Object& variables) {
  const auto& inner = draft.definition().scope(start.scope);
  const auto& node = draft.definition().node(inner.owner);
  if (start.interrupting) {
    terminate_inside(draft, scope_id);
    disarm_scope(draft, scope_id);
    close_choice(draft, scope_id);
  }
  const auto visit = draft.visit_of(place_token(draft, scope_id, {}, node));
  if (node.listeners.empty()) return open_event_sub_process(draft, visit, variables);
  if (!variables.empty()) begin_data(draft, visit, variables);
  if (listen_before_work(draft, visit)) open_event_sub_process(draft, visit, variables);
}

/// The token is at the gateway before the event: it takes the flow that leads there.
void choose(Draft& draft, Key token_id, const Node& event) {
  const auto& flow = draft.definition().flow(event.incoming.front());
  close_data(draft, draft.visit_of(token_id));
  draft.emit(facts::TokenMoved{.token_id = token_id, .flow_id = flow.id, .node_id = event.id});
}

/// The token stands before the event that has come.
void open_step(Draft& draft, Key token_id, const Node& event) {
  if (event.data) begin_data(draft, draft.visit_of(token_id), {});
  const auto type = event.kind == NodeKind::receive_task ? facts::StepType::receive_task
                    : event.events.size() == 1 && event.has(definition::EventKind::timer)
                        ? facts::StepType::sleep
                        : facts::StepType::wait;
  auto step = new_step(draft, draft.visit_of(token_id), type);
  draft.emit(std::move(step));
}

void catch_in_flow(Draft& draft, Key token_id, const Node& event, const Object& variables) {
  if (draft.state().tokens.find(token_id)->node_id != event.id) {
    choose(draft, token_id, event);
    open_step(draft, token_id, event);
  }
  const auto step_id = open_step_of(draft.state(), token_id);
  PERDURE_CHECK(step_id != kNoKey);
  draft.emit(facts::StepCompleted{
      .step_id = step_id,
      .output = variables.empty() ? std::nullopt : std::optional(Value(variables))});
  const auto visit = draft.visit_of(token_id);
  take_result(draft, visit, variables);
  pass(draft, visit);
}

const Node& node_of(const Draft& draft, std::string_view node_id) {
  const auto index = draft.definition().find_node(node_id);
  PERDURE_CHECK(index != definition::kNone);
  return draft.definition().node(index);
}

std::optional<expr::Occurrence> next_occurrence(const Draft& draft, const facts::Timer& timer) {
  if (!timer.cycle) return std::nullopt;
  const auto recurrence = expr::Recurrence::parse(*timer.cycle);
  PERDURE_CHECK(recurrence.has_value());
  return recurrence->next(timer.created_at, {.number = timer.occurrence, .at = timer.due_at},
                          draft.at());
}

} // namespace

void enter_event_sub_process(Draft& draft, const Visit& visit) {
  const auto own = variables_of(draft.state(), visit.token_id);
  const bool has_own = own != visit.scope_id;
  open_event_sub_process(
      draft, visit, has_own ? *draft.state().scopes.find(own)->variables.as<Object>() : Object{});
}

bool can_repeat(const Node& event) {
  return !event.interrupting && !event.all_events &&
         (event.kind == NodeKind::boundary_event || event.kind == NodeKind::start_event);
}

void catch_event(Draft& draft, const Owner& owner, const Node& event, const Object& variables) {
  if (event.all_events && waits_for(draft.state(), owner, event)) {
    const auto scope_id =
        owner.scope_id ? *owner.scope_id : draft.state().tokens.find(*owner.token_id)->scope_id;
    return set_variables(draft, scope_id, variables);
  }
  if (owner.scope_id) return begin_event_sub_process(draft, *owner.scope_id, event, variables);
  if (event.kind == NodeKind::boundary_event) {
    return catch_at_boundary(draft, *owner.token_id, event, variables);
  }
  catch_in_flow(draft, *owner.token_id, event, variables);
}

void begin_by_event(Draft& draft, Key scope_id, const Node& event) {
  const auto* gateway = draft.definition().instantiating_gateway(event);
  auto token_id = place_token(draft, scope_id, {}, gateway ? *gateway : event);
  std::vector<Key> others;
  if (gateway && gateway->all_events) {
    draft.emit(facts::TokenCompleted{.token_id = token_id});
    const auto gateway_token_id = token_id;
    for (const auto index : gateway->outgoing) {
      const auto& flow = draft.definition().flow(index);
      const auto& target = draft.definition().node(flow.target);
      const auto placed = draft.take_key();
      draft.emit(facts::TokenPlaced{.token_id = placed,
                                    .scope_id = scope_id,
                                    .node_id = target.id,
                                    .flow_id = flow.id,
                                    .parent_id = gateway_token_id});
      if (&target == &event) {
        token_id = placed;
      } else {
        others.push_back(placed);
      }
    }
  } else if (gateway) {
    choose(draft, token_id, event);
  }
  open_step(draft, token_id, event);
  draft.emit(facts::StepCompleted{.step_id = open_step_of(draft.state(), token_id), .output = {}});
  // Without its event sub-processes the process must not begin: this token waits.
  const bool armed = arm_scope(draft, scope_id, event.scope, token_id, true);
  for (const auto id : others)
    draft.make_ready(id);
  if (armed) leave(draft, draft.visit_of(token_id));
}

void occur(Draft& draft, Key subscription_id, const Object& variables) {
  const auto& row = *draft.state().subscriptions.find(subscription_id);
  const Owner owner{.token_id = row.token_id, .scope_id = row.scope_id};
  const auto& node = node_of(draft, row.node_id);
  draft.emit(facts::SubscriptionTriggered{.subscription_id = subscription_id,
                                          .stays_open = can_repeat(node)});
  catch_event(draft, owner, node, variables);
}

MaybeRefusal decide_event(Draft& draft, const facts::TimerDue& event) {
  const auto* timer = draft.state().timers.find(event.timer_id);
  if (!timer || timer->status != facts::TimerStatus::scheduled) {
    return refuse(facts::RefusalCode::token_finalized_twice,
                  "This timer has already fired or was cancelled: nothing is left to do.");
  }
  if (timer->due_at > draft.at()) {
    return refuse(facts::RefusalCode::timer_not_due,
                  "This timer is due at " + to_text(timer->due_at) + ": send the event then.");
  }
  const Owner owner{.token_id = timer->token_id, .scope_id = timer->scope_id};
  const auto& node = node_of(draft, timer->node_id);
  facts::TimerFired fired{.timer_id = event.timer_id,
                          .lateness_ms = (draft.at() - timer->due_at).count()};
  if (can_repeat(node)) {
    if (const auto next = next_occurrence(draft, *timer)) {
      fired.next_due_at = next->at;
      fired.next_occurrence = next->number;
    }
  }
  draft.emit(std::move(fired));
  catch_event(draft, owner, node, {});
  return accepted();
}

MaybeRefusal decide_event(Draft& draft, const facts::EventOccurred& event) {
  const auto* subscription = draft.state().subscriptions.find(event.subscription_id);
  if (!subscription || subscription->state != facts::SubscriptionState::open) {
    return refuse(facts::RefusalCode::token_finalized_twice,
                  "Nobody waits for this event any more: it came already, or what waited for it "
                  "has ended.");
  }
  const auto variables = event.variables.value_or(Object{});
  if (auto refusal = check_variables(variables)) return refusal;
  if (subscription->kind == facts::SubscriptionKind::conditional) {
    return refuse(facts::RefusalCode::token_invalid_transition,
                  "This event waits for its condition: set the variables that it reads.");
  }
  occur(draft, event.subscription_id, variables.is_null() ? Object{} : *variables.as<Object>());
  return accepted();
}

} // namespace perdure::decide
