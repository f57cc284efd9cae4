// One overload of apply_fact per fact: what it does to the rows. Private to this room; apply()
// calls them.
#pragma once

#include "facts/fact.h"
#include "facts/instance_state.h"

namespace perdure::facts {

// apply.cpp: instance, scopes, variables, tokens
void apply_fact(InstanceState& state, Instant at, const InstanceStarted& fact);
void apply_fact(InstanceState& state, Instant at, const InstanceCompleted& fact);
void apply_fact(InstanceState& state, Instant at, const InstanceCancelled& fact);
void apply_fact(InstanceState& state, Instant at, const InstanceFailed& fact);
void apply_fact(InstanceState& state, Instant at, const InstancePaused& fact);
void apply_fact(InstanceState& state, Instant at, const InstanceResumed& fact);
void apply_fact(InstanceState& state, Instant at, const ScopeOpened& fact);
void apply_fact(InstanceState& state, Instant at, const ScopeClosed& fact);
void apply_fact(InstanceState& state, Instant at, const VariablesSet& fact);
void apply_fact(InstanceState& state, Instant at, const TokenPlaced& fact);
void apply_fact(InstanceState& state, Instant at, const TokenMoved& fact);
void apply_fact(InstanceState& state, Instant at, const TokenCompleted& fact);
void apply_fact(InstanceState& state, Instant at, const TokenTerminated& fact);

// apply_step.cpp: steps with their attempts, tasks and timers
void apply_fact(InstanceState& state, Instant at, const StepOpened& fact);
void apply_fact(InstanceState& state, Instant at, const AttemptStarted& fact);
void apply_fact(InstanceState& state, Instant at, const LockExtended& fact);
void apply_fact(InstanceState& state, Instant at, const AttemptSucceeded& fact);
void apply_fact(InstanceState& state, Instant at, const AttemptFailed& fact);
void apply_fact(InstanceState& state, Instant at, const AttemptInterrupted& fact);
void apply_fact(InstanceState& state, Instant at, const AttemptReleased& fact);
void apply_fact(InstanceState& state, Instant at, const StepRetried& fact);
void apply_fact(InstanceState& state, Instant at, const StepCompleted& fact);
void apply_fact(InstanceState& state, Instant at, const StepCancelled& fact);

// apply_event.cpp: timers, subscriptions, events, compensation
void apply_fact(InstanceState& state, Instant at, const TimerFired& fact);
void apply_fact(InstanceState& state, Instant at, const TimerScheduled& fact);
void apply_fact(InstanceState& state, Instant at, const TimerCancelled& fact);
void apply_fact(InstanceState& state, Instant at, const SubscriptionOpened& fact);
void apply_fact(InstanceState& state, Instant at, const SubscriptionTriggered& fact);
void apply_fact(InstanceState& state, Instant at, const SubscriptionCancelled& fact);
void apply_fact(InstanceState& state, Instant at, const ConditionChanged& fact);
void apply_fact(InstanceState& state, Instant at, const EventThrown& fact);
void apply_fact(InstanceState& state, Instant at, const EventSent& fact);
void apply_fact(InstanceState& state, Instant at, const CompensationRecorded& fact);
void apply_fact(InstanceState& state, Instant at, const CompensationStarted& fact);
void apply_fact(InstanceState& state, Instant at, const CompensationEnded& fact);

// apply_trouble.cpp: joins, incidents, dead letters
void apply_fact(InstanceState& state, Instant at, const JoinOpened& fact);
void apply_fact(InstanceState& state, Instant at, const JoinArrived& fact);
void apply_fact(InstanceState& state, Instant at, const JoinFired& fact);
void apply_fact(InstanceState& state, Instant at, const JoinCancelled& fact);
void apply_fact(InstanceState& state, Instant at, const IncidentOpened& fact);
void apply_fact(InstanceState& state, Instant at, const IncidentResolved& fact);
void apply_fact(InstanceState& state, Instant at, const DeadLetterOpened& fact);
void apply_fact(InstanceState& state, Instant at, const DeadLetterClosed& fact);

// apply_migration.cpp
void apply_fact(InstanceState& state, Instant at, const InstanceMigrated& fact);

// apply_decision.cpp
void apply_fact(InstanceState& state, Instant at, const DecisionEvaluated& fact);

// apply_flow.cpp
void apply_fact(InstanceState& state, Instant at, const FlowPlaced& fact);
void apply_fact(InstanceState& state, Instant at, const FlowInherited& fact);
void apply_fact(InstanceState& state, Instant at, const FlowAdmitted& fact);
void apply_fact(InstanceState& state, Instant at, const FlowCompletionQueued& fact);
void apply_fact(InstanceState& state, Instant at, const FlowBegun& fact);
void apply_fact(InstanceState& state, Instant at, const FlowHosted& fact);
void apply_fact(InstanceState& state, Instant at, const FlowStepOpened& fact);
void apply_fact(InstanceState& state, Instant at, const FlowStepEnded& fact);
void apply_fact(InstanceState& state, Instant at, const FlowStepHeard& fact);
void apply_fact(InstanceState& state, Instant at, const FlowAttemptFailed& fact);
void apply_fact(InstanceState& state, Instant at, const FlowAttemptDue& fact);
void apply_fact(InstanceState& state, Instant at, const FlowAttemptStarted& fact);
void apply_fact(InstanceState& state, Instant at, const FlowStepDropped& fact);
void apply_fact(InstanceState& state, Instant at, const FlowStepReleased& fact);
void apply_fact(InstanceState& state, Instant at, const FlowTimeRead& fact);
void apply_fact(InstanceState& state, Instant at, const FlowPatchTaken& fact);
void apply_fact(InstanceState& state, Instant at, const FlowAttributeSet& fact);
void apply_fact(InstanceState& state, Instant at, const FlowCancelRequested& fact);
void apply_fact(InstanceState& state, Instant at, const FlowCancelHeard& fact);
void apply_fact(InstanceState& state, Instant at, const FlowEnded& fact);

/// Ends the instance with its root scope; every token has ended.
void end_instance(InstanceState& state, Instant at, InstanceStatus status, ScopeState scope_state,
                  const std::optional<std::string>& reason);
/// The token moves on or ends: timers and subscriptions that belong to it are cancelled.
void disarm_token(InstanceState& state, Instant at, Key token_id);
/// The scope closes: timers and subscriptions that belong to it are cancelled.
void disarm_scope(InstanceState& state, Instant at, Key scope_id);

/// The token, which must be alive, in its next state and with its version raised.
Token& change_token(InstanceState& state, Key token_id, TokenState next);

} // namespace perdure::facts
