#include "expr/recurrence.h"

#include <gtest/gtest.h>

#include <string>

namespace perdure::expr {
namespace {

const Instant kStart = *parse_instant("2026-01-31T10:00:00Z");

/// The first occurrences, each found when the one before it came, as text.
std::string series(std::string_view text, int count, Instant start = kStart) {
  const auto recurrence = Recurrence::parse(text);
  if (!recurrence) return "refused";
  std::string out;
  auto found = recurrence->first(start);
  for (int i = 0; i < count && found; ++i) {
    out += std::to_string(found->number) + " " + to_text(found->at).substr(5, 14) + "; ";
    found = recurrence->next(start, *found, found->at);
  }
  return out + (found ? "..." : "end");
}

TEST(Recurrence, CountsFromItsStart) {
  EXPECT_EQ(series("R3/PT10S", 9), "1 01-31T10:00:10; 2 01-31T10:00:20; 3 01-31T10:00:30; end");
  EXPECT_EQ(series("R/PT1H", 2), "1 01-31T11:00:00; 2 01-31T12:00:00; ...");
  EXPECT_EQ(series("R/P1M", 3), "1 02-28T10:00:00; 2 03-31T10:00:00; 3 04-30T10:00:00; ...");
  EXPECT_EQ(series("R2/2026-05-01T00:00:00Z/P1D", 9), "1 05-01T00:00:00; 2 05-02T00:00:00; end");
  EXPECT_EQ(series("R0/PT10S", 9), "end");
}

TEST(Recurrence, AStartInThePastComesAtOnceAndOnce) {
  const auto recurrence = *Recurrence::parse("R5/2026-01-31T09:00:00Z/PT20M");
  const auto first = recurrence.first(kStart);
  EXPECT_EQ(first, (Occurrence{.number = 1, .at = *parse_instant("2026-01-31T09:00:00Z")}));
  const auto second = recurrence.next(kStart, *first, kStart + Duration(1));
  EXPECT_EQ(second, (Occurrence{.number = 5, .at = *parse_instant("2026-01-31T10:20:00Z")}));
}

TEST(Recurrence, MissedOnesAreSkippedHoweverMany) {
  const auto recurrence = *Recurrence::parse("R/PT1S");
  const auto first = *recurrence.first(kStart);
  const auto late = *parse_instant("2046-01-31T10:00:00.5Z");
  const auto next = recurrence.next(kStart, first, late);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->at, *parse_instant("2046-01-31T10:00:01Z"));
  EXPECT_EQ(next->number, (next->at - kStart).count() / 1000);
}

TEST(Recurrence, Cron) {
  EXPECT_EQ(series("0 */15 8-17 * * MON-FRI", 3),
            "1 02-02T08:00:00; 2 02-02T08:15:00; 3 02-02T08:30:00; ...");
  EXPECT_EQ(series("0 0 0 29 2 ?", 2), "1 02-29T00:00:00; 2 02-29T00:00:00; ...");
  EXPECT_EQ(series("30 0 12 1,15 jan,jul *", 3),
            "1 07-01T12:00:30; 2 07-15T12:00:30; 3 01-01T12:00:30; ...");
  EXPECT_EQ(series("0 0 0 * * 7", 1), series("0 0 0 * * 0", 1));
  EXPECT_EQ(series("@daily", 1), "1 02-01T00:00:00; ...");
  EXPECT_EQ(series("0 0 0 31 2 *", 1), "end");
}

TEST(Recurrence, RefusesWhatIsNone) {
  for (const auto* text : {"",
                           "R",
                           "R/",
                           "R/P",
                           "R3",
                           "Rx/PT1S",
                           "R-1/PT1S",
                           "R/PT0S",
                           "R/-PT5S",
                           "R/2026/PT1S/x",
                           "PT10S",
                           "* * * * *",
                           "* * * * * * *",
                           "60 * * * * *",
                           "* * * 0 * *",
                           "* * * * 13 *",
                           "*/0 * * * * *",
                           "5-3 * * * * *",
                           "a * * * * *",
                           "1, * * * * *",
                           "@never"}) {
    EXPECT_EQ(series(text, 1), "refused") << text;
  }
  EXPECT_FALSE(Recurrence::parse("0" + std::string(300, ' ') + "0 0 * * *"));
}

TEST(Recurrence, DaysAreThoseOfTheClockThere) {
  // Berlin: summer time from 29 March 2026, 01:00 UTC, to 25 October, 01:00 UTC.
  EXPECT_EQ(series("R/2026-03-28T08:00:00@Europe/Berlin/P1D", 3),
            "1 03-28T07:00:00; 2 03-29T06:00:00; 3 03-30T06:00:00; ...");
  EXPECT_EQ(series("R/2026-03-28T08:00:00@Europe/Berlin/PT24H", 3),
            "1 03-28T07:00:00; 2 03-29T07:00:00; 3 03-30T07:00:00; ...");
  EXPECT_EQ(series("R/2026-10-24T08:00:00@Europe/Berlin/P1D", 3),
            "1 10-24T06:00:00; 2 10-25T07:00:00; 3 10-26T07:00:00; ...");
  EXPECT_EQ(series("R/2026-01-31T08:00:00@Europe/Berlin/P1M", 3),
            "1 01-31T07:00:00; 2 02-28T07:00:00; 3 03-31T06:00:00; ...");
  EXPECT_EQ(series("R/2026-03-28T08:00:00@Europe/Berlin/P1DT1H", 2),
            "1 03-28T07:00:00; 2 03-29T07:00:00; ...");
  EXPECT_EQ(series("CRON_TZ=Europe/Berlin 0 0 8 28-30 3 *", 3),
            "1 03-28T07:00:00; 2 03-29T06:00:00; 3 03-30T06:00:00; ...");
  EXPECT_EQ(series("CRON_TZ=America/New_York @daily", 1), "1 02-01T05:00:00; ...");
}

TEST(Recurrence, ATimeThatTheClockSkipsComesLaterAndOneThatItHasTwiceComesOnce) {
  EXPECT_EQ(series("CRON_TZ=Europe/Berlin 0 30 2 28-30 3 *", 3),
            "1 03-28T01:30:00; 2 03-29T01:30:00; 3 03-30T00:30:00; ...");
  EXPECT_EQ(series("CRON_TZ=Europe/Berlin 0 30 2 24-26 10 *", 3),
            "1 10-24T00:30:00; 2 10-25T00:30:00; 3 10-26T01:30:00; ...");
  EXPECT_EQ(series("R/2026-03-28T02:30:00@Europe/Berlin/P1D", 3),
            "1 03-28T01:30:00; 2 03-29T01:30:00; 3 03-30T00:30:00; ...");
}

TEST(Recurrence, AZoneIsOneThatThereIs) {
  for (const auto* text :
       {"R/2026-03-28T08:00:00@Europe/Nowhere/P1D", "R/2026-03-28T08:00:00Z@Europe/Berlin/P1D",
        "R/2026-03-28T08:00:00@/P1D", "CRON_TZ=Mars 0 0 8 * * *", "CRON_TZ=Europe/Berlin",
        "R/Europe/Berlin/P1D"}) {
    EXPECT_FALSE(Recurrence::parse(text)) << text;
  }
}

TEST(Moment, IsOfAZoneOrOfUtc) {
  EXPECT_EQ(parse_moment("2026-07-01T08:00:00@Europe/Berlin"),
            *parse_instant("2026-07-01T06:00:00Z"));
  EXPECT_EQ(parse_moment("2026-07-01T08:00:00+02:00"), *parse_instant("2026-07-01T06:00:00Z"));
  EXPECT_EQ(parse_moment("2026-07-01"), *parse_instant("2026-07-01T00:00:00Z"));
  EXPECT_FALSE(parse_moment("2026-07-01T08:00:00@Berlin"));
  EXPECT_FALSE(parse_moment("2026-07-01T08:00:00+02:00@Europe/Berlin"));
  EXPECT_FALSE(parse_moment("tomorrow"));
}

} // namespace
} // namespace perdure::expr
