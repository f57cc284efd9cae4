#include "store/postgres/clock.h"

#include <chrono>

namespace perdure::store::postgres {

namespace {

/// A correction back by more is a new time, not an error of measurement.
constexpr std::int64_t kLargestCorrectionMs = 2'000;

std::int64_t steady_ms() {
  return std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

} // namespace

Instant DatabaseClock::now() const {
  const auto time = steady_ms() + offset_ms_.load(std::memory_order_relaxed);
  auto latest = latest_ms_.load(std::memory_order_relaxed);
  for (;;) {
    if (time <= latest && latest - time < kLargestCorrectionMs) return from_ms(latest);
    if (latest_ms_.compare_exchange_weak(latest, time, std::memory_order_relaxed)) {
      return from_ms(time);
    }
  }
}

Result<void> DatabaseClock::measure(Connection& connection) {
  const auto before = steady_ms();
  const auto result = connection.query(sql::postgres::connection_time);
  const auto after = steady_ms();
  if (!result) return std::unexpected(result.error());
  const auto time = result->column<std::int64_t>(0, 0);
  offset_ms_.store(time - (before + after) / 2, std::memory_order_relaxed);
  return {};
}

} // namespace perdure::store::postgres
