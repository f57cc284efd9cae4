// The only file that knows Intel's decimal library (Debian: libintelrdfpmath-dev). We link the
// variant without global state: arguments by value, rounding mode and flags as parameters.
#include "expr/decimal.h"

#include <bid_conf.h>
#include <bid_functions.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

namespace perdure::expr {

static_assert(sizeof(BID_UINT128) == 16 && alignof(BID_UINT128) == 16);

struct Decimal::Raw {
  static BID_UINT128 of(const Decimal& number) { return std::bit_cast<BID_UINT128>(number.bits_); }
  static Decimal back(BID_UINT128 raw) {
    Decimal number;
    number.bits_ = std::bit_cast<std::array<std::uint64_t, 2>>(raw);
    return number;
  }
};

namespace {

// The encoding (IEEE 754, binary integer significand): sign, 14 bits of exponent, 113 bits of
// digits; unless the two bits behind the sign are both set, which infinity, NaN and numbers out of
// the canonical range have. What is done without the library here is what conditions do most.
constexpr int kExponentBias = 6176;
constexpr int kExponentShift = 49;
constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;
constexpr std::uint64_t kSpecialBits = std::uint64_t{3} << 61;
constexpr std::uint64_t kExponentBits = std::uint64_t{0x3FFF} << kExponentShift;
constexpr std::uint64_t kHighDigits = (std::uint64_t{1} << kExponentShift) - 1;

using Bits = std::array<std::uint64_t, 2>; // low, high

bool is_plain(const Bits& bits) { return (bits[1] & kSpecialBits) != kSpecialBits; }

Bits encoded(std::int64_t digits, int exponent) {
  const auto size = static_cast<std::uint64_t>(digits);
  const bool is_negative = digits < 0;
  return {is_negative ? 0 - size : size,
          (is_negative ? kSignBit : 0) | static_cast<std::uint64_t>(exponent + kExponentBias)
                                             << kExponentShift};
}

/// Numbers of one exponent compare by their digits; nullopt for others.
std::optional<std::strong_ordering> quick_order(const Bits& left, const Bits& right) {
  const bool are_alike =
      is_plain(left) && is_plain(right) && (left[1] & kExponentBits) == (right[1] & kExponentBits);
  const bool are_small = ((left[1] | right[1]) & kHighDigits) == 0;
  if (!are_alike || !are_small) return std::nullopt;
  const bool left_negative = (left[1] & kSignBit) != 0 && left[0] != 0;
  const bool right_negative = (right[1] & kSignBit) != 0 && right[0] != 0;
  if (left_negative != right_negative) return right_negative <=> left_negative;
  return left_negative ? right[0] <=> left[0] : left[0] <=> right[0];
}

/// A double of few digits, found without writing it as text; nullopt for others. Up to 15 digits
/// only one decimal reads back to the double.
std::optional<Bits> quick_decimal(double number) {
  constexpr std::array kPowers = {1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
  constexpr double kMost = 1e15;
  for (int places = 0; places < static_cast<int>(kPowers.size()); ++places) {
    const auto power = kPowers[static_cast<std::size_t>(places)];
    const double scaled = number * power;
    if (!(std::abs(scaled) < kMost)) return std::nullopt;
    if (scaled != std::trunc(scaled) || scaled / power != number) continue;
    return encoded(static_cast<std::int64_t>(scaled), -places);
  }
  return std::nullopt;
}

constexpr _IDEC_round kHalfEven = 0;
constexpr int kDigits = 34;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes leading digits off; how many.
std::size_t skip_digits(std::string_view& text) {
  const auto count =
      static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
  text.remove_prefix(count);
  return count;
}

bool is_number_text(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  auto digits = skip_digits(text);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const auto fraction = skip_digits(text);
    if (fraction == 0) return false;
    digits += fraction;
  }
  if (digits == 0) return false;
  if (!text.starts_with('e') && !text.starts_with('E')) return text.empty();
  text.remove_prefix(1);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const auto exponent = skip_digits(text);
  return exponent >= 1 && exponent <= 9 && text.empty();
}

/// Sign, digits without leading or trailing zeros, and the exponent of the last digit.
struct Parts {
  bool negative = false;
  std::string digits;
  int exponent = 0;
};

Parts parts_of(BID_UINT128 raw) {
  char buffer[64] = {};
  _IDEC_flags flags = 0;
  bid128_to_string(buffer, raw, &flags); // always "+123E-4"
  const std::string_view text(buffer);
  const auto mark = text.find('E');
  Parts parts{text.front() == '-', std::string(text.substr(1, mark - 1)), 0};
  auto exponent = text.substr(mark + 1);
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), parts.exponent);
  parts.digits.erase(0, parts.digits.find_first_not_of('0'));
  while (!parts.digits.empty() && parts.digits.back() == '0') {
    parts.digits.pop_back();
    ++parts.exponent;
  }
  if (parts.digits.empty()) return {false, "0", 0};
  return parts;
}

