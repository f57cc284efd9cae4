// Copying a whole database into another one, of the same or the other dialect. Rows travel in a
// form that both share; what may be in a table, both schemas go on to judge.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/key.h"
#include "perdure/result.h"
#include "store/retention.h"

namespace perdure::store {

/// NULL; a number, 0 or 1 for a boolean, milliseconds since 1970 for a time; a text, or JSON as it
/// was written.
using Cell = std::variant<std::monostate, std::int64_t, std::string>;
using CellRow = std::vector<Cell>;

/// A table that takes part. Bookkeeping of migrations and of keys does not.
struct CopyTable {
  std::string name;
  std::vector<std::string> columns;  ///< in order
  bool of_instances = false;         ///< its rows belong to instances; some may belong to none
  std::optional<std::size_t> id;     ///< column by which rows of the table refer to each other
  std::optional<std::size_t> parent; ///< column that does so
};

/// What the other database is made of. Sees it as it was at one moment.
class CopySource {
public:
  CopySource() = default;
  CopySource(const CopySource&) = delete;
  CopySource& operator=(const CopySource&) = delete;
  virtual ~CopySource() = default;

  /// As Store::instance_ages.
  [[nodiscard]] virtual Result<std::vector<InstanceAge>> instance_ages(Key after,
                                                                       std::int64_t limit) = 0;
  /// Rows of instances with keys from `first` to `last`.
  [[nodiscard]] virtual Result<std::vector<CellRow>> rows(const CopyTable& table, Key first,
                                                          Key last) = 0;
  using Take = std::function<Result<void>(std::vector<CellRow>)>;
  /// Rows that belong to no instance, in batches.
  [[nodiscard]] virtual Result<void> other_rows(const CopyTable& table, const Take& take) = 0;
  [[nodiscard]] virtual Result<std::int64_t> count(const CopyTable& table) = 0;
  /// The first key that was never handed out.
  [[nodiscard]] virtual Result<Key> next_key() = 0;
};

/// A database with nothing in it. What is written shows only after finish().
class CopyTarget {
public:
  CopyTarget() = default;
  CopyTarget(const CopyTarget&) = delete;
  CopyTarget& operator=(const CopyTarget&) = delete;
  virtual ~CopyTarget() = default;

  [[nodiscard]] virtual Result<void> write(const CopyTable& table,
                                           const std::vector<CellRow>& rows) = 0;
  [[nodiscard]] virtual Result<std::int64_t> count(const CopyTable& table) = 0;
  /// Keys are handed out from `next_key` on. Durable on return.
  [[nodiscard]] virtual Result<void> finish(Key next_key) = 0;
};

/// Copies the tables, each after those that it refers to, and compares how many rows they have.
/// Returns the number of rows. After an error the target has nothing.
[[nodiscard]] Result<std::int64_t> copy_database(CopySource& source, CopyTarget& target,
                                                 const std::vector<CopyTable>& tables);

} // namespace perdure::store
