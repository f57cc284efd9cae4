// StateCache: instance states kept between decisions, least recently used first to go. Never a
// truth: every commit compares the version with the database, and a loser reloads.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <unordered_map>

#include "base/key.h"
#include "facts/instance_state.h"

namespace perdure::engine {

/// Of the writer thread only.
class StateCache {
public:
  explicit StateCache(std::size_t capacity) : capacity_(capacity) {}

  /// The state, now the most recently used; nullptr when it is not kept.
  [[nodiscard]] facts::InstanceState* find(Key instance_id);
  /// Keeps a state; replaces one of the same instance.
  facts::InstanceState& put(facts::InstanceState state);
  void drop(Key instance_id);
  /// Lets the least recently used go. Not while a round holds references.
  void trim();
  [[nodiscard]] std::size_t size() const { return by_id_.size(); }

private:
  // A list node keeps its address: references stay good until the state is dropped.
  using Entries = std::list<facts::InstanceState>;
  std::size_t capacity_;
  Entries entries_; ///< most recently used first
  std::unordered_map<Key, Entries::iterator> by_id_;
};

} // namespace perdure::engine
