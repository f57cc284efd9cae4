// Operators on values, with FEEL's null for what has no result; every such null leaves a warning.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "expr/datum.h"
#include "expr/tree.h"
#include "expr/work.h"

namespace perdure::expr {

/// A comparison or an arithmetic operation.
[[nodiscard]] Datum operate(Work& work, std::uint32_t offset, Operation operation,
                            const Datum& left, const Datum& right);

/// -a for numbers and durations.
[[nodiscard]] Datum negated(Work& work, std::uint32_t offset, const Datum& operand);

/// Whether `value` lies in the range; null when they do not compare.
[[nodiscard]] Datum lies_in(Work& work, std::uint32_t offset, const Datum& value,
                            const Range& range);

/// Deep equality; nullopt for values of different types (null differs from everything but null).
[[nodiscard]] std::optional<bool> are_equal(Work& work, std::uint32_t offset, const Datum& left,
                                            const Datum& right);

/// Whether they are the same in kind and in every part: unlike are_equal, @"10:00:00Z" is not
/// @"11:00:00+01:00".
[[nodiscard]] bool are_identical(Work& work, std::uint32_t offset, const Datum& left,
                                 const Datum& right);

/// Which comes first, of two values of one kind that have an order; nullopt for others. Unordered
/// when one has an offset from UTC and the other is local.
[[nodiscard]] std::optional<std::partial_ordering> order_of(const Datum& left, const Datum& right);

/// The number, or null and a warning when it is too large or has none.
[[nodiscard]] Datum finite(Work& work, std::uint32_t offset, const Decimal& number);

} // namespace perdure::expr
