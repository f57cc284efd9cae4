#include "flow/storable.h"

#include <algorithm>
#include <cmath>

#include "base/utf8.h"
#include "perdure/convert.h"

namespace perdure::flow {

namespace {

bool is_name(std::string_view text) {
  return utf8::is_valid(text) && text.find('\0') == std::string_view::npos;
}

} // namespace

bool is_storable(const Value& value) {
  if (const auto* text = value.as<std::string>()) return utf8::is_valid(*text);
  if (const auto* number = value.as<double>()) return std::isfinite(*number);
  if (const auto* list = value.as<Array>()) return std::ranges::all_of(*list, is_storable);
  if (const auto* object = value.as<Object>()) {
    return std::ranges::all_of(*object, [](const Object::Member& member) {
      return utf8::is_valid(member.first) && is_storable(member.second);
    });
  }
  return true;
}

void require_storable(const Value& value, std::string_view what) {
  if (is_storable(value)) return;
  throw BadValue(std::string(what) +
                 " holds a text that is not UTF-8, or a number that is not finite; keep bytes as "
                 "std::vector<std::byte>");
}

void require_name(std::string_view name, std::string_view what) {
  if (!is_name(name)) throw BadValue(std::string(what) + " is not UTF-8 without a zero byte");
}

std::string readable(std::string_view text) {
  std::string shown(text);
  if (is_name(text)) return shown;
  for (auto& byte : shown) {
    if (static_cast<unsigned char>(byte) >= 0x80 || byte == '\0') byte = '?';
  }
  return shown;
}

} // namespace perdure::flow
