#include "definition/reach.h"

namespace perdure::definition {

namespace {

/// The link event that a throwing one leads to; kNone for every other node.
NodeIndex linked_from(const Node& node) {
  const auto* event = node.event();
  return event && event->kind == EventKind::link ? event->activity : kNone;
}

class Search {
public:
  Search(const std::vector<Node>& nodes, const std::vector<Flow>& flows)
      : nodes_(nodes), flows_(flows), words_((flows.size() + 63) / 64) {}

  Reach run() {
    Reach reach{.any = find_any(), .first = {}, .words_per_row = words_};
    bool prepared = false;
    for (std::size_t index = 0; index < nodes_.size(); ++index) {
      const auto kind = nodes_[index].kind;
      if (kind != NodeKind::inclusive_gateway && kind != NodeKind::complex_gateway) continue;
      if (!prepared) prepare(reach);
      prepared = true;
      for (const auto flow : nodes_[index].incoming)
        find_first(static_cast<NodeIndex>(index), flow, reach.first);
    }
    return reach;
  }

private:
  static void set(std::vector<std::uint64_t>& bits, std::size_t row, std::size_t bit) {
    bits[row + bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
  static bool has(const std::vector<std::uint64_t>& bits, std::size_t row, std::size_t bit) {
    return ((bits[row + bit / 64] >> (bit % 64)) & 1U) != 0;
  }

  /// Forwards from every node.
  std::vector<std::uint64_t> find_any() const {
    std::vector<std::uint64_t> bits(nodes_.size() * words_, 0);
    std::vector<NodeIndex> pending;
    for (std::size_t from = 0; from < nodes_.size(); ++from) {
      const auto row = from * words_;
      pending.assign(1, static_cast<NodeIndex>(from));
      while (!pending.empty()) {
        const auto& node = nodes_[static_cast<std::size_t>(pending.back())];
        pending.pop_back();
        pending.insert(pending.end(), node.boundaries.begin(), node.boundaries.end());
        if (const auto linked = linked_from(node); linked != kNone) pending.push_back(linked);
        for (const auto flow : node.outgoing) {
          const auto bit = static_cast<std::size_t>(flow);
          if (has(bits, row, bit)) continue;
          set(bits, row, bit);
          pending.push_back(flows_[bit].target);
        }
      }
    }
    return bits;
  }

  void prepare(Reach& reach) {
    reach.first.assign(nodes_.size() * words_, 0);
    before_.resize(nodes_.size());
    for (std::size_t index = 0; index < nodes_.size(); ++index) {
      const auto& node = nodes_[index];
      const auto from = static_cast<NodeIndex>(index);
      for (const auto flow : node.outgoing)
        before_[static_cast<std::size_t>(flows_[static_cast<std::size_t>(flow)].target)].push_back(
            from);
      if (const auto linked = linked_from(node); linked != kNone)
        before_[static_cast<std::size_t>(linked)].push_back(from);
    }
  }

  /// Backwards from a flow into the gateway, never through the gateway.
  void find_first(NodeIndex gateway, FlowIndex flow, std::vector<std::uint64_t>& bits) const {
    const auto bit = static_cast<std::size_t>(flow);
    std::vector<NodeIndex> pending{flows_[bit].source};
    while (!pending.empty()) {
      const auto index = pending.back();
      pending.pop_back();
      const auto row = static_cast<std::size_t>(index) * words_;
      if (index == gateway || has(bits, row, bit)) continue;
      set(bits, row, bit);
      const auto& before = before_[static_cast<std::size_t>(index)];
      pending.insert(pending.end(), before.begin(), before.end());
    }
  }

  const std::vector<Node>& nodes_;
  const std::vector<Flow>& flows_;
  std::size_t words_;
  std::vector<std::vector<NodeIndex>> before_; ///< by node: from where a token can come
};

} // namespace

Reach compute_reach(const std::vector<Node>& nodes, const std::vector<Flow>& flows) {
  return Search(nodes, flows).run();
}

} // namespace perdure::definition
