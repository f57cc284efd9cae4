#include "engine/state_cache.h"

#include <utility>

namespace perdure::engine {

facts::InstanceState* StateCache::find(Key instance_id) {
  const auto found = by_id_.find(instance_id);
  if (found == by_id_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return &*found->second;
}

facts::InstanceState& StateCache::put(facts::InstanceState state) {
  const auto id = state.instance.id;
  drop(id);
  entries_.push_front(std::move(state));
  by_id_.emplace(id, entries_.begin());
  return entries_.front();
}

void StateCache::drop(Key instance_id) {
  const auto found = by_id_.find(instance_id);
  if (found == by_id_.end()) return;
  entries_.erase(found->second);
  by_id_.erase(found);
}

void StateCache::trim() {
  while (by_id_.size() > capacity_) {
    by_id_.erase(entries_.back().instance.id);
    entries_.pop_back();
  }
}

} // namespace perdure::engine
