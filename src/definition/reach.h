// Which flows a token at a node can come to take (BPMN 13.4.4): what a joining gateway waits for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "definition/definition.h"

namespace perdure::definition {

/// One row per node, one bit per flow, rows padded to 64-bit words.
struct Reach {
  std::vector<std::uint64_t> any;   ///< flows that can be taken at all
  std::vector<std::uint64_t> first; ///< flows into an inclusive gateway that can be taken before
                                    ///< the gateway is visited; empty without such gateways
  std::size_t words_per_row = 0;
};

/// Follows outgoing flows and links; a sub-process passes on to its own outgoing flows. `any`
/// follows the boundary events of activities as well, `first` does not: BPMN 13.4.3 speaks of paths
/// that sequence flows form. The references of the nodes must be resolved.
[[nodiscard]] Reach compute_reach(const std::vector<Node>& nodes, const std::vector<Flow>& flows);

} // namespace perdure::definition
