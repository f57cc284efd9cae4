// Decimals: text, exactness, rounding, and the way to and from Values.
#include "expr/decimal.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace perdure::expr {
namespace {

std::string normal(std::string_view text) {
  const auto number = Decimal::parse(text);
  return number ? number->text() : "refused";
}

TEST(Decimal, ParsesAndPrints) {
  const struct {
    std::string_view text, printed;
  } cases[] = {
      {"0", "0"},
      {"-0.00", "0"},
      {"+1", "1"},
      {"1.500", "1.5"},
      {".5", "0.5"},
      {"100", "100"},
      {"1e2", "100"},
      {"1.5E-3", "0.0015"},
      {"0.0000000001", "0.0000000001"},
      {"1e39", "1000000000000000000000000000000000000000"},
      {"1e40", "1E+40"},
      {"-1.5e300", "-1.5E+300"},
      {"1e-50", "1E-50"},
      {"12345678901234567890123456789012345", "12345678901234567890123456789012340"},
      {"0.3333333333333333333333333333333333", "0.3333333333333333333333333333333333"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(normal(c.text), c.printed) << c.text;
  for (const std::string_view text : {"", "-", ".", "1.", "1e", "e1", "0x10", "1 ", " 1", "Inf",
                                      "NaN", "1e9999", "1e9999999999", "1,5", "--1", "1.2.3"}) {
    EXPECT_EQ(normal(text), "refused") << text;
  }
}

TEST(Decimal, EveryDoubleMakesTheRoundTrip) {
  std::mt19937_64 random(34);
  for (int i = 0; i < 20'000; ++i) {
    const auto number = std::bit_cast<double>(random());
    if (!std::isfinite(number)) continue;
    const auto value = Decimal(number).to_value();
    ASSERT_TRUE(value);
    ASSERT_EQ(*value, Value(number)) << number;
  }
}

TEST(Decimal, IntegersStayIntegers) {
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  for (const auto number : {kMin, kMin + 1, std::int64_t{-1}, std::int64_t{0}, kMax - 1, kMax}) {
    const auto value = Decimal(number).to_value();
    ASSERT_TRUE(value && value->is_int());
    EXPECT_EQ(*value->as<std::int64_t>(), number);
  }
  EXPECT_TRUE((Decimal(kMax) + 1).to_value()->is_double());
  EXPECT_EQ(Decimal::parse("1.5")->as_int64(), std::nullopt);
  EXPECT_EQ(Decimal::parse("2.00")->as_int64(), 2);
}

TEST(Decimal, OrdersNumerically) {
  EXPECT_EQ(*Decimal::parse("1.0"), *Decimal::parse("1.00"));
  EXPECT_LT(Decimal(-1), Decimal(0));
  EXPECT_GT(*Decimal::parse("1e100"), Decimal(std::numeric_limits<std::int64_t>::max()));
  const auto none = Decimal(0) / Decimal(0);
  EXPECT_FALSE(none.is_finite());
  EXPECT_FALSE(none == none);
  EXPECT_FALSE(none < Decimal(1));
  EXPECT_FALSE((Decimal(1) / Decimal(0)).to_value());
}

TEST(Decimal, RoundsEachWay) {
  const struct {
    std::string_view number;
    int scale;
    std::string_view half_even, half_up, half_down, up, down, floor, ceiling;
  } cases[] = {
      {"2.5", 0, "2", "3", "2", "3", "2", "2", "3"},
      {"3.5", 0, "4", "4", "3", "4", "3", "3", "4"},
      {"-2.5", 0, "-2", "-3", "-2", "-3", "-2", "-3", "-2"},
      {"2.51", 0, "3", "3", "3", "3", "2", "2", "3"},
      {"0.4", 0, "0", "0", "0", "1", "0", "0", "1"},
      {"0.04", 0, "0", "0", "0", "1", "0", "0", "1"},
      {"-0.04", 0, "0", "0", "0", "-1", "0", "-1", "0"},
      {"1.005", 2, "1", "1.01", "1", "1.01", "1", "1", "1.01"},
      {"9.99", 1, "10", "10", "10", "10", "9.9", "9.9", "10"},
      {"1250", -2, "1200", "1300", "1200", "1300", "1200", "1200", "1300"},
      {"7", 3, "7", "7", "7", "7", "7", "7", "7"},
  };
  for (const auto& c : cases) {
    const auto number = *Decimal::parse(c.number);
    EXPECT_EQ(number.rounded(Rounding::half_even, c.scale).text(), c.half_even) << c.number;
    EXPECT_EQ(number.rounded(Rounding::half_up, c.scale).text(), c.half_up) << c.number;
    EXPECT_EQ(number.rounded(Rounding::half_down, c.scale).text(), c.half_down) << c.number;
    EXPECT_EQ(number.rounded(Rounding::up, c.scale).text(), c.up) << c.number;
    EXPECT_EQ(number.rounded(Rounding::down, c.scale).text(), c.down) << c.number;
    EXPECT_EQ(number.rounded(Rounding::floor, c.scale).text(), c.floor) << c.number;
    EXPECT_EQ(number.rounded(Rounding::ceiling, c.scale).text(), c.ceiling) << c.number;
  }
}

TEST(Decimal, PowersOfFewDigitsAreExact) {
  EXPECT_EQ(Decimal::parse("1.05")->power(10).text(), "1.62889462677744140625");
  EXPECT_EQ(Decimal(2).power(100).text(), "1267650600228229401496703205376");
  EXPECT_EQ(Decimal(-2).power(3).text(), "-8");
  EXPECT_EQ(Decimal(10).power(-3).text(), "0.001");
  EXPECT_EQ(Decimal(4).power(*Decimal::parse("0.5")), Decimal(2));
}

} // namespace
} // namespace perdure::expr
