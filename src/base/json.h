// JSON text <-> Value. The only place that parses or writes JSON: stock parsers change doubles by
// one unit in the last place, take 1E400 and duplicate keys, or overflow the stack.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "perdure/result.h"
#include "perdure/value.h"

namespace perdure::json {

struct Limits {
  std::size_t max_depth = 64;               ///< arrays and objects inside each other
  std::size_t max_bytes = 16 * 1024 * 1024; ///< of the text
};

/// Parses one JSON document (RFC 8259). Refuses with position and reason: bad syntax, invalid
/// UTF-8, lone surrogates, duplicate keys, numbers beyond double, integers beyond int64, too deep,
/// too large.
[[nodiscard]] Result<Value> parse(std::string_view text, const Limits& limits = {});

/// Compact text; doubles in their shortest form that reads back to the same bits.
[[nodiscard]] std::string write(const Value& value);
/// Indented by two spaces, for people.
[[nodiscard]] std::string write_pretty(const Value& value);

/// Appending building blocks for writers that have no Value at hand (facts).
void append(std::string& out, const Value& value);
void append_string(std::string& out, std::string_view text);
void append_int(std::string& out, std::int64_t number);
void append_double(std::string& out, double number);

} // namespace perdure::json
