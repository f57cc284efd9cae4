// What an embedder says of a database (perdure/engine.h), read.
#pragma once

#include "app/assembly.h"
#include "perdure/engine.h"
#include "perdure/result.h"

namespace perdure::app {

/// Fills in what the options say of the database. Errors: invalid_input.
[[nodiscard]] Result<void> read_storage(const Storage& storage, AssemblyOptions& options);

} // namespace perdure::app
