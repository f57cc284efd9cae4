// Keys: int64, unique in a database, handed out in blocks, shown in JSON as decimal strings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace perdure {

using Key = std::int64_t;
inline constexpr Key kNoKey = 0;

/// A run of fresh keys that an event carries, so that a decision needs no generator.
struct KeyRange {
  Key next = 1;
  Key end = 1; ///< one past the last

  [[nodiscard]] Key take() { return next++; }
  [[nodiscard]] std::int64_t left() const { return end - next; }
};

[[nodiscard]] std::string key_text(Key key);
/// A positive decimal int64 without sign or leading zeros; nullopt otherwise.
[[nodiscard]] std::optional<Key> parse_key(std::string_view text);

} // namespace perdure
