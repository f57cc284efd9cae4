// An outcome as plain data: what the command line prints, the API answers and a fact keeps.
#pragma once

#include <string_view>

#include "dmn/evaluate.h"

namespace perdure::dmn {

/// {"decision", "value", "matched_rules", "evaluated", "warnings", "error"}; matched_rules are
/// those of the last decision that was evaluated, which is the one asked for.
[[nodiscard]] Value to_value(std::string_view decision, const Outcome& outcome);

} // namespace perdure::dmn
