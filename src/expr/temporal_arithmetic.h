// + - * / on dates, times and durations.
#pragma once

#include <optional>

#include "expr/datum.h"
#include "expr/tree.h"

namespace perdure::expr {

/// The result; null when it has none (a division by zero, a year beyond all calendars, a local time
/// minus one with an offset); nullopt when the operation has no meaning for such values.
[[nodiscard]] std::optional<Datum> calculate_temporal(Operation operation, const Datum& left,
                                                      const Datum& right);

/// A date as the date and time it stands for where one is needed: midnight UTC.
[[nodiscard]] DateTime at_midnight(const Date& date);

} // namespace perdure::expr
