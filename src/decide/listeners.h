// Listeners: what workers do when a token comes to an element or leaves it. Each is a step of its
// own, one after the other, and the token rests on it; how far it is stands in Token::listener. So
// nothing runs twice, whatever incident lies between. The listeners of a node are in the order of
// their phases (definition::ListenerPhase): what comes later in a visit comes later in the list.
#pragma once

#include <string_view>

#include "decide/draft.h"
#include "definition/specs.h"
#include "perdure/value.h"

namespace perdure::decide {

/// Whether the token has begun a listener of its node, so that inputs were evaluated.
[[nodiscard]] bool has_listened(const facts::InstanceState& state, Key token_id);

/// Runs what the token has left of that phase. True: nothing; else it rests on a step, or on an
/// incident.
bool listen(Draft& draft, const Visit& visit, definition::ListenerPhase phase);

/// All phases between the inputs of the node and its work; likewise.
bool listen_before_work(Draft& draft, const Visit& visit);

/// All between the work and the way out; likewise. Before the first listener at the end the outputs
/// of the node are set.
bool listen_after_work(Draft& draft, const Visit& visit);

/// Whether listen_after_work() has set the outputs.
[[nodiscard]] bool has_set_outputs(const Draft& draft, const Visit& visit);

/// What the token came for has happened already: a gathering has fired, an event of an event-based
/// gateway has come. Its node listens and is left.
void pass(Draft& draft, const Visit& visit);

/// The listener on whose step the token rests is done: its variables are set, and the token goes
/// on.
void finish_listener(Draft& draft, Key token_id, const Object& variables);

/// After an incident on the way out.
void leave_again(Draft& draft, const Visit& visit);

} // namespace perdure::decide
