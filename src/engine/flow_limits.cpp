#include "engine/flow_limits.h"

#include <algorithm>
#include <utility>

namespace perdure::engine {

Result<const store::FlowLimit*> FlowLimits::of(const std::string& process_id) {
  if (!known_) {
    auto rows = store_.flow_limits();
    if (!rows) return std::unexpected(rows.error());
    by_name_.clear();
    for (auto& row : *rows)
      by_name_.emplace(row.process_id, std::move(row));
    known_ = true;
  }
  const auto found = by_name_.find(process_id);
  return found == by_name_.end() ? nullptr : &found->second;
}

Instant counts_until(const store::FlowLimit* limit, Instant admitted_at) {
  if (limit == nullptr) return admitted_at;
  return admitted_at + Duration(std::max(limit->starts_period.value_or(0),
                                         limit->starts_per_key_period.value_or(0)));
}

} // namespace perdure::engine
