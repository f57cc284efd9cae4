#include "definition/reach.h"

namespace perdure::definition {

Reach compute_reach(const std::vector<Node>& nodes, const std::vector<Flow>& flows) {
  Reach reach;
  reach.words_per_row = (flows.size() + 63) / 64;
  reach.bits.assign(nodes.size() * reach.words_per_row, 0);
  std::vector<NodeIndex> pending;
  for (std::size_t from = 0; from < nodes.size(); ++from) {
    const auto row = from * reach.words_per_row;
    pending.assign(1, static_cast<NodeIndex>(from));
    while (!pending.empty()) {
      const auto& node = nodes[static_cast<std::size_t>(pending.back())];
      pending.pop_back();
      for (const auto flow : node.outgoing) {
        const auto bit = static_cast<std::size_t>(flow);
        auto& word = reach.bits[row + bit / 64];
        const auto mask = std::uint64_t{1} << (bit % 64);
        if ((word & mask) != 0) continue;
        word |= mask;
        pending.push_back(flows[bit].target);
      }
    }
  }
  return reach;
}

} // namespace perdure::definition
