// The time zones that the program was built with; the definitions are generated (tools/zonegen).
#pragma once

#include <span>
#include <string_view>

namespace perdure::expr {

struct ZoneEntry {
  std::string_view name;  ///< "Europe/Paris"
  std::string_view bytes; ///< RFC 8536: the part with 64-bit times and what follows it
};

/// Sorted by name.
[[nodiscard]] std::span<const ZoneEntry> zone_data();

} // namespace perdure::expr
