// RetentionPolicy: how long instances are kept after their end. Pure.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "perdure/result.h"
#include "store/retention.h"

namespace perdure::engine {

struct RetentionPolicy {
  /// Nothing is ever removed when it is absent.
  using Time = std::optional<Duration>;

  Time standard = Duration(30LL * 24 * 3'600'000);
  std::map<std::string, Time, std::less<>> by_process; ///< by process id; wins

  [[nodiscard]] Time of(std::string_view process_id) const;
  /// The shortest of all; absent when everything is kept for ever.
  [[nodiscard]] Time shortest() const;
};

/// Those of the instances whose time is over. One that has not ended is never among them.
[[nodiscard]] std::vector<store::ExpiredInstance> expired(
    const RetentionPolicy& policy, std::span<const store::InstanceAge> instances, Instant now);

/// As many of the first ones as one transaction removes; one that is larger than that goes alone.
[[nodiscard]] std::span<const store::ExpiredInstance> portion(
    std::span<const store::ExpiredInstance> instances, std::size_t most_instances,
    std::int64_t most_facts);

/// "P30D" and the like, "off" for ever. A month counts as 31 days, a year as 365. Errors:
/// invalid_input, also for a time below zero.
[[nodiscard]] Result<RetentionPolicy::Time> parse_retention(std::string_view text);

} // namespace perdure::engine
