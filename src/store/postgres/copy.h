// PostgreSQL's part in copying whole databases.
#pragma once

#include <functional>
#include <memory>

#include "perdure/result.h"
#include "store/copy.h"
#include "store/postgres/postgres.h"

namespace perdure::store::postgres {

/// Reads a schema that is current, as it is now. Nodes may go on to work.
[[nodiscard]] Result<std::unique_ptr<CopySource>> copy_source(const Options& options);

/// Makes the schema, or takes one that has no rows yet, and lets `fill` put rows into it, all in
/// one transaction. A conflict when there are rows.
[[nodiscard]] Result<void> fill_schema(const Options& options, const std::vector<CopyTable>& tables,
                                       const std::function<Result<void>(CopyTarget&)>& fill);

} // namespace perdure::store::postgres
