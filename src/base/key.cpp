#include "base/key.h"

#include <charconv>

namespace perdure {

std::string key_text(Key key) { return std::to_string(key); }

std::optional<Key> parse_key(std::string_view text) {
  Key key = kNoKey;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), key);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (key <= 0 || text.front() == '0') return std::nullopt;
  return key;
}

} // namespace perdure
