// The text of a range with literal ends, as the function range() takes it: "[1..5]",
// "(@\"2024-01-01\"..@\"2024-12-31\"]".
#pragma once

#include <optional>
#include <string_view>

#include "expr/datum.h"

namespace perdure::expr {

/// nullopt when the text is none, its ends are no literals or of different types, or the range ends
/// before it begins.
[[nodiscard]] std::optional<Range> read_range(std::string_view text);

} // namespace perdure::expr
