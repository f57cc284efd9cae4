// Complex gateways that join (BPMN 10.6.5, 13.4.5). A gathering is one cycle: it waits for its
// start until the activation condition holds, and then for its reset until a token has come by
// every flow that had none, or can come by it no more.
//
// Conditions see, beside the variables, `activationCount` (flows by which a token has come in this
// phase), `waitingForStart`, and each incoming flow by its id, 0 or 1. Flows that go out without a
// condition, and the default flow, are taken at the start only; others in each phase where their
// condition holds.
#pragma once

#include "decide/draft.h"

namespace perdure::decide {

/// A token has arrived: the gateway starts when its condition holds.
void try_activation(Draft& draft, Key join_id);

/// The open gathering of a complex gateway at which the token rests; kNoKey when there is none.
[[nodiscard]] Key complex_gathering_of(const facts::InstanceState& state, Key token_id);

/// Whether the gathering has started and waits for its reset.
[[nodiscard]] bool is_activated(const facts::InstanceState& state, Key join_id);

/// The gathering is over: the tokens that came late are used up. True when tokens were placed.
bool reset(Draft& draft, Key join_id);

/// No token is left in the scope: its gateways that have started are reset. True when that has
/// placed tokens.
bool reset_all(Draft& draft, Key scope_id);

} // namespace perdure::decide
