// ForwardClock: a clock that never goes back. When the clock behind it is set back, it goes on at
// half the pace until that one has caught up: what is due comes late, but it comes, and no row ends
// before it began.
#pragma once

#include <mutex>

#include "base/clock.h"

namespace perdure::engine {

/// Thread-safe.
class ForwardClock final : public Clock {
public:
  explicit ForwardClock(const Clock& behind);
  /// Shows no time before this one from now on.
  void go_on_from(Instant time);
  [[nodiscard]] Instant now() const override;

private:
  const Clock& behind_;
  mutable std::mutex mutex_;
  mutable Instant seen_;          ///< what the clock behind showed last
  mutable Instant shown_;         ///< what this one showed last
  mutable Duration uncounted_{0}; ///< passed behind, not yet in `shown_`
};

} // namespace perdure::engine
