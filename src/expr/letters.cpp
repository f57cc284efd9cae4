#include "expr/letters.h"

#include <array>
#include <cstdint>

#include "base/utf8.h"

namespace perdure::expr {

namespace {

/// Letters whose other case is a fixed step away; pairs stand even/odd or odd/even.
struct CaseRange {
  std::uint32_t first_upper, last_upper;
  std::uint32_t step; ///< 1: upper and lower alternate, beginning with an upper one
};

constexpr std::array kCases = std::to_array<CaseRange>({
    {'A', 'Z', 32},
    {0xC0, 0xD6, 32}, // Latin-1
    {0xD8, 0xDE, 32},
    {0x100, 0x12E, 1}, // Latin Extended-A
    {0x132, 0x136, 1},
    {0x139, 0x147, 1},
    {0x14A, 0x176, 1},
    {0x179, 0x17D, 1},
    {0x391, 0x3A1, 32}, // Greek
    {0x3A3, 0x3AB, 32},
    {0x410, 0x42F, 32}, // Cyrillic
    {0x400, 0x40F, 80},
    {0x460, 0x480, 1},
    {0x48A, 0x4BE, 1},
    {0x4D0, 0x52E, 1},
    {0x531, 0x556, 48},  // Armenian
    {0x1E00, 0x1E94, 1}, // Latin Extended Additional
    {0x1EA0, 0x1EFE, 1},
});

constexpr std::uint32_t kSharpS = 0xDF; // its upper case is two letters

std::uint32_t other_case(std::uint32_t letter, bool upper) {
  for (const auto& [first, last, step] : kCases) {
    const auto as_upper = upper ? letter - step : letter;
    if (as_upper < first || as_upper > last) continue;
    if (step == 1 && (as_upper - first) % 2 != 0) continue;
    return upper ? as_upper : letter + step;
  }
  return letter;
}

std::string in_case(std::string_view text, bool upper) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto letter = utf8::take(text);
    if (upper && letter == kSharpS) {
      out += "SS";
    } else {
      utf8::append(out, other_case(letter, upper));
    }
  }
  return out;
}

} // namespace

std::string in_upper_case(std::string_view text) { return in_case(text, true); }

std::string in_lower_case(std::string_view text) { return in_case(text, false); }

} // namespace perdure::expr
