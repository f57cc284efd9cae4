// What stands behind the point of a value that is no context: the parts of dates, times, durations
// and ranges.
#pragma once

#include <optional>
#include <string_view>

#include "expr/datum.h"

namespace perdure::expr {

/// The property's value, which may be null; nullopt when values of that type have no such property.
[[nodiscard]] std::optional<Datum> property_of(const Datum& datum, std::string_view name);

} // namespace perdure::expr
