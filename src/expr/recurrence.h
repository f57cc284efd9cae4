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

namespace perdure::expr {

/// One point in time of a recurrence.
struct Occurrence {
  std::int64_t number = 1; ///< from 1; skipped ones count
  Instant at{};
  friend bool operator==(const Occurrence&, const Occurrence&) = default;
};

/// A moment as ISO 8601 writes it, or on the clock of a zone, "2026-03-29T08:00:00@Europe/Berlin"
/// (FEEL, DMN 10.3.2.3.5).
[[nodiscard]] Result<Instant> parse_moment(std::string_view text);

/// "R3/PT10S", "R/2030-01-01T00:00:00Z/P1D", or six fields of cron, "0 */15 8-17 * * MON-FRI":
/// second, minute, hour, day of month, month, day of week (0 and 7 are Sunday). Also "@hourly",
/// "@daily", "@weekly", "@monthly" and "@yearly". In UTC, unless a zone is named:
/// "R/2030-01-01T08:00:00@Europe/Berlin/P1D", "CRON_TZ=Europe/Berlin 0 0 8 * * *". Then days,
/// months and the fields of cron are those of the clock there, whatever it was set to meanwhile;
/// hours and less last as long as ever. A time that the clock skips comes as much later as it was
/// moved; one that it has twice comes once, the first time.
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

  std::optional<std::uint16_t> zone_; ///< whose clock counts; none: UTC
  std::optional<std::int64_t> count_; ///< how many in all; none: for ever
  std::optional<Instant> start_;      ///< given by the text itself: the first occurrence
  std::string period_;                ///< ISO 8601 duration; empty for cron
  std::optional<Cron> cron_;
};

} // namespace perdure::expr
