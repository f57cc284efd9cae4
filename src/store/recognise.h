// Recognising a schema by what is in it: which of our files made it?
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "perdure/result.h"
#include "store/sql.h"

namespace perdure::store {

/// How many files, from the first on, give `actual`, the sorted statements of a schema.
/// `dump_after(file)` applies one more file to a scratch schema and gives what is in that one.
template <class DumpAfter>
[[nodiscard]] Result<std::int64_t> recognise(const std::vector<std::string>& actual,
                                             std::span<const sql::Migration> migrations,
                                             const DumpAfter& dump_after) {
  if (actual.empty()) return 0;
  std::int64_t count = 0;
  for (const auto& migration : migrations) {
    const Result<std::vector<std::string>> made = dump_after(migration);
    if (!made) return std::unexpected(made.error());
    ++count;
    if (*made == actual) return count;
  }
  return fail(ErrorCode::conflict,
              "The database has tables that no version of this program made, and no record of "
              "migrations; use another database, or another schema in it.",
              "schema_migration");
}

/// Adds a line for each statement that only one of two sorted schemas has.
inline void add_difference(const std::vector<std::string>& left,
                           const std::vector<std::string>& right, const std::string& title,
                           std::vector<std::string>& findings) {
  std::vector<std::string> only_left;
  std::ranges::set_difference(left, right, std::back_inserter(only_left));
  for (const auto& statement : only_left)
    findings.push_back(title + statement.substr(0, statement.find_first_of("(\n")));
}

} // namespace perdure::store
