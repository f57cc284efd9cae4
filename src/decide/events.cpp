// Start, end, terminate and timer events.
#include "decide/events.h"

#include <utility>

#include "decide/elements.h"
#include "decide/evaluate.h"
#include "decide/incidents.h"
#include "decide/leaving.h"
#include "decide/scopes.h"
#include "decide/steps.h"

namespace perdure::decide {

void enter_start_event(Draft& draft, const Visit& visit) { leave(draft, visit); }

void enter_end_event(Draft& draft, const Visit& visit) { end_token(draft, visit); }

void enter_terminate_end(Draft& draft, const Visit& visit) {
  terminate_inside(draft, visit.scope_id, visit.token_id);
  end_token(draft, visit);
}

void enter_timer_catch(Draft& draft, const Visit& visit) {
  auto due_at = evaluate_timer(draft, visit, *visit.node.timer);
  if (!due_at) return open_incident(draft, visit, std::move(due_at.error()));
  auto step = new_step(draft, visit, facts::StepType::sleep);
  step.timer = facts::TimerPart{.timer_id = draft.take_key(), .due_at = *due_at};
  draft.emit(std::move(step));
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
  const auto token_id = timer->token_id;
  const auto step_id = timer->step_id;
  draft.emit(facts::TimerFired{.timer_id = event.timer_id,
                               .lateness_ms = (draft.at() - timer->due_at).count()});
  if (step_id) draft.emit(facts::StepCompleted{.step_id = *step_id, .output = {}});
  leave(draft, draft.visit_of(token_id));
  return accepted();
}

} // namespace perdure::decide
