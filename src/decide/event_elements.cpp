// Events as a token meets them: start, end, catch, throw and boundary events, and the gateway that
// waits for one of several.
#include <utility>

#include "decide/arming.h"
#include "decide/elements.h"
#include "decide/evaluate.h"
#include "decide/incidents.h"
#include "decide/steps.h"
#include "decide/throwing.h"

namespace perdure::decide {

using definition::EventKind;

namespace {

/// Its timer is a part of its step.
void sleep(Draft& draft, const Visit& visit, const definition::TimerSpec& timer) {
  auto due = evaluate_timer(draft, visit, timer);
  if (!due) return open_incident(draft, visit, std::move(due.error()));
  auto step = new_step(draft, visit, facts::StepType::sleep);
  step.timer = facts::TimerPart{.timer_id = draft.take_key(), .due_at = due->at};
  draft.emit(std::move(step));
}

} // namespace

void enter_start_event(Draft& draft, const Visit& visit) { leave(draft, visit); }

void enter_boundary_event(Draft& draft, const Visit& visit) { leave(draft, visit); }

void enter_end_event(Draft& draft, const Visit& visit) {
  if (throw_events(draft, visit)) leave(draft, visit);
}

void enter_throw_event(Draft& draft, const Visit& visit) {
  if (throw_events(draft, visit)) leave(draft, visit);
}

void enter_catch_event(Draft& draft, const Visit& visit) {
  if (visit.node.events.size() > 1) return await_event(draft, visit, facts::StepType::wait);
  const auto& event = *visit.node.event();
  if (event.kind == EventKind::link) return leave(draft, visit);
  if (event.kind == EventKind::timer) return sleep(draft, visit, *event.timer);
  await_event(draft, visit, facts::StepType::wait);
}

void enter_event_based_gateway(Draft& draft, const Visit& visit) {
  // Each event of a parallel one is awaited by a token of its own.
  if (visit.node.all_events) return leave(draft, visit);
  arm_choices(draft, visit);
}

} // namespace perdure::decide
