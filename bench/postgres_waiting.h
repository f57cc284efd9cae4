// Instances that wait: for time, and for workers that never come.
#pragma once

#include <cstdint>

#include "store/postgres/postgres.h"

namespace perdure::bench {

/// Makes the schema and loads so many waiting instances, half of them at a timer, half at a task of
/// a type that no worker takes; table by table, as copies that the server makes of two real ones.
/// New keys come after theirs. The tables are vacuumed, as they are in a database that has stood
/// for a while.
void load_waiting(const store::postgres::Options& options, std::int64_t count);

} // namespace perdure::bench
