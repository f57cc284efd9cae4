// Gatherings at joining gateways: per (scope, node, generation), one arrival per incoming flow. A
// parallel gateway fires when every flow has arrived; an inclusive one as soon as no token can come
// by a flow that is still empty (BPMN 13.4.4); a
// complex one by its condition (complex_join.h).
#pragma once

#include "decide/draft.h"

namespace perdure::decide {

/// Whether tokens wait at the node for each other.
[[nodiscard]] bool gathers(const definition::Node& node);

/// The token rests at the earliest open gathering where its flow is missing, or at a new one. A
/// parallel gathering that is complete by it fires.
void arrive_at_join(Draft& draft, const Visit& visit, facts::JoinKind kind);

/// Fires one inclusive gathering, or resets one complex, that waits for nothing any more. False
/// when there is none. To be asked after every move: where tokens stand decides.
bool fire_inclusive(Draft& draft);

/// Once no token moves any more: opens an incident at each gathering that can never fire, and
/// resolves it where that has changed.
void review_joins(Draft& draft);

} // namespace perdure::decide
