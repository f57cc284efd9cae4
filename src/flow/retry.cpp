#include "flow/retry.h"

#include <algorithm>
#include <cmath>

namespace perdure::flow {

std::optional<Duration> pause_after(const RunOptions& options, std::int64_t number,
                                    const Failure& failure) {
  if (number >= options.max_attempts || !failure.retryable) return std::nullopt;
  if (std::ranges::find(options.non_retryable, failure.name) != options.non_retryable.end()) {
    return std::nullopt;
  }
  const auto cap = static_cast<double>(options.cap.count());
  const auto grown = static_cast<double>(options.initial.count()) *
                     std::pow(options.factor, static_cast<double>(number - 1));
  // Also when the power is no number that is finite.
  const double pause = grown < cap ? std::max(grown, 0.0) : std::max(cap, 0.0);
  return Duration(static_cast<std::int64_t>(pause));
}

} // namespace perdure::flow
