// Data of activities and events: variables of their own, which their inputs fill before the work
// and from which their outputs go outwards after it. The variables live in a scope of kind activity
// that the token owns; inside an iteration, in the scope of the iteration.
#pragma once

#include "decide/draft.h"
#include "decide/evaluate.h"
#include "perdure/value.h"

namespace perdure::decide {

/// Evaluates the inputs of the node into variables of its own. False when one is at fault: nothing
/// changed but that the token rests on an incident. Where the token comes in again they are
/// evaluated anew.
bool open_data(Draft& draft, const Visit& visit);

/// The node has variables of its own from now on: `variables`. The token stays ready.
void begin_data(Draft& draft, const Visit& visit, const Object& variables);

/// What the outputs of the node give, to be set in the scopes around it. Nothing when it has none
/// or they were set before.
[[nodiscard]] Outcome<Object> evaluate_outputs(const Draft& draft, const Visit& visit);

/// Sets variables of the node's own, which begin with them when there are none.
void set_own(Draft& draft, const Visit& visit, const Object& variables);

/// Sets variables in the scopes around the node. Inside an iteration they are seen as well where it
/// has others of their names.
void set_around(Draft& draft, const Visit& visit, const Object& variables);

/// The variables of the node's own are over.
void close_data(Draft& draft, const Visit& visit);

/// What the work of the node gave: its own variables where the model says so, else where the names
/// are known.
void take_result(Draft& draft, const Visit& visit, const Object& variables);

} // namespace perdure::decide
