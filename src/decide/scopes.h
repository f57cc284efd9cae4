// Scopes: opening, completing and terminating what is inside a process or sub-process; variables.
#pragma once

#include "decide/draft.h"
#include "perdure/value.h"

namespace perdure::decide {

/// A token ready at every start of that scope of the model; its event sub-processes are armed.
void place_starts(Draft& draft, Key scope_id, definition::ScopeIndex scope);
/// The same with one token at `start`.
void place_start(Draft& draft, Key scope_id, definition::ScopeIndex scope,
                 definition::NodeIndex start);

/// Opens the scope of a sub-process, whose token rests on it from now on; nothing begins in it.
Key open_scope(Draft& draft, const Visit& visit);

/// Ends the scope when no live token is left in it: the instance completes, or the token on the
/// sub-process leaves it.
void complete_scope_if_empty(Draft& draft, Key scope_id);

/// Removes every live token of the scope and of the scopes inside it, but for `spared`, together
/// with their steps, incidents, gatherings and inner scopes. The scope itself stays open.
void terminate_inside(Draft& draft, Key scope_id, Key spared = kNoKey);

/// Ends the token with everything that its activity has inside. The scope around it stays open,
/// even when nothing is left in it.
void terminate_token(Draft& draft, Key token_id);

/// What is given to a scope that opens, and beside it what its data objects begin with.
[[nodiscard]] Object with_initial(const Draft& draft, definition::ScopeIndex scope, Object given);

/// Sets each member of `variables` in the nearest scope outwards that has it, else in the root
/// scope.
void set_variables(Draft& draft, Key scope_id, const Object& variables);

/// The scope of the process itself.
[[nodiscard]] const facts::Scope& root_scope(const facts::InstanceState& state);

/// The open scope whose owner is that token, with tokens of its own; kNoKey when there is none.
[[nodiscard]] Key scope_opened_by(const facts::InstanceState& state, Key token_id);

} // namespace perdure::decide
