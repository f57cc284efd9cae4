#include "base/utf8.h"

#include <algorithm>

namespace perdure::utf8 {

namespace {

unsigned byte_at(std::string_view text, std::size_t index) {
  return static_cast<unsigned char>(text[index]);
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Bytes of the sequence that this byte leads; 0 when it leads none.
std::size_t sequence_length(unsigned lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  if (lead >= 0xF0 && lead < 0xF5) return 4;
  return 0;
}

/// The second byte excludes overlong forms, surrogates and what lies beyond U+10FFFF.
bool is_second(unsigned lead, unsigned second) {
  switch (lead) {
    case 0xE0: return second >= 0xA0;
    case 0xED: return second < 0xA0;
    case 0xF0: return second >= 0x90;
    case 0xF4: return second < 0x90;
    default: return true;
  }
}

} // namespace

bool is_valid(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const unsigned lead = byte_at(text, i);
    const auto size = sequence_length(lead);
    if (size == 0 || size > text.size() - i) return false;
    if (!std::ranges::all_of(text.substr(i + 1, size - 1), is_continuation)) return false;
    if (size > 1 && !is_second(lead, byte_at(text, i + 1))) return false;
    i += size;
  }
  return true;
}

std::size_t length(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, is_continuation));
}

std::size_t offset_of(std::string_view text, std::size_t index) {
  std::size_t offset = 0;
  for (; offset < text.size(); ++offset) {
    if (is_continuation(text[offset])) continue;
    if (index == 0) break;
    --index;
  }
  return offset;
}

void append(std::string& out, std::uint32_t code_point) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | code_point >> 6);
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | code_point >> 12);
    put(0x80 | (code_point >> 6 & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | code_point >> 18);
    put(0x80 | (code_point >> 12 & 0x3F));
    put(0x80 | (code_point >> 6 & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

std::uint32_t take(std::string_view& text) {
  const std::uint32_t lead = byte_at(text, 0);
  const auto size = std::min(std::max<std::size_t>(sequence_length(lead), 1), text.size());
  static constexpr std::uint32_t kLeadBits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  std::uint32_t code_point = lead & kLeadBits[size];
  for (std::size_t i = 1; i < size; ++i)
    code_point = code_point << 6 | (byte_at(text, i) & 0x3F);
  text.remove_prefix(size);
  return code_point;
}

} // namespace perdure::utf8
