// What facts about flows do: the run, its steps with their attempts, timers and subscriptions.
#include <tuple>
#include <utility>
#include <vector>

#include "base/check.h"
#include "facts/appliers.h"

namespace perdure::facts {

namespace {

const FlowRun& run_of(const InstanceState& state) {
  const auto* run = state.flow_runs.find(state.instance.id);
  PERDURE_CHECK(run != nullptr);
  return *run;
}

bool has_running_callback(const InstanceState& state) {
  for (const auto& slot : state.attempts.slots()) {
    if (slot.row.state == AttemptState::started && slot.row.worker_id) return true;
  }
  return false;
}

bool is_parked(const InstanceState& state, Key token_id) {
  for (const auto& incident : state.incidents.of(Link::token, token_id)) {
    if (incident.state == IncidentState::open) return true;
  }
  return false;
}

/// executing: a process is at it. ready: its code is to be told something. Else it waits, also on
/// an incident.
void settle_token(InstanceState& state) {
  const auto& run = run_of(state);
  const auto* token = state.tokens.find(run.token_id);
  PERDURE_CHECK(token != nullptr);
  const bool parked = is_parked(state, run.token_id);
  const bool begun = state.instance.status != InstanceStatus::pending;
  const auto next = run.unheard > 0 && !parked && begun ? TokenState::ready
                    : has_running_callback(state)       ? TokenState::executing
                                                        : TokenState::waiting;
  if (token->state != next) change_token(state, run.token_id, next);
}

void count_unheard(InstanceState& state, std::int64_t more) {
  auto& run = state.flow_runs.update(state.instance.id);
  run.unheard += more;
  PERDURE_CHECK(run.unheard >= 0);
}

StepRecord& change_step(InstanceState& state, Instant at, Key step_id) {
  auto& step = state.steps.update(step_id);
  PERDURE_CHECK(!step.completed_at.has_value());
  step.updated_at = at;
  return step;
}

void start_attempt(InstanceState& state, Instant at, Key step_id, std::int64_t number,
                   const std::optional<std::string>& worker_id) {
  state.attempts.insert({.instance_id = state.instance.id,
                         .step_id = step_id,
                         .number = number,
                         .state = AttemptState::started,
                         .worker_id = worker_id,
                         .result_type = OutputType::none,
                         .result = {},
                         .error_name = {},
                         .error_message = {},
                         .started_at = at,
                         .ended_at = {},
                         .next_attempt_at = {}});
}

/// The attempt that is under way, if one is.
StepAttempt* end_attempt(InstanceState& state, Instant at, const StepRecord& step,
                         AttemptState end) {
  const auto key = std::tuple(step.id, step.attempt_count);
  const auto* running = state.attempts.find(key);
  if (running == nullptr || running->state != AttemptState::started) return nullptr;
  auto& attempt = state.attempts.update(key);
  attempt.state = end;
  attempt.ended_at = at;
  return &attempt;
}

void schedule(InstanceState& state, Instant at, const StepRecord& step, const TimerPart& part) {
  state.timers.insert({.id = part.timer_id,
                       .instance_id = state.instance.id,
                       .token_id = run_of(state).token_id,
                       .step_id = step.id,
                       .node_id = step.node_id,
                       .status = TimerStatus::scheduled,
                       .due_at = part.due_at,
                       .occurrence = 1,
                       .cycle = {},
                       .created_at = at,
                       .ended_at = {},
                       .scope_id = {},
                       .position = 0});
}

void subscribe(InstanceState& state, Instant at, const StepRecord& step,
               const FlowSubscriptionPart& part) {
  state.subscriptions.insert({.id = part.subscription_id,
                              .instance_id = state.instance.id,
                              .tenant_id = state.instance.tenant_id,
                              .token_id = run_of(state).token_id,
                              .scope_id = {},
                              .step_id = step.id,
                              .node_id = step.node_id,
                              .position = 0,
                              .kind = SubscriptionKind::message,
                              .name = part.name,
                              .correlation_key = part.correlation_key,
                              .state = SubscriptionState::open,
                              .trigger_count = 0,
                              .condition_holds = {},
                              .opened_at = at,
                              .closed_at = {}});
}

/// Closes what the step waited for; one of them ended the wait, if any.
void disarm_step(InstanceState& state, Instant at, Key step_id, bool timer_fired, bool triggered) {
  for (const auto& row : state.timers.of(Link::step, step_id)) {
    if (row.status != TimerStatus::scheduled) continue;
    auto& timer = state.timers.update(row.id);
    timer.status = timer_fired && timer.due_at <= at ? TimerStatus::fired : TimerStatus::cancelled;
    timer.ended_at = at;
  }
  for (const auto& row : state.subscriptions.of(Link::step, step_id)) {
    if (row.state != SubscriptionState::open) continue;
    auto& subscription = state.subscriptions.update(row.id);
    subscription.state = triggered ? SubscriptionState::triggered : SubscriptionState::cancelled;
    if (triggered) ++subscription.trigger_count;
    subscription.closed_at = at;
  }
}

/// The pause before its next attempt is over, and its code was not told yet.
bool is_due(const InstanceState& state, const StepRecord& step) {
  if (step.status != StepStatus::pending) return false;
  for (const auto& timer : state.timers.of(Link::step, step.id)) {
    if (timer.status == TimerStatus::scheduled) return false;
  }
  return true;
}

void close_step(InstanceState& state, Instant at, StepRecord& step, StepStatus status) {
  step.status = status;
  step.completed_at = at;
  state.flow_steps.erase(step.slug);
}

void fail_step(InstanceState& state, Instant at, StepRecord& step, const FlowStepEnded& fact) {
  // The code reports what its callbacks threw: an end that it was not told of was a cut.
  const bool cut = !fact.heard && step.type == StepType::run;
  auto* attempt =
      end_attempt(state, at, step, cut ? AttemptState::interrupted : AttemptState::failed);
  if (attempt != nullptr && !cut) {
    attempt->error_name = fact.error_name;
    attempt->error_message = fact.error_message;
  }
  close_step(state, at, step, StepStatus::failed);
  step.error_name = fact.error_name;
  step.error_message = fact.error_message.value_or("");
}

void succeed_step(InstanceState& state, Instant at, StepRecord& step, const FlowStepEnded& fact) {
  const auto type = fact.output ? OutputType::json : OutputType::none;
  if (auto* attempt = end_attempt(state, at, step, AttemptState::succeeded)) {
    attempt->result_type = type;
    attempt->result = fact.output;
  }
  close_step(state, at, step, StepStatus::completed);
  step.output_type = type;
  step.output = fact.output;
}

} // namespace

void apply_fact(InstanceState& state, Instant at, const FlowPlaced& fact) {
  PERDURE_CHECK(state.flow_runs.empty());
  state.tokens.insert({.instance_id = state.instance.id,
                       .id = fact.token_id,
                       .scope_id = fact.scope_id,
                       .parent_id = {},
                       .node_id = state.instance.process_id,
                       .flow_id = {},
                       .state = fact.queued ? TokenState::waiting : TokenState::ready,
                       .mode = TokenMode::forward,
                       .attempt = 0,
                       .version = 1,
                       .placed_at = at,
                       .ended_at = {}});
  if (fact.queued) {
    state.instance.status = InstanceStatus::pending;
    state.instance.started_at.reset();
  } else {
    state.ready.insert(fact.token_id);
  }
  state.flow_runs.insert({.instance_id = state.instance.id,
                          .token_id = fact.token_id,
                          .host = {},
                          .unheard = 1,
                          .cancel_reason = {},
                          .priority = fact.priority,
                          .limit_key = fact.limit_key,
                          .admitted_at = {},
                          .previous_instance_id = fact.previous_instance_id});
}

void apply_fact(InstanceState& state, Instant at, const FlowAdmitted&) {
  PERDURE_CHECK(state.instance.status == InstanceStatus::pending);
  state.instance.status = InstanceStatus::running;
  state.instance.started_at = at;
  state.flow_runs.update(state.instance.id).admitted_at = at;
  settle_token(state);
}

void apply_fact(InstanceState& state, Instant at, const FlowCompletionQueued&) {
  PERDURE_CHECK(is_terminal(state.instance.status));
  state.completions.insert({.instance_id = state.instance.id,
                            .process_id = state.instance.process_id,
                            .status = state.instance.status,
                            .finished_at = at,
                            .state = CompletionState::pending,
                            .attempts = 0,
                            .next_attempt_at = at,
                            .last_error = {},
                            .delivered_at = {}});
}

void apply_fact(InstanceState& state, Instant, const FlowBegun& fact) {
  state.flow_runs.update(state.instance.id).host = fact.worker_id;
  count_unheard(state, -1);
  settle_token(state);
}

void apply_fact(InstanceState& state, Instant, const FlowHosted& fact) {
  state.flow_runs.update(state.instance.id).host = fact.worker_id;
}

void apply_fact(InstanceState& state, Instant at, const FlowStepOpened& fact) {
  PERDURE_CHECK(fact.max_attempts >= 1 && !state.flow_steps.contains(fact.name));
  const bool runs = fact.type == StepType::run;
  const bool later = runs && !fact.nested && !fact.worker_id;
  PERDURE_CHECK(runs || !fact.worker_id);
  StepRecord step;
  step.instance_id = state.instance.id;
  step.id = fact.step_id;
  step.slug = fact.name;
  step.node_id = fact.name;
  step.name = fact.name;
  step.type = fact.type;
  step.status = later ? StepStatus::pending : runs ? StepStatus::running : StepStatus::waiting;
  step.ordinal = ++state.instance.step_count;
  step.parent_step_id = fact.parent_step_id;
  step.token_id = run_of(state).token_id;
  step.attempt_count = later ? 0 : 1;
  step.max_attempts = fact.max_attempts;
  step.called_instance_id = fact.called_instance_id;
  step.created_at = at;
  if (!later) step.started_at = at;
  step.updated_at = at;
  if (later) count_unheard(state, 1);
  if (runs && !later) start_attempt(state, at, fact.step_id, 1, fact.worker_id);
  if (fact.timer) schedule(state, at, step, *fact.timer);
  if (fact.subscription) subscribe(state, at, step, *fact.subscription);
  state.flow_steps.emplace(fact.name, fact.step_id);
  state.steps.insert(std::move(step));
  settle_token(state);
}

void apply_fact(InstanceState& state, Instant at, const FlowStepEnded& fact) {
  auto& step = change_step(state, at, fact.step_id);
  const bool waits = step.type == StepType::sleep || step.type == StepType::wait;
  if (is_due(state, step)) count_unheard(state, -1);
  switch (fact.ending) {
    case FlowEnding::succeeded: succeed_step(state, at, step, fact); break;
    case FlowEnding::failed:
    case FlowEnding::timed_out: fail_step(state, at, step, fact); break;
    case FlowEnding::cancelled:
      end_attempt(state, at, step, AttemptState::interrupted);
      close_step(state, at, step, StepStatus::cancelled);
      break;
  }
  const bool by_timer =
      fact.ending == FlowEnding::timed_out || (waits && step.type == StepType::sleep);
  disarm_step(state, at, fact.step_id, by_timer && fact.ending != FlowEnding::cancelled,
              fact.ending == FlowEnding::succeeded);
  if (!fact.heard) count_unheard(state, 1);
  settle_token(state);
}

void apply_fact(InstanceState& state, Instant, const FlowStepHeard&) {
  count_unheard(state, -1);
  settle_token(state);
}

void apply_fact(InstanceState& state, Instant at, const FlowAttemptFailed& fact) {
  auto& step = change_step(state, at, fact.step_id);
  PERDURE_CHECK(step.attempt_count == fact.number && fact.number < step.max_attempts);
  auto* attempt = end_attempt(state, at, step,
                              fact.interrupted ? AttemptState::interrupted : AttemptState::failed);
  PERDURE_CHECK(attempt != nullptr);
  if (!fact.interrupted) {
    attempt->error_name = fact.error_name;
    attempt->error_message = fact.error_message;
    attempt->next_attempt_at = fact.timer.due_at;
  }
  step.status = StepStatus::pending;
  schedule(state, at, step, fact.timer);
  settle_token(state);
}

void apply_fact(InstanceState& state, Instant at, const FlowAttemptDue& fact) {
  auto& timer = state.timers.update(fact.timer_id);
  PERDURE_CHECK(timer.status == TimerStatus::scheduled && timer.step_id == fact.step_id);
  timer.status = TimerStatus::fired;
  timer.ended_at = at;
  count_unheard(state, 1);
  settle_token(state);
}

void apply_fact(InstanceState& state, Instant at, const FlowAttemptStarted& fact) {
  auto& step = change_step(state, at, fact.step_id);
  PERDURE_CHECK(step.status == StepStatus::pending && fact.number == step.attempt_count + 1);
  step.status = StepStatus::running;
  step.attempt_count = fact.number;
  if (!step.started_at) step.started_at = at;
  start_attempt(state, at, fact.step_id, fact.number, fact.worker_id);
  count_unheard(state, -1);
  settle_token(state);
}

void apply_fact(InstanceState& state, Instant at, const FlowStepDropped& fact) {
  if (fact.step_id) {
    auto& step = change_step(state, at, *fact.step_id);
    if (is_due(state, step)) count_unheard(state, -1);
    end_attempt(state, at, step, AttemptState::interrupted);
    close_step(state, at, step, StepStatus::cancelled);
    disarm_step(state, at, *fact.step_id, false, false);
  } else {
    count_unheard(state, -1);
  }
  if (fact.busy) count_unheard(state, 1); // that the callback has ended
  settle_token(state);
}

void apply_fact(InstanceState& state, Instant, const FlowStepReleased&) {
  count_unheard(state, -1);
  settle_token(state);
}

void apply_fact(InstanceState& state, Instant at, const FlowAttributeSet& fact) {
  (void)at;
  state.scopes.update(fact.scope_id).variables.as<Object>()->set(fact.name, fact.value);
}

void apply_fact(InstanceState& state, Instant, const FlowCancelRequested& fact) {
  state.flow_runs.update(state.instance.id).cancel_reason = fact.reason;
  count_unheard(state, 1);
  settle_token(state);
}

void apply_fact(InstanceState& state, Instant, const FlowCancelHeard&) {
  count_unheard(state, -1);
  settle_token(state);
}

void apply_fact(InstanceState& state, Instant at, const FlowEnded& fact) {
  const auto token_id = run_of(state).token_id;
  PERDURE_CHECK(state.flow_steps.empty());
  if (fact.output) {
    for (const auto& scope : state.scopes.slots()) {
      if (scope.row.kind != ScopeKind::process) continue;
      state.scopes.update(scope.row.id).variables.as<Object>()->set("output", *fact.output);
    }
  }
  if (run_of(state).unheard > 0) state.flow_runs.update(state.instance.id).unheard = 0;
  const bool good = fact.status == InstanceStatus::completed;
  auto& token =
      change_token(state, token_id, good ? TokenState::completed : TokenState::terminated);
  token.ended_at = at;
  end_instance(state, at, fact.status, good ? ScopeState::completed : ScopeState::terminated,
               fact.reason);
}

// What the code did that changes no row, and what is kept until it begins.
void apply_fact(InstanceState&, Instant, const FlowInherited&) {}
void apply_fact(InstanceState&, Instant, const FlowTimeRead&) {}
void apply_fact(InstanceState&, Instant, const FlowPatchTaken&) {}

} // namespace perdure::facts
