// Instants and durations: UTC, milliseconds (design section 7). Nothing here reads a clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "perdure/result.h"

namespace perdure {

using Duration = std::chrono::milliseconds;
using Instant = std::chrono::sys_time<Duration>;

/// "2026-11-30T06:36:25.123Z" (RFC 3339, always UTC, always three decimals). An instant outside the
/// years 0 to 9999 is shown as the nearest one inside.
[[nodiscard]] std::string to_text(Instant instant);
/// Parses an RFC 3339 / ISO 8601 date-time in the years 0 to 9999; without an offset it is taken as
/// UTC, without a time as midnight; digits finer than milliseconds are cut off.
[[nodiscard]] Result<Instant> parse_instant(std::string_view text);

/// "PT1M30S". Parses ISO 8601 durations of weeks, days, hours, minutes, seconds. Years and months
/// have no fixed length: they are added to `from` by calendar (31 January + P1M is the last of
/// February). A sign in front is allowed; a fraction only on seconds; outside the years 0 to 9999
/// is an error. `count` times the duration is added at once: three times P1M from 31 January is 30
/// April.
[[nodiscard]] Result<Instant> add_iso_duration(Instant from, std::string_view text,
                                               std::int64_t count = 1);

/// Milliseconds since 1970 as the database keeps them.
[[nodiscard]] constexpr std::int64_t to_ms(Instant instant) {
  return instant.time_since_epoch().count();
}
[[nodiscard]] constexpr Instant from_ms(std::int64_t ms) { return Instant(Duration(ms)); }

} // namespace perdure
