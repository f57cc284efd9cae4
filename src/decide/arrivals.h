// Arrivals at gatherings, as the modules about joins look at them.
#pragma once

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "decide/draft.h"

namespace perdure::decide {

[[nodiscard]] inline bool has_arrived(const facts::InstanceState& state, Key join_id,
                                      std::string_view flow_id) {
  return state.arrivals.find(std::tuple(join_id, flow_id)) != nullptr;
}

/// The arrivals at the gathering, in the order of their flows.
[[nodiscard]] inline auto arrivals_of(const facts::InstanceState& state, Key join_id) {
  return state.arrivals.of_prefix(join_id);
}

/// The token that came first.
[[nodiscard]] inline Key first_arrived(const facts::InstanceState& state, Key join_id) {
  const auto arrivals = arrivals_of(state, join_id);
  PERDURE_CHECK(!arrivals.empty());
  const auto first = std::ranges::min_element(arrivals, {}, [](const facts::JoinArrival& row) {
    return std::pair(row.arrived_at, row.token_id);
  });
  return (*first).token_id;
}

/// Whether a token that stands at `from` keeps an inclusive gathering from firing: it can come to a
/// flow that is empty, and to none that is filled.
[[nodiscard]] inline bool blocks(const Draft& draft, const facts::ParallelJoin& join,
                                 const facts::Token& token) {
  const auto& definition = draft.definition();
  // What undoes something goes on by no flow.
  if (token.mode == facts::TokenMode::compensation) return false;
  const auto gateway = definition.find_node(join.node_id);
  const auto from = definition.find_node(token.node_id);
  const bool stands_here = from == gateway;
  bool reaches_empty = false;
  for (const auto flow : definition.node(gateway).incoming) {
    const auto& id = definition.flow(flow).id;
    const bool filled = has_arrived(draft.state(), join.id, id);
    if (stands_here) {
      // Not yet let in: it is on its flow.
      reaches_empty |= !filled && token.state == facts::TokenState::ready && token.flow_id == id;
    } else if (definition.reaches_first(from, flow)) {
      if (filled) return false;
      reaches_empty = true;
    }
  }
  return reaches_empty;
}

} // namespace perdure::decide