/// With at most `kDigits` multiplications a product of few digits stays exact.
Decimal whole_power(Decimal base, std::int64_t exponent) {
  Decimal result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = result * base;
    if (exponent > 1) base = base * base;
  }
  return result;
}

} // namespace

Decimal::Decimal(std::int64_t number) : bits_(encoded(number, 0)) {}

Decimal::Decimal(double number) {
  if (const auto quick = quick_decimal(number)) {
    bits_ = *quick;
    return;
  }
  char buffer[40];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer - 1, number);
  *end = '\0';
  _IDEC_flags flags = 0;
  *this = Raw::back(bid128_from_string(buffer, kHalfEven, &flags));
}

std::optional<Decimal> Decimal::parse(std::string_view text) {
  if (!is_number_text(text)) return std::nullopt;
  std::string terminated(text);
  _IDEC_flags flags = 0;
  const auto number = Raw::back(bid128_from_string(terminated.data(), kHalfEven, &flags));
  return number.is_finite() ? std::optional(number) : std::nullopt;
}

Decimal operator+(const Decimal& left, const Decimal& right) {
  _IDEC_flags flags = 0;
  return Decimal::Raw::back(
      bid128_add(Decimal::Raw::of(left), Decimal::Raw::of(right), kHalfEven, &flags));
}

Decimal operator-(const Decimal& left, const Decimal& right) {
  _IDEC_flags flags = 0;
  return Decimal::Raw::back(
      bid128_sub(Decimal::Raw::of(left), Decimal::Raw::of(right), kHalfEven, &flags));
}

Decimal operator*(const Decimal& left, const Decimal& right) {
  _IDEC_flags flags = 0;
  return Decimal::Raw::back(
      bid128_mul(Decimal::Raw::of(left), Decimal::Raw::of(right), kHalfEven, &flags));
}

Decimal operator/(const Decimal& left, const Decimal& right) {
  _IDEC_flags flags = 0;
  return Decimal::Raw::back(
      bid128_div(Decimal::Raw::of(left), Decimal::Raw::of(right), kHalfEven, &flags));
}

Decimal Decimal::operator-() const { return Raw::back(bid128_negate(Raw::of(*this))); }

bool operator==(const Decimal& left, const Decimal& right) {
  if (const auto order = quick_order(left.bits_, right.bits_)) return *order == 0;
  _IDEC_flags flags = 0;
  return bid128_quiet_equal(Decimal::Raw::of(left), Decimal::Raw::of(right), &flags) != 0;
}

std::partial_ordering operator<=>(const Decimal& left, const Decimal& right) {
  if (const auto order = quick_order(left.bits_, right.bits_)) return *order;
  if (left == right) return std::partial_ordering::equivalent;
  const auto one = Decimal::Raw::of(left);
  const auto other = Decimal::Raw::of(right);
  _IDEC_flags flags = 0;
  if (bid128_quiet_less(one, other, &flags) != 0) return std::partial_ordering::less;
  if (bid128_quiet_less(other, one, &flags) != 0) return std::partial_ordering::greater;
  return std::partial_ordering::unordered;
}

Decimal Decimal::power(const Decimal& exponent) const {
  // Squaring is exact while the digits fit; the library's pow goes through logarithms.
  const auto whole = exponent.as_int64();
  if (whole && *whole >= 0 && *whole <= 1000) return whole_power(*this, *whole);
  if (whole && *whole < 0 && *whole >= -1000) return Decimal(1) / whole_power(*this, -*whole);
  _IDEC_flags flags = 0;
  return Raw::back(bid128_pow(Raw::of(*this), Raw::of(exponent), kHalfEven, &flags));
}

Decimal Decimal::remainder(const Decimal& divisor) const {
  _IDEC_flags flags = 0;
  return Raw::back(bid128_fmod(Raw::of(*this), Raw::of(divisor), &flags));
}

