// Instants and durations as text: tables of good and hostile input.
#include "base/time.h"

#include <gtest/gtest.h>

#include <limits>

namespace perdure {
namespace {

std::string normal(std::string_view text) {
  const auto instant = parse_instant(text);
  return instant ? to_text(*instant) : "refused";
}

TEST(Time, ParsesInstants) {
  const struct {
    std::string_view text, instant;
  } cases[] = {
      {"2026-11-30T06:36:25.123Z", "2026-11-30T06:36:25.123Z"},
      {"2026-11-30T06:36:25Z", "2026-11-30T06:36:25.000Z"},
      {"2026-11-30T06:36Z", "2026-11-30T06:36:00.000Z"},
      {"2026-11-30t06:36:25z", "2026-11-30T06:36:25.000Z"},
      {"2026-11-30 06:36:25", "2026-11-30T06:36:25.000Z"},
      {"2026-11-30", "2026-11-30T00:00:00.000Z"},
      {"2026-11-30T06:36:25,5Z", "2026-11-30T06:36:25.500Z"},
      {"2026-11-30T06:36:25.123999999999999999999Z", "2026-11-30T06:36:25.123Z"},
      {"2026-11-30T06:36:25+02:00", "2026-11-30T04:36:25.000Z"},
      {"2026-11-30T06:36:25-0530", "2026-11-30T12:06:25.000Z"},
      {"2026-11-30T06:36:25.5+01", "2026-11-30T05:36:25.500Z"},
      {"2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00.000Z"},
      {"2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"},
      {"1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"},
      {"0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000Z"},
      {"9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(normal(c.text), c.instant) << c.text;
}

TEST(Time, RefusesWhatIsNoInstant) {
  for (const std::string_view text : {"",
                                      "2026",
                                      "2026-11",
                                      "2026-13-01",
                                      "2026-02-29",
                                      "2026-00-10",
                                      "2026-11-31",
                                      "2026-11-30T",
                                      "2026-11-30T24:00:00Z",
                                      "2026-11-30T06:60:00Z",
                                      "2026-11-30T06:36:60Z",
                                      "2026-11-30T06:36:25.Z",
                                      "2026-11-30T06:36:25X",
                                      "2026-11-30T06:36:25+",
                                      "26-11-30",
                                      "2026-11-30T06:36:25+2:00",
                                      "2026-11-30T06:36:25+24:00",
                                      "2026-11-30T06:36:25+01:60",
                                      "2026-11-30T06:36:25Z ",
                                      " 2026-11-30T06:36:25Z",
                                      "2026-11-30T06:36:25+02:",
                                      "2026-11-30T06:36:25[Europe/Berlin]",
                                      "20261130T063625Z",
                                      "+2026-11-30",
                                      "now",
                                      "0000-01-01T00:00:00+01:00",
                                      "9999-12-31T23:59:59-01:00",
                                      "2026-1a-30"}) {
    EXPECT_EQ(normal(text), "refused") << text;
  }
  const auto refused = parse_instant(std::string(100'000, '9'));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_input);
  EXPECT_LT(refused.error().message.size(), 200u);
}

TEST(Time, TextIsBoundedAtBothEnds) {
  EXPECT_EQ(to_text(from_ms(std::numeric_limits<std::int64_t>::max())), "9999-12-31T23:59:59.999Z");
  EXPECT_EQ(to_text(from_ms(std::numeric_limits<std::int64_t>::min())), "0000-01-01T00:00:00.000Z");
  EXPECT_EQ(to_text(from_ms(0)), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(to_text(from_ms(-1)), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(to_ms(*parse_instant("1970-01-01T00:00:01Z")), 1000);
}

std::string later(std::string_view from, std::string_view duration) {
  const auto instant = add_iso_duration(*parse_instant(from), duration);
  return instant ? to_text(*instant) : "refused";
}

TEST(Time, AddsDurations) {
  const struct {
    std::string_view from, duration, until;
  } cases[] = {
      {"2026-11-30", "PT1M30S", "2026-11-30T00:01:30.000Z"},
      {"2026-11-30", "PT0S", "2026-11-30T00:00:00.000Z"},
      {"2026-11-30", "PT0.25S", "2026-11-30T00:00:00.250Z"},
      {"2026-11-30", "PT1,5S", "2026-11-30T00:00:01.500Z"},
      {"2026-11-30", "P1W", "2026-12-07T00:00:00.000Z"},
      {"2026-11-30", "P1DT12H", "2026-12-01T12:00:00.000Z"},
      {"2026-11-30", "p1dt12h", "2026-12-01T12:00:00.000Z"},
      {"2026-11-30", "PT36H", "2026-12-01T12:00:00.000Z"},
      {"2026-11-30", "-P1D", "2026-11-29T00:00:00.000Z"},
      {"2026-11-30", "+P1D", "2026-12-01T00:00:00.000Z"},
      {"2026-01-31T10:00:00Z", "P1M", "2026-02-28T10:00:00.000Z"},
      {"2024-01-31", "P1M", "2024-02-29T00:00:00.000Z"},
      {"2024-02-29", "P1Y", "2025-02-28T00:00:00.000Z"},
      {"2024-02-29", "P4Y", "2028-02-29T00:00:00.000Z"},
      {"2026-03-31", "-P1M", "2026-02-28T00:00:00.000Z"},
      {"2026-11-30", "P2M", "2027-01-30T00:00:00.000Z"},
      {"2026-01-30", "P1Y2M3DT4H5M6.789S", "2027-04-02T04:05:06.789Z"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(later(c.from, c.duration), c.until) << c.duration;
}

TEST(Time, RefusesWhatIsNoDuration) {
  for (const std::string_view text : {"",
                                      "P",
                                      "PT",
                                      "P1",
                                      "1D",
                                      "P1DT",
                                      "P1S",
                                      "PT1D",
                                      "PT1S1M",
                                      "P1D1D",
                                      "P1M1Y",
                                      "PT1.5H",
                                      "P1.5D",
                                      "PT.5S",
                                      "PT1.S",
                                      "PT-5M",
                                      "P 1D",
                                      "P1D ",
                                      "PT1S1",
                                      "P1DT1HT1M",
                                      "PT1X",
                                      "P1000000000D",
                                      "P99999999999999999999D",
                                      "P1DP1D",
                                      "PTT1S"}) {
    EXPECT_EQ(later("2026-11-30", text), "refused") << text;
  }
  EXPECT_EQ(later("2026-11-30", "P8000Y"), "refused");
  EXPECT_EQ(later("2026-11-30", "-P2027Y"), "refused");
  EXPECT_EQ(later("2026-11-30", "P999999999Y999999999M999999999W999999999DT999999999H"), "refused");
  EXPECT_FALSE(add_iso_duration(from_ms(std::numeric_limits<std::int64_t>::max()), "PT1S"));
}

} // namespace
} // namespace perdure
