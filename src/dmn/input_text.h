// Dates, times and durations in data that has no such types: texts in the place of one.
#pragma once

#include "expr/datum.h"
#include "expr/types.h"

namespace perdure::dmn {

/// The value with each text read as what the type demands there; texts that are none stay.
[[nodiscard]] expr::Datum read_texts(const expr::Datum& value, const expr::TypeRef& type);

} // namespace perdure::dmn
