// Catching: an event has come for a token or a scope. One way for all of them, whatever told it: a
// due timer, a message or signal, an error that was thrown inside.
#pragma once

#include "decide/arming.h"
#include "decide/draft.h"
#include "perdure/value.h"

namespace perdure::decide {

/// One of several events that must all come only brings its variables until the others are there;
/// one that interrupts nothing then waits for all of them anew.
/// Else the token or scope goes on as the event says: a waiting token leaves its event or gateway;
/// a boundary event takes over from its activity or begins beside it; an event sub-process begins.
void catch_event(Draft& draft, const Owner& owner, const definition::Node& event,
                 const Object& variables);

/// An event that no start event catches has begun the process (BPMN 10.3.3, 10.6.6): one behind an
/// event-based gateway, where a parallel gateway goes on to wait for the others, or a message for a
/// receive task.
void begin_by_event(Draft& draft, Key scope_id, const definition::Node& event);

/// What the open subscription waits for has come, with variables.
void occur(Draft& draft, Key subscription_id, const Object& variables);

/// Whether the event can come again for the same owner: it interrupts nothing. What gathers several
/// events awaits them anew instead, once all have come.
[[nodiscard]] bool can_repeat(const definition::Node& event);

} // namespace perdure::decide
