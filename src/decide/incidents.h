// Incidents: a token that cannot go on rests on one; an operator lets it try again.
#pragma once

#include <string_view>
#include <vector>

#include "decide/draft.h"
#include "decide/evaluate.h"

namespace perdure::decide {

/// Who resolved an incident when nobody did by hand.
inline constexpr std::string_view kEngine = "engine";

/// The token rests on a new incident.
void open_incident(Draft& draft, const Visit& visit, Trouble trouble);

/// The token goes on: its open incidents are resolved by the engine.
void resolve_incidents_of(Draft& draft, Key token_id);

/// The tokens will be removed: their incidents are resolved and their dead letters
/// discarded.
void abandon_incidents_of(Draft& draft, const std::vector<Key>& tokens);

/// The open dead letter of the task, if there is one, goes back to work.
void requeue_dead_letter(Draft& draft, Key task_id);

/// An open incident of that token and kind; kNoKey when there is none.
[[nodiscard]] Key open_incident_of(const facts::InstanceState& state, Key token_id,
                                   facts::IncidentKind kind);

} // namespace perdure::decide
