// Evaluates FEEL for tests and shows the result as FEEL's own text, so that a table of expressions
// and results reads like the standard's.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/json.h"
#include "expr/expression.h"

namespace perdure::expr {

/// What now() is in tests: 2024-02-29T10:20:30.5Z.
inline constexpr std::int64_t kTestNow = 1'709'202'030'500;

/// A text in quotes, anything else as string() writes it. "null: REASON" when there was a warning,
/// "error: REASON" when the work failed.
inline std::string shown(const Expression& expression, const Object& variables = {},
                         const Datum* input = nullptr) {
  Work work(Limits{}, from_ms(kTestNow));
  const auto result = evaluate(expression, ObjectScope(variables), work, input);
  if (work.failed()) return "error: " + work.failure().reason;
  if (result.is_null() && !work.warnings().empty()) return "null: " + work.warnings()[0].reason;
  auto text = text_of(work, 0, result);
  return result.text() ? json::write(Value(text)) : text;
}

/// As above from the text; "refused at COLUMN: REASON" when it does not compile.
inline std::string shown(std::string_view expression, const Names& names = {},
                         const Object& variables = {}) {
  const auto compiled = compile_feel(expression, names);
  if (compiled) return shown(*compiled, variables);
  return "refused at " + std::to_string(compiled.error().column) + ": " + compiled.error().message;
}

struct FeelCase {
  std::string_view expression, result;
};

/// Expects each result; "null:", "error:" and "refused:" stand for any reason.
inline void expect_feel(std::initializer_list<FeelCase> cases) {
  for (const auto& [expression, result] : cases) {
    const auto got = shown(expression);
    const bool any_reason = result.ends_with(':');
    EXPECT_EQ(any_reason ? std::string_view(got).substr(0, result.size()) : got, result)
        << expression << " gave " << got;
  }
}

} // namespace perdure::expr
