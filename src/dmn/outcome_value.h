// An outcome as plain data: what the command line prints, the API answers and a fact keeps.
#pragma once

#include <string_view>

#include "dmn/evaluate.h"
#include "perdure/value.h"

namespace perdure::dmn {

/// {"decision", "value", "matched_rules", "evaluated", "warnings", "error"}; matched_rules are
/// those of the last decision that was evaluated, which is the one asked for.
[[nodiscard]] Value to_value(std::string_view decision, const Outcome& outcome);

// Its parts.
/// {"number", "id"} of each.
[[nodiscard]] Array matched_rules(const Outcome& outcome);
/// {"id", "name", "inputs", "output", "matched_rules"} of each decision, or without the inputs.
[[nodiscard]] Array evaluated(const Outcome& outcome, bool with_inputs);
/// {"message", "kind", "element", "element_id", "file", "line", "column"}.
[[nodiscard]] Value to_value(const Warning& warning);
[[nodiscard]] Array warnings(const Outcome& outcome);

} // namespace perdure::dmn
