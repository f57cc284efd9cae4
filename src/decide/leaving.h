// How a token goes out of a node: which flows it takes, and what becomes of it.
#pragma once

#include <optional>
#include <span>

#include "decide/draft.h"
#include "decide/evaluate.h"

namespace perdure::decide {

/// One flow: the token itself moves on. Several: it is used up and a new one stands ready on each.
/// None: it ends, and its scope with it when no token is left.
void take_flows(Draft& draft, const Visit& visit, std::span<const definition::FlowIndex> flows);

/// A new token ready at the end of each flow, split off `parent_id`.
void place_on_flows(Draft& draft, Key scope_id, std::optional<Key> parent_id,
                    std::span<const definition::FlowIndex> flows);

/// The token is used up where it stands; so is its scope when no token is left in it.
void end_token(Draft& draft, const Visit& visit);

/// That no flow out of the node can be taken.
[[nodiscard]] Trouble no_way_out(const definition::Node& node);

} // namespace perdure::decide