Decimal Decimal::rounded(Rounding rounding, int scale) const {
  if (!is_finite() || *this == Decimal()) return *this;
  const auto parts = parts_of(Raw::of(*this));
  // The digits that would be cut off; none means that it is round already.
  const auto cut = -(parts.exponent + std::int64_t{scale});
  if (cut <= 0) return *this;
  const auto size = static_cast<std::int64_t>(parts.digits.size());
  const auto kept = parts.digits.substr(0, static_cast<std::size_t>(std::max(size - cut, 0L)));
  const auto first_cut = cut > size ? '0' : parts.digits[static_cast<std::size_t>(size - cut)];
  const bool half = cut <= size && first_cut == '5' && cut == 1;
  const bool above_half = cut <= size && first_cut >= '5' && !half;
  const bool odd = !kept.empty() && (kept.back() - '0') % 2 == 1;
  bool away = false;
  switch (rounding) {
    case Rounding::half_even: away = above_half || (half && odd); break;
    case Rounding::half_up: away = above_half || half; break;
    case Rounding::half_down: away = above_half; break;
    case Rounding::up: away = true; break;
    case Rounding::down: away = false; break;
    case Rounding::floor: away = parts.negative; break;
    case Rounding::ceiling: away = !parts.negative; break;
  }
  const auto exponent = "e" + std::to_string(-std::int64_t{scale});
  auto result = parse((kept.empty() ? "0" : kept) + exponent).value_or(Decimal());
  if (away) result = result + parse("1" + exponent).value_or(Decimal());
  return parts.negative ? -result : result;
}

Decimal Decimal::absolute() const { return Raw::back(bid128_abs(Raw::of(*this))); }

Decimal Decimal::square_root() const {
  _IDEC_flags flags = 0;
  return Raw::back(bid128_sqrt(Raw::of(*this), kHalfEven, &flags));
}

Decimal Decimal::logarithm() const {
  _IDEC_flags flags = 0;
  return Raw::back(bid128_log(Raw::of(*this), kHalfEven, &flags));
}

Decimal Decimal::exponential() const {
  _IDEC_flags flags = 0;
  return Raw::back(bid128_exp(Raw::of(*this), kHalfEven, &flags));
}

bool Decimal::is_finite() const {
  if (is_plain(bits_)) return true;
  return bid128_isFinite(Raw::of(*this)) != 0;
}

bool Decimal::is_negative() const { return *this < Decimal(0); }

std::optional<std::int64_t> Decimal::as_int64() const {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  constexpr auto kWhole = std::uint64_t{kExponentBias} << kExponentShift;
  if ((bits_[1] & ~kSignBit) == kWhole && bits_[0] <= kMost) {
    const auto size = static_cast<std::int64_t>(bits_[0]);
    return (bits_[1] & kSignBit) != 0 ? -size : size;
  }
  _IDEC_flags flags = 0;
  const auto number = bid128_to_int64_xint(Raw::of(*this), &flags);
  // Inexact or out of range.
  if (flags != 0) return std::nullopt;
  return number;
}

std::string Decimal::text() const {
  if (!is_finite()) return "null";
  const auto [negative, digits, exponent] = parts_of(Raw::of(*this));
  const auto size = static_cast<int>(digits.size());
  const int point = size + exponent; // digits before the decimal point
  std::string out = negative ? "-" : "";
  if (exponent >= 0 && point <= kDigits + 6) {
    return out + digits + std::string(static_cast<std::size_t>(exponent), '0');
  }
  if (point > kDigits + 6 || point < -kDigits) {
    out += digits.substr(0, 1);
    if (size > 1) out += "." + digits.substr(1);
    return out + "E" + (point > 0 ? "+" : "") + std::to_string(point - 1);
  }
  if (point <= 0) return out + "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
  const auto whole = static_cast<std::size_t>(point);
  return out + digits.substr(0, whole) + "." + digits.substr(whole);
}

std::optional<Value> Decimal::to_value() const {
  if (!is_finite()) return std::nullopt;
  if (const auto whole = as_int64()) return Value(*whole);
  const auto digits = text();
  double number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error == std::errc::result_out_of_range && absolute() < Decimal(1)) return Value(0);
  if (error != std::errc{} || !std::isfinite(number)) return std::nullopt;
  return Value(number);
}

} // namespace perdure::expr
