// Camunda 7's failedJobRetryTimeCycle: "R3/PT10S" or "PT1M,PT5M,PT1H".
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "perdure/result.h"

namespace perdure::bpmn {

struct RetryCycle {
  std::int64_t attempts = 1;       ///< in all, the first one included
  std::vector<Duration> intervals; ///< waits before the 2nd, 3rd ... attempt; the last one repeats
};

/// "R<n>/<duration>" means n attempts; a list of k durations means k + 1 attempts.
[[nodiscard]] Result<RetryCycle> parse_retry_cycle(std::string_view text);

} // namespace perdure::bpmn
