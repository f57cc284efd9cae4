// Gatherings at joining parallel gateways: per (scope, node, generation), one arrival per incoming
// flow.
#pragma once

#include "decide/draft.h"

namespace perdure::decide {

/// The token rests at the earliest open gathering where its flow is missing, or at a new one; when
/// it was the last to come, the gathering fires.
void arrive_at_join(Draft& draft, const Visit& visit);

/// Once no token moves any more: opens an incident at each gathering that can never be complete,
/// and resolves it where that has changed.
void review_joins(Draft& draft);

} // namespace perdure::decide
