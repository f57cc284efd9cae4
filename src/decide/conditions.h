// Conditional events (BPMN 10.5.5): a condition that is awaited is looked at when it is opened and
// whenever a variable that it reads changes.
//
// The rule of edges: the event occurs when its condition becomes true. Before it is opened it
// counts as false, so one that holds already occurs at once; one that interrupts nothing occurs
// again only after its condition has been false (the wording of table 10.84 for start events, taken
// for all). Whatever is not true (false, null, a value of another type, a failed evaluation) does
// not hold.
#pragma once

#include "decide/draft.h"

namespace perdure::decide {

/// Looks at what is to be looked at; events occur. False when the decision has no room for more:
/// ready tokens are left then, and the next decision looks at every condition.
bool review_conditions(Draft& draft);

/// Whether a condition gives another value than when it was looked at last: variables were set
/// while the instance was paused.
[[nodiscard]] bool has_stale_condition(const Draft& draft);

} // namespace perdure::decide
