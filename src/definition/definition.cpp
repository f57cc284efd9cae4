#include "definition/definition.h"

#include "base/check.h"

namespace perdure::definition {

std::shared_ptr<const Definition> Definition::flow(std::string name) {
  const auto definition = std::make_shared<Definition>();
  definition->process_id_ = std::move(name);
  definition->is_flow_ = true;
  return definition;
}

NodeIndex Definition::find_node(std::string_view id) const {
  const auto found = node_by_id_.find(id);
  return found == node_by_id_.end() ? kNone : found->second;
}

FlowIndex Definition::find_flow(std::string_view id) const {
  const auto found = flow_by_id_.find(id);
  return found == flow_by_id_.end() ? kNone : found->second;
}

namespace {

bool bit_at(const std::vector<std::uint64_t>& bits, std::size_t words, NodeIndex from,
            FlowIndex flow) {
  const auto bit = static_cast<std::size_t>(flow);
  const auto word = static_cast<std::size_t>(from) * words + bit / 64;
  PERDURE_CHECK(from >= 0 && flow >= 0 && bit / 64 < words && word < bits.size());
  return ((bits[word] >> (bit % 64)) & 1U) != 0;
}

} // namespace

bool Definition::reaches(NodeIndex from, FlowIndex flow) const {
  return bit_at(reach_, reach_words_, from, flow);
}

bool Definition::reaches_first(NodeIndex from, FlowIndex flow) const {
  return bit_at(reach_first_, reach_words_, from, flow);
}

const Node* Definition::instantiating_gateway(const Node& event) const {
  if (event.incoming.empty()) return nullptr;
  const auto& source = node(flow(event.incoming.front()).source);
  const bool begins = source.kind == NodeKind::event_based_gateway && source.instantiates;
  return begins ? &source : nullptr;
}

} // namespace perdure::definition
