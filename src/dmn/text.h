// Sentences that several parts of the reader write.
#pragma once

#include <string>
#include <string_view>

#include "expr/expression.h"

namespace perdure::dmn {

/// Why a text does not compile; `what` says what it is: "the output entry".
[[nodiscard]] std::string bad_expression(std::string_view what, std::string_view text,
                                         const expr::Diagnostic& reason);

} // namespace perdure::dmn
