// Values of the DMN test files against values of FEEL, as the published runners compare them.
#pragma once

#include <optional>
#include <string>

#include "dmn_tck_cases.h"
#include "expr/datum.h"

namespace perdure::conformance {

/// The value to hand in; nullopt when the file's text is none of its type.
[[nodiscard]] std::optional<expr::Datum> datum_of(const TckValue& value);

/// Numbers equal if they differ by less than 0.00000001, contexts without order, the rest exactly.
[[nodiscard]] bool is_as_expected(const TckValue& expected, const expr::Datum& actual);

/// For people: `[1, "a"]`, `{a: 1}`.
[[nodiscard]] std::string shown(const TckValue& value);
[[nodiscard]] std::string shown(const expr::Datum& datum);

} // namespace perdure::conformance
