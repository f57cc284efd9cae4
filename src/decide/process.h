// The process as a token meets it. Only one with listeners has a node of its own, where a token
// stands before the first element and after the last; without them the instance begins and ends at
// once.
#pragma once

#include "decide/draft.h"

namespace perdure::decide {

/// The instance has its root scope: it begins with `start`, or with every start without a trigger
/// when that is kNone.
void begin_process(Draft& draft, definition::NodeIndex start);

/// No live token is left in the root scope: the instance is completed, after its listeners.
void end_process(Draft& draft);

} // namespace perdure::decide
