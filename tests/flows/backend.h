// Which database the tests of flows run on: this program's main says it.
#pragma once

#include <optional>

#include "store/postgres/postgres.h"

namespace perdure::engine {

/// A schema of its own for each test; none: SQLite.
[[nodiscard]] std::optional<store::postgres::Options> next_schema();

} // namespace perdure::engine
