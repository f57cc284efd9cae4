// The list of what must never be (data/forbidden.sql), for the tests of every dialect.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "temporary_folder.h"

namespace perdure::test {

/// A statement that must be refused, and the rule that must refuse it.
struct Attempt {
  std::string rule;
  std::string
      postgres_rule; ///< the same but for values that a type refuses; empty: not tried there
  std::string text;
  std::size_t line = 0;
};

inline std::string data_file(const std::string& name) {
  return std::string(PERDURE_SOURCE_DIR) + "/tests/store/data/" + name;
}

/// `-- refused: RULE`, or `-- refused: RULE; PostgreSQL: RULE` where that is another one, or
/// `-- refused: RULE; SQLite` where the statement or the rule is SQLite's alone.
inline std::vector<Attempt> forbidden_attempts() {
  std::vector<Attempt> attempts;
  std::istringstream in(read_file(data_file("forbidden.sql")));
  const std::string mark = "-- refused: ";
  const std::string other = "; PostgreSQL: ";
  const std::string only = "; SQLite";
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.starts_with(mark)) {
      auto rule = line.substr(mark.size());
      auto postgres_rule = rule;
      if (const auto at = rule.find(other); at != std::string::npos) {
        postgres_rule = rule.substr(at + other.size());
        rule.resize(at);
      } else if (rule.ends_with(only)) {
        rule.resize(rule.size() - only.size());
        postgres_rule.clear();
      }
      attempts.push_back({rule, postgres_rule, "", number});
    } else if (!attempts.empty() && !line.starts_with("--")) {
      attempts.back().text += line + "\n";
    }
  }
  return attempts;
}

} // namespace perdure::test
