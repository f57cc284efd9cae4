// SQLite's part in copying whole databases, and the making of files that appear whole.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "perdure/result.h"
#include "store/copy.h"

namespace perdure::store::sqlite {

/// Reads a database of the current schema, as it is now. Another process may write to it.
[[nodiscard]] Result<std::unique_ptr<CopySource>> copy_source(const std::string& path);

/// The tables of the current schema that are copied, each behind those that it refers to. The
/// order holds for PostgreSQL too.
[[nodiscard]] Result<std::vector<CopyTable>> copy_tables();

/// Makes a database of the current schema and lets `fill` put rows into it.
[[nodiscard]] Result<void> fill_database(const std::string& path, const Clock& clock,
                                         const std::function<Result<void>(CopyTarget&)>& fill);

/// Makes the file `path`: `fill` gets a database of the current schema in a file beside it, which
/// is moved to its place, on the disk, when `fill` succeeded. A conflict when `path` exists.
[[nodiscard]] Result<void> make_file(const std::string& path, const Clock& clock,
                                     const std::function<Result<void>(CopyTarget&)>& fill);

/// Copies a database file of any schema as it is now, also while another process writes to it. The
/// copy appears whole, on the disk, and is one file. A conflict when `to` exists.
[[nodiscard]] Result<void> copy_file(const std::string& from, const std::string& to);

} // namespace perdure::store::sqlite
