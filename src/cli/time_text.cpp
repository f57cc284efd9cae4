#include "cli/time_text.h"

#include <algorithm>
#include <cstdint>

namespace perdure::cli {

namespace {

std::string two_units(std::int64_t large, const char* large_unit, std::int64_t small,
                      const char* small_unit) {
  std::string result = std::to_string(large) + " " + large_unit;
  if (small > 0) result += " " + std::to_string(small) + " " + small_unit;
  return result;
}

} // namespace

std::string duration_text(Duration duration) {
  const std::int64_t ms = std::max<std::int64_t>(duration.count(), 0);
  if (ms < 1'000) return std::to_string(ms) + " ms";
  if (ms < 60'000) {
    return std::to_string(ms / 1'000) + "." + std::to_string(ms % 1'000 / 100) + " s";
  }
  const std::int64_t s = ms / 1'000;
  if (s < 3'600) return two_units(s / 60, "min", s % 60, "s");
  if (s < 86'400) return two_units(s / 3'600, "h", s % 3'600 / 60, "min");
  return two_units(s / 86'400, "d", s % 86'400 / 3'600, "h");
}

std::string time_text(std::string_view rfc3339) {
  const auto instant = parse_instant(rfc3339);
  if (!instant) return std::string(rfc3339);
  std::string text = to_text(*instant).substr(0, 19);
  text[10] = ' ';
  return text;
}

} // namespace perdure::cli
