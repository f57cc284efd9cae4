#include "definition/definition.h"

#include "base/check.h"

namespace perdure::definition {

NodeIndex Definition::find_node(std::string_view id) const {
  const auto found = node_by_id_.find(id);
  return found == node_by_id_.end() ? kNone : found->second;
}

FlowIndex Definition::find_flow(std::string_view id) const {
  const auto found = flow_by_id_.find(id);
  return found == flow_by_id_.end() ? kNone : found->second;
}

bool Definition::reaches(NodeIndex from, FlowIndex flow) const {
  const auto row = static_cast<std::size_t>(from);
  const auto bit = static_cast<std::size_t>(flow);
  PERDURE_CHECK(row < nodes_.size() && bit < flows_.size());
  return ((reach_[row * reach_words_ + bit / 64] >> (bit % 64)) & 1U) != 0;
}

} // namespace perdure::definition
