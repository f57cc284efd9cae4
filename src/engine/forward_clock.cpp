#include "engine/forward_clock.h"

#include <algorithm>

namespace perdure::engine {

namespace {

constexpr int kSlowness = 2;

} // namespace

ForwardClock::ForwardClock(const Clock& behind)
    : behind_(behind), seen_(behind.now()), shown_(seen_) {}

void ForwardClock::go_on_from(Instant time) {
  const std::lock_guard lock(mutex_);
  shown_ = std::max(shown_, time);
}

Instant ForwardClock::now() const {
  const std::lock_guard lock(mutex_);
  const auto now = behind_.now();
  if (now >= shown_) {
    shown_ = now;
    uncounted_ = Duration::zero();
  } else {
    uncounted_ += std::max(now - seen_, Duration::zero());
    shown_ += uncounted_ / kSlowness;
    uncounted_ %= kSlowness;
  }
  seen_ = now;
  return shown_;
}

} // namespace perdure::engine
