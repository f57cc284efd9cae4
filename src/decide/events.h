// What arrives for an instance, one overload per event. Each checks whether the state allows it
// before it emits its first fact, so that a refusal changes nothing.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "decide/draft.h"
#include "facts/event.h"
#include "facts/refusal.h"

namespace perdure::decide {

using MaybeRefusal = std::optional<facts::Refusal>;

[[nodiscard]] inline MaybeRefusal accepted() { return std::nullopt; }
[[nodiscard]] inline MaybeRefusal refuse(facts::RefusalCode code, std::string message) {
  return facts::Refusal{code, std::move(message)};
}

// instance.cpp
[[nodiscard]] MaybeRefusal decide_event(Draft& draft, const facts::StartRequested& event);
[[nodiscard]] MaybeRefusal decide_event(Draft& draft, const facts::Proceed& event);

// tasks.cpp
[[nodiscard]] MaybeRefusal decide_event(Draft& draft, const facts::TaskLocked& event);
[[nodiscard]] MaybeRefusal decide_event(Draft& draft, const facts::TaskLockExtended& event);
[[nodiscard]] MaybeRefusal decide_event(Draft& draft, const facts::TaskCompleted& event);
[[nodiscard]] MaybeRefusal decide_event(Draft& draft, const facts::TaskFailed& event);
[[nodiscard]] MaybeRefusal decide_event(Draft& draft, const facts::TaskErrorThrown& event);
[[nodiscard]] MaybeRefusal decide_event(Draft& draft, const facts::TaskEscalationThrown& event);
[[nodiscard]] MaybeRefusal decide_event(Draft& draft, const facts::TaskLockExpired& event);
[[nodiscard]] MaybeRefusal decide_event(Draft& draft, const facts::TaskReleased& event);
[[nodiscard]] MaybeRefusal decide_event(Draft& draft, const facts::UserTaskCompleted& event);

// catching.cpp
[[nodiscard]] MaybeRefusal decide_event(Draft& draft, const facts::TimerDue& event);
[[nodiscard]] MaybeRefusal decide_event(Draft& draft, const facts::EventOccurred& event);

// throwing.cpp
[[nodiscard]] MaybeRefusal decide_event(Draft& draft, const facts::SignalOccurred& event);

// calls.cpp
[[nodiscard]] MaybeRefusal decide_event(Draft& draft, const facts::CancelRequested& event);
[[nodiscard]] MaybeRefusal decide_event(Draft& draft, const facts::CallEnded& event);
[[nodiscard]] MaybeRefusal decide_event(Draft& draft, const facts::CallEscalated& event);

// operations.cpp
[[nodiscard]] MaybeRefusal decide_event(Draft& draft, const facts::PauseRequested& event);
[[nodiscard]] MaybeRefusal decide_event(Draft& draft, const facts::ResumeRequested& event);
[[nodiscard]] MaybeRefusal decide_event(Draft& draft, const facts::VariablesRequested& event);

// modify.cpp
[[nodiscard]] MaybeRefusal decide_event(Draft& draft, const facts::ModifyRequested& event);

// ad_hoc.cpp
[[nodiscard]] MaybeRefusal decide_event(Draft& draft, const facts::ActivitiesChosen& event);

// incidents.cpp
[[nodiscard]] MaybeRefusal decide_event(Draft& draft, const facts::RetryRequested& event);
[[nodiscard]] MaybeRefusal decide_event(Draft& draft, const facts::SetAside& event);

/// Why the elements cannot get a token each in an instance that has just begun; looks at the model
/// alone.
[[nodiscard]] MaybeRefusal check_start_before(const Draft& draft,
                                              const std::vector<std::string>& elements);
/// A token ready before each of them, in scopes that open where they are missing.
void start_before(Draft& draft, const std::vector<std::string>& elements);

/// Why variables that came in cannot be taken: they must be an object within the limits, or null
/// for none.
[[nodiscard]] MaybeRefusal check_variables(const Value& variables);

} // namespace perdure::decide
