#include "engine/retention.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace perdure::engine {

namespace {

/// Instances that a step looks at, and what it removes at most: a few milliseconds of work. A
/// single instance that is larger goes alone.
constexpr std::int64_t kPage = 500;
constexpr std::size_t kMostInstances = 50;
constexpr std::int64_t kMostFacts = 1'000;
/// The writer rests from it for so many times as long as a step took, and at least so long.
constexpr int kShare = 4;
constexpr Duration kLeastPause{10};
/// Between two walks, after a failure, and while another node is at it.
constexpr Duration kRest{60'000};
/// A process that starts has better to do.
constexpr Duration kAfterStart{1'000};

} // namespace

void Retention::step(Instant now) {
  if (now < next_) return;
  if (!policy_.shortest()) {
    next_ = Instant::max();
    return;
  }
  if (!std::exchange(started_, true)) {
    next_ = now + kAfterStart;
    return;
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto pause = remove(now);
  if (!pause) {
    log_.write(LogLevel::error, "retention_failed", {{"error", pause.error().message}});
    next_ = now + kRest;
    return;
  }
  const auto took = std::chrono::steady_clock::now() - begin;
  next_ = now + std::max(*pause, kShare * std::chrono::ceil<Duration>(took));
}

Result<Duration> Retention::remove(Instant now) {
  const auto page = store_.instance_ages(after_, kPage);
  if (!page) return std::unexpected(page.error());
  const auto all = expired(policy_, *page, now);
  const auto over = portion(all, kMostInstances, kMostFacts);
  if (!over.empty()) {
    const auto purged = store_.purge(over, now);
    if (!purged) return std::unexpected(purged.error());
    if (purged->busy) return kRest;
    counters_.instances_purged += purged->instances;
    counters_.rows_purged += purged->rows;
    for (const auto& instance : over)
      cache_.drop(instance.id);
  }
  if (over.size() < all.size()) {
    after_ = over.back().id;
    return kLeastPause;
  }
  if (std::ssize(*page) < kPage || is_young(*page, now)) {
    after_ = kNoKey;
    return kRest;
  }
  after_ = page->back().id;
  return kLeastPause;
}

/// What follows began later still, and cannot have been kept long enough.
bool Retention::is_young(std::span<const store::InstanceAge> page, Instant now) const {
  return std::ranges::all_of(page, [&](const store::InstanceAge& instance) {
    return now - instance.created_at < *policy_.shortest();
  });
}

} // namespace perdure::engine
