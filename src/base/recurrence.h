// Recurrences: times that come again and again, as timer events of a model give them. Each is
// counted from its own start, so that lateness does not add up.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "perdure/result.h"

namespace perdure {

/// One point in time of a recurrence.
struct Occurrence {
  std::int64_t number = 1; ///< from 1; skipped ones count
  Instant at{};
  friend bool operator==(const Occurrence&, const Occurrence&) = default;
};

/// "R3/PT10S", "R/2030-01-01T00:00:00Z/P1D", or six fields of cron, "0 */15 8-17 * * MON-FRI":
/// second, minute, hour, day of month, month, day of week (0 and 7 are Sunday), in UTC. Also
/// "@hourly", "@daily", "@weekly", "@monthly" and "@yearly".
class Recurrence {
public:
  [[nodiscard]] static Result<Recurrence> parse(std::string_view text);

  /// The first occurrence for one that begins to run at `start`; nullopt when there is none.
  [[nodiscard]] std::optional<Occurrence> first(Instant start) const;
  /// The one after `last` that is later than `now`: those that were missed are skipped. nullopt
  /// when there is none.
  [[nodiscard]] std::optional<Occurrence> next(Instant start, const Occurrence& last,
                                               Instant now) const;

private:
  /// Of each field, which values match.
  using Cron = std::array<std::vector<bool>, 6>;

  [[nodiscard]] static std::optional<Recurrence> read_iso(std::string_view text);
  [[nodiscard]] static std::optional<Recurrence> read_cron(std::string_view text);
  [[nodiscard]] std::optional<Occurrence> occurrence(Instant start, std::int64_t number) const;
  [[nodiscard]] std::optional<Instant> cron_after(Instant moment) const;

  std::optional<std::int64_t> count_; ///< how many in all; none: for ever
  std::optional<Instant> start_;      ///< given by the text itself: the first occurrence
  std::string period_;                ///< ISO 8601 duration; empty for cron
  std::optional<Cron> cron_;
};

} // namespace perdure
