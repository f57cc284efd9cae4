#include "expr/zones.h"

namespace perdure::expr {

std::optional<std::uint16_t> find_zone(std::string_view name) {
  return name == "Etc/UTC" ? std::optional<std::uint16_t>(0) : std::nullopt;
}

std::string_view zone_name(std::uint16_t) { return "Etc/UTC"; }

std::int32_t zone_offset_at_utc(std::uint16_t, std::int64_t) { return 0; }

std::int32_t zone_offset_at_local(std::uint16_t, std::int64_t) { return 0; }

} // namespace perdure::expr
