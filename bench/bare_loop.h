// The limit: the same rows as one finished instance has, inserted as fast as SQLite takes them into
// the same schema, batched, fsync at every commit, nothing else around it.
#pragma once

#include <string>

#include "store/store.h"

namespace perdure::bench {

/// Rows per second. `sample` is a finished instance; `folder` gets a database of its own.
[[nodiscard]] double bare_rows_per_s(const store::InstanceRecord& sample,
                                     const facts::ProcessDefinition& definition,
                                     const std::string& folder, double seconds);

/// Median of a 4 KiB write and fdatasync in that folder, in ms.
[[nodiscard]] double fsync_p50_ms(const std::string& folder);

} // namespace perdure::bench
