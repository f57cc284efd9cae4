// Operators on values, with FEEL's null for what has no result; every such null leaves a warning.
#pragma once

#include <cstdint>
#include <optional>

#include "expr/datum.h"
#include "expr/tree.h"
#include "expr/work.h"

namespace perdure::expr {

/// A comparison or an arithmetic operation.
[[nodiscard]] Datum operate(Work& work, std::uint32_t offset, Operation operation,
                            const Datum& left, const Datum& right);

/// -a for numbers.
[[nodiscard]] Datum negated(Work& work, std::uint32_t offset, const Datum& operand);

/// Whether `value` lies in the range; null when they do not compare.
[[nodiscard]] Datum lies_in(Work& work, std::uint32_t offset, const Datum& value,
                            const Range& range);

/// Deep equality; nullopt for values of different types (null differs from everything but null).
[[nodiscard]] std::optional<bool> are_equal(Work& work, std::uint32_t offset, const Datum& left,
                                            const Datum& right);

/// The number, or null and a warning when it is too large or has none.
[[nodiscard]] Datum finite(Work& work, std::uint32_t offset, const Decimal& number);

} // namespace perdure::expr
