// Repeated activities (BPMN 10.3.8): standard loops and multi-instances of any activity. The token
// that came rests at the activity and owns a scope around all runs; each run has an iteration scope
// in there with a token of its own, for which the activity is a plain one.
#pragma once

#include "decide/draft.h"

namespace perdure::decide {

/// Whether the token is the one inside an iteration of its node.
[[nodiscard]] bool is_in_iteration(const facts::InstanceState& state, const Visit& visit);

/// The token has come to a repeated activity, or stands ready to open one more iteration. What it
/// goes through is evaluated once. With nothing to run it leaves at once.
void enter_loop(Draft& draft, const Visit& visit);

/// The work of one iteration is done, and `outputs` is what it gives to the scopes around: its part
/// of the collection is kept, then the next one begins, or all are over. An expression at fault
/// leaves the token of the iteration on an incident.
void leave_iteration(Draft& draft, const Visit& visit, const Object& outputs);

/// Whether the token has iterations to open that nobody else will open.
[[nodiscard]] bool has_more_to_open(const Draft& draft, Key token_id);

/// An operator has emptied the iteration: the others go on. False, and nothing changed, when it was
/// the last and none was completed: the whole activity ends then.
bool abandon_iteration(Draft& draft, Key scope_id);

/// A multi-instance has at most so many iterations.
inline constexpr std::int64_t kMaxIterations = 1'000'000;

} // namespace perdure::decide
