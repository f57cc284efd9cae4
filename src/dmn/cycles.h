// Decisions that require themselves, at once or through others.
#pragma once

#include <vector>

#include "definition/report.h"
#include "dmn/compiled.h"

namespace perdure::dmn {

/// Reports each circle of requirements once and refuses the elements on it, so that what is left
/// has an order.
void refuse_cycles(Compiled& compiled, std::vector<definition::Report>& reports);

} // namespace perdure::dmn
