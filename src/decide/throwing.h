// Throwing: errors and escalations look for the nearest event that catches them (BPMN 10.5.7,
// 13.5.3); messages and signals set out for other instances.
#pragma once

#include <string>

#include "decide/draft.h"
#include "definition/specs.h"
#include "perdure/value.h"

namespace perdure::decide {

struct Thrown {
  definition::EventKind kind = definition::EventKind::error;
  std::string code; ///< may be empty
  std::string message;
  Object variables; ///< for the event that catches it
};

/// Thrown by the token where it stands. It may end with it. An error that nothing catches leaves
/// the token on an incident, or goes to the instance that called this one; an escalation that
/// nothing catches goes on.
void raise(Draft& draft, const Visit& visit, const Thrown& thrown);

/// What the event of a throwing node throws. False when the token ended, or rests on an incident or
/// a worker's task: nothing is left to do for the caller.
bool throw_events(Draft& draft, const Visit& visit);

/// The same for one event, thrown by the token of an activity.
bool throw_event(Draft& draft, const Visit& visit, const definition::EventSpec& event);

} // namespace perdure::decide
