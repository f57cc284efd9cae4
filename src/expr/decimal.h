// Decimal: a FEEL number, IEEE 754 decimal128: 34 significant digits, so that 0.1 + 0.2 = 0.3.
// Hides the library that computes it.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "perdure/value.h"

namespace perdure::expr {

enum class Rounding { half_even, half_up, half_down, up, down, floor, ceiling };

/// Results that are too large, or have no value (1 / 0), are not finite: ask is_finite().
class Decimal {
public:
  Decimal() : Decimal(0) {}
  Decimal(int number) : Decimal(std::int64_t{number}) {}
  Decimal(std::int64_t number);
  /// Through the shortest decimal text that reads back to the same double.
  explicit Decimal(double number);

  /// Digits with an optional sign, fraction and exponent ("-1.5e3"); nullopt for anything else.
  [[nodiscard]] static std::optional<Decimal> parse(std::string_view text);

  friend Decimal operator+(const Decimal& left, const Decimal& right);
  friend Decimal operator-(const Decimal& left, const Decimal& right);
  friend Decimal operator*(const Decimal& left, const Decimal& right);
  friend Decimal operator/(const Decimal& left, const Decimal& right);
  [[nodiscard]] Decimal operator-() const;

  /// Numerically: 1.0 equals 1.00.
  friend bool operator==(const Decimal& left, const Decimal& right);
  friend std::partial_ordering operator<=>(const Decimal& left, const Decimal& right);

  [[nodiscard]] Decimal power(const Decimal& exponent) const;
  /// What is left of a division that rounds towards zero; has the sign of this number.
  [[nodiscard]] Decimal remainder(const Decimal& divisor) const;
  /// To that many digits after the point; negative: tens, hundreds, ...
  [[nodiscard]] Decimal rounded(Rounding rounding, int scale = 0) const;
  [[nodiscard]] Decimal absolute() const;
  [[nodiscard]] Decimal square_root() const;
  /// To the base e.
  [[nodiscard]] Decimal logarithm() const;
  /// e to the power of this number.
  [[nodiscard]] Decimal exponential() const;

  [[nodiscard]] bool is_finite() const;
  [[nodiscard]] bool is_negative() const;
  /// The number when it is whole and fits.
  [[nodiscard]] std::optional<std::int64_t> as_int64() const;

  /// Shortest plain text; with an exponent beyond 40 digits.
  [[nodiscard]] std::string text() const;
  /// An int64 when it is whole and fits, else the nearest double. Only for finite numbers whose
  /// double is finite too; nullopt otherwise.
  [[nodiscard]] std::optional<Value> to_value() const;

private:
  struct Raw; // the library's own type, known to decimal.cpp

  alignas(16) std::array<std::uint64_t, 2> bits_{};
};

} // namespace perdure::expr
