// The limit on PostgreSQL: the same rows as one finished instance has, inserted into the same
// schema as fast as the server takes them: one array a column, one round trip a transaction of 256
// instances, every commit on the disk, nothing else around it.
#pragma once

#include "bench/full_load.h"
#include "store/postgres/postgres.h"

namespace perdure::bench {

/// Rows per second that so many connections reach together, in a schema of their own.
[[nodiscard]] double postgres_bare_rows_per_s(const Sample& sample,
                                              const store::postgres::Options& options,
                                              int connections, double seconds);

} // namespace perdure::bench
