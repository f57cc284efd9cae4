// On SQLite: a file of each test's own.
#include "flows/backend.h"

namespace perdure::engine {

std::optional<store::postgres::Options> next_schema() { return std::nullopt; }

} // namespace perdure::engine
