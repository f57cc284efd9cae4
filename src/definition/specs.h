// What the nodes of a definition say about their work and their events, as the readers found it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "expr/expression.h"

namespace perdure::definition {

using NodeIndex = std::int32_t;
using FlowIndex = std::int32_t;
using ScopeIndex = std::int32_t;
inline constexpr std::int32_t kNone = -1;
inline constexpr ScopeIndex kRootScope = 0;

/// A text that may be an expression: `=amount * 2`, `${amount}` or plain `payment`.
struct Template {
  std::string text;                             ///< as written
  std::optional<expr::Expression> expression{}; ///< absent: the text stands for itself
};

/// Work that a worker does: service task and its kin.
struct WorkerSpec {
  Template type;    ///< zeebe:taskDefinition type, camunda:topic, perdure:type
  Template retries; ///< number of attempts in all; empty text: the engine's default (3)
  std::vector<Duration>
      retry_backoff; ///< waits before the 2nd, 3rd ... attempt, the last repeats;
                     ///< empty: the engine's default (camunda:failedJobRetryTimeCycle)
  std::optional<std::int64_t> priority;
  std::vector<std::pair<std::string, std::string>>
      headers; ///< zeebe:taskHeaders, passed on as they are
};

/// Work that a person does.
struct UserTaskSpec {
  Template assignee;
  Template candidate_groups; ///< comma separated when plain
  Template candidate_users;
  Template due_date;
  Template follow_up_date;
  Template form_reference;
  std::optional<std::int64_t> priority;
};

/// A script task with an expression: its result goes to the variable.
struct ScriptSpec {
  expr::Expression expression;
  std::string result_variable; ///< empty: the result is dropped
};

enum class TimerKind { duration, date, cycle };

/// When a timer event is due, from the moment it is reached.
struct TimerSpec {
  TimerKind kind = TimerKind::duration;
  Template when; ///< ISO 8601 duration or date-time, or a recurrence (base/recurrence.h)
};

/// One input or output mapping: source expression into the variable `target`.
struct Mapping {
  Template source;
  std::string target;
};

/// Which version of a process a call activity calls: the newest one; the one in the caller's own
/// file; the newest one with that tag; that very one.
enum class CallBinding { latest, deployment, version_tag, version };
constexpr auto enum_names(CallBinding) {
  return std::array<std::string_view, 4>{"latest", "deployment", "version_tag", "version"};
}

/// What a call activity calls and what goes in and out.
struct CallSpec {
  Template process_id;
  CallBinding binding = CallBinding::latest;
  Template version;      ///< the tag or the number
  Template business_key; ///< of the called instance; empty: none
  bool all_in = true;    ///< every variable that the call activity sees
  bool all_out = true;   ///< every variable that the called process has at its end
  std::vector<Mapping> inputs{};
  std::vector<Mapping> outputs{}; ///< evaluated on the variables of the called process
};

/// What an event throws or catches (BPMN 10.5).
enum class EventKind {
  message,
  timer,
  signal,
  error,
  escalation,
  conditional,
  compensation,
  link,
  cancel,
  terminate,
};
constexpr auto enum_names(EventKind) {
  return std::array<std::string_view, 10>{"message",    "timer",       "signal",       "error",
                                          "escalation", "conditional", "compensation", "link",
                                          "cancel",     "terminate"};
}

/// One event definition of an event, or the message of a send or receive task.
struct EventSpec {
  EventKind kind = EventKind::message;
  Template name{};            ///< of message, signal or link; code of error or escalation, where a
                              ///< catch event without one takes any
  Template correlation_key{}; ///< of a message; empty: it is told by its name alone
  std::optional<TimerSpec> timer{};
  std::optional<expr::Expression> condition{};
  std::string code_variable{};    ///< where a caught code goes; empty: nowhere
  std::string message_variable{}; ///< likewise the message of an error
  std::string activity_id{};      ///< of a thrown compensation: the one activity to undo
  NodeIndex activity = kNone;     ///< the same, or the link event that a link leads to
};

} // namespace perdure::definition
