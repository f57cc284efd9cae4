// Decision tables: which rules match, and what the hit policy makes of them.
#pragma once

#include "dmn/compiled.h"
#include "dmn/evaluator.h"

namespace perdure::dmn {

[[nodiscard]] expr::Datum evaluate_table(Evaluator& evaluator, const Table& table,
                                         const Origin& origin, const Frame& frame);

} // namespace perdure::dmn
