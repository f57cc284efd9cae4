// When a run that failed is tried again.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "flow/failure.h"
#include "perdure/step.h"

namespace perdure::flow {

/// The pause before the next attempt, after attempt `number` (from 1) failed with that error. None:
/// it was the last.
[[nodiscard]] std::optional<Duration> pause_after(const RunOptions& options, std::int64_t number,
                                                  const Failure& failure);

} // namespace perdure::flow
