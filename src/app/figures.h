// Figures: what a database counts, as lines of /metrics. The names are explained in
// docs/metrics.md.
#pragma once

#include <vector>

#include "api/api.h"
#include "store/postgres/counters.h"
#include "store/sqlite/counters.h"

namespace perdure::app {

[[nodiscard]] std::vector<api::Figure> figures_of(const store::sqlite::Counters& counters);
[[nodiscard]] std::vector<api::Figure> figures_of(const store::postgres::Counters& counters);

} // namespace perdure::app
