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
  Template priority; ///< a whole number; empty text: 0
  std::vector<std::pair<std::string, std::string>>
      headers; ///< zeebe:taskHeaders, passed on as they are
};

/// When in a visit a listener has its turn, in this order. creating and assigning come before a
/// user task is there for people, completing when one of them has done it.
enum class ListenerPhase {
  before_all, ///< once, before a repeated activity begins its iterations
  start,      ///< after the inputs, before events are awaited and the work begins
  creating,
  assigning,
  completing,
  end, ///< after the outputs, before the token goes out
};
constexpr auto enum_names(ListenerPhase) {
  return std::array<std::string_view, 6>{"beforeAll", "start",      "creating",
                                         "assigning", "completing", "end"};
}

/// What a worker does when a token comes to an element or leaves it.
struct ListenerSpec {
  ListenerPhase phase = ListenerPhase::start;
  WorkerSpec worker;
};

/// Work that a person does.
struct UserTaskSpec {
  Template assignee;
  Template candidate_groups; ///< comma separated when plain
  Template candidate_users;
  Template due_date;
  Template follow_up_date;
  Template form_reference;
  Template priority; ///< a whole number; empty text: 50
};

/// A script task with an expression: its result goes to the variable.
struct ScriptSpec {
  expr::Expression expression;
  std::string result_variable; ///< empty: the result is dropped
};

/// Which version of what it calls an element means.
enum class BindingKind {
  latest,      ///< when it is reached
  deployment,  ///< the one that was deployed together with the process
  version,     ///< the one of that number
  version_tag, ///< the latest one that has that tag
};
constexpr auto enum_names(BindingKind) {
  return std::array<std::string_view, 4>{"latest", "deployment", "version", "versionTag"};
}

struct Binding {
  BindingKind kind = BindingKind::latest;
  Template version; ///< the number or the tag, for the last two kinds
};

/// What becomes of a decision's result. All but `whole` look at the rules that matched: a result is
/// the outputs of one rule, an entry one of its outputs.
enum class ResultMapping {
  whole,           ///< as the decision gives it
  single_entry,    ///< the only output of the only rule
  single_result,   ///< the outputs of the only rule, by their names
  collect_entries, ///< the only output of each rule
  result_list,     ///< the outputs of each rule, by their names
};
constexpr auto enum_names(ResultMapping) {
  return std::array<std::string_view, 5>{"whole", "singleEntry", "singleResult", "collectEntries",
                                         "resultList"};
}

/// A business rule task that calls a decision.
struct DecisionSpec {
  Template decision_id;
  Binding binding;
  ResultMapping mapping = ResultMapping::whole;
  std::string result_variable; ///< empty: the result is dropped
};

/// How the activities of an ad hoc sub-process begin and when it is over (BPMN 10.3.5).
struct AdHocSpec {
  bool sequential = false;                      ///< one after the other
  bool cancels_rest = true;                     ///< when the completion condition holds
  std::optional<expr::Expression> completion{}; ///< looked at when an activity has succeeded
  std::optional<expr::Expression> first{};      ///< gives the ids of those that begin with it
};

enum class TimerKind { duration, date, cycle };

/// When a timer event is due, from the moment it is reached.
struct TimerSpec {
  TimerKind kind = TimerKind::duration;
  Template when; ///< ISO 8601 duration or date-time, or a recurrence (expr/recurrence.h)
};

/// A value as a mapping builds it.
struct MappingSource {
  enum class Form { text, list, object };
  Form form = Form::text;
  Template text{};                                            ///< a value
  std::vector<std::pair<std::string, MappingSource>> parts{}; ///< items, or members by name
};

/// One input or output mapping: a value goes to a variable, or to a place inside one.
struct Mapping {
  MappingSource source;
  std::vector<std::string> target; ///< variable, then members
};

/// Variables of an activity's or event's own.
struct DataSpec {
  std::vector<std::string> locals{}; ///< that are null until somebody sets them
  std::vector<Mapping> inputs{};     ///< evaluated in order before the work
  std::vector<Mapping> outputs{};    ///< evaluated in order after it, to be set around the node
  bool keeps_result = false; ///< what the work gives is of the node's own, whatever its name
};

/// Which version of a process a call activity calls: the newest one; the one in the caller's own
/// file; the newest one with that tag; that very one.
enum class CallBinding { latest, deployment, version_tag, version };
constexpr auto enum_names(CallBinding) {
  return std::array<std::string_view, 4>{"latest", "deployment", "version_tag", "version"};
}

/// A variable of the called process, or of the caller.
struct CallMapping {
  Template source;
  std::string target;
};

/// What a call activity calls and what goes in and out.
struct CallSpec {
  Template process_id;
  CallBinding binding = CallBinding::latest;
  Template version;      ///< the tag or the number
  Template business_key; ///< of the called instance; empty: none
  bool all_in = true;    ///< every variable that the call activity sees
  bool all_out = true;   ///< every variable that the called process has at its end
  std::vector<CallMapping> inputs{};
  std::vector<CallMapping> outputs{}; ///< evaluated on the variables of the called process
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
  bool waits = true;              ///< a thrown compensation: until all is undone
};

/// standard: one run after another while a condition holds. The others are multi-instances.
enum class LoopKind { standard, sequential, parallel };

/// What a multi-instance throws when one of its iterations is completed (BPMN 10.3.8, behavior).
struct LoopEvent {
  bool once = false;                           ///< at the first one only
  std::optional<expr::Expression> condition{}; ///< holds: it is thrown
  EventSpec event{};
};

/// How an activity is repeated.
struct LoopSpec {
  LoopKind kind = LoopKind::parallel;
  // Of a multi-instance: either a list or a number.
  std::optional<expr::Expression> collection{};
  Template cardinality{};
  std::string element_variable{};  ///< where an iteration finds its item; empty: nowhere
  std::string output_collection{}; ///< where the outputs of all go; empty: nowhere
  std::optional<expr::Expression> output_element{};
  std::string output_variable{}; ///< that output_element reads: each iteration has its own
  std::optional<expr::Expression> completion{}; ///< holds after an iteration: all is done
  std::vector<LoopEvent> thrown{};
  std::int64_t first_counter = 1; ///< loopCounter of the first iteration
  // Of a standard loop.
  std::optional<expr::Expression> condition{}; ///< holds: once more
  bool test_before = false;
  std::optional<std::int64_t> maximum{};
};

} // namespace perdure::definition
