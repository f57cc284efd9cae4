// The IANA time zones, compiled into the program: their rules are the same on every machine and in
// every replay.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace perdure::expr {

/// The zone of that name ("Europe/Paris"); nullopt when there is none.
[[nodiscard]] std::optional<std::uint16_t> find_zone(std::string_view name);

[[nodiscard]] std::string_view zone_name(std::uint16_t zone);

/// Seconds ahead of UTC at a moment, given in seconds since 1970-01-01T00:00:00Z.
[[nodiscard]] std::int32_t zone_offset_at_utc(std::uint16_t zone, std::int64_t utc_seconds);

/// As above for a local date and time, as seconds since 1970-01-01T00:00:00 there. A time that
/// comes twice is the earlier one; one that is skipped counts with the offset before the gap.
[[nodiscard]] std::int32_t zone_offset_at_local(std::uint16_t zone, std::int64_t local_seconds);

} // namespace perdure::expr
