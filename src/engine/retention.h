// Retention: removes what has been kept long enough, a little at a time beside the engine's work.
#pragma once

#include <span>
#include <utility>

#include "base/log.h"
#include "engine/engine.h"
#include "engine/retention_policy.h"
#include "engine/state_cache.h"
#include "store/store.h"

namespace perdure::engine {

/// Walks over all instances in the order of their keys, which is nearly that of their starts, again
/// and again: no index, which every instance would pay for, has to know when they ended. A step is
/// of bounded size, and the writer is its own for most of the time. Of the writer thread only.
class Retention {
public:
  /// All but the policy must outlive it.
  Retention(store::Store& store, StateCache& cache, RetentionPolicy policy, Counters& counters,
            Log& log)
      : store_(store), cache_(cache), policy_(std::move(policy)), counters_(counters), log_(log) {}

  /// When the next step is to be made.
  [[nodiscard]] Instant next() const { return next_; }
  /// Makes a step if it is time.
  void step(Instant now);

private:
  /// Removes the first of those on the page whose time is over; when to go on.
  [[nodiscard]] Result<Duration> remove(Instant now);
  [[nodiscard]] bool is_young(std::span<const store::InstanceAge> page, Instant now) const;

  store::Store& store_;
  StateCache& cache_;
  const RetentionPolicy policy_;
  Counters& counters_;
  Log& log_;
  Key after_ = kNoKey; ///< the last instance that was looked at
  Instant next_{};
  bool started_ = false;
};

} // namespace perdure::engine
