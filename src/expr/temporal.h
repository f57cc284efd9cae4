// FEEL's temporal values: date, time, date and time, and the two kinds of duration. Plain data with
// ISO 8601 texts; nothing here reads a clock.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "expr/decimal.h"

namespace perdure::expr {

inline constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
inline constexpr std::int64_t kSecondsPerDay = 86'400;
inline constexpr std::int32_t kMaxYear = 999'999'999;

/// A day of the proleptic Gregorian calendar; years from -kMaxYear to kMaxYear.
struct Date {
  std::int32_t year = 1970;
  std::int8_t month = 1;
  std::int8_t day = 1;

  friend bool operator==(const Date&, const Date&) = default;
  friend auto operator<=>(const Date&, const Date&) = default;

  /// nullopt when there is no such day.
  [[nodiscard]] static std::optional<Date> of(std::int64_t year, std::int64_t month,
                                              std::int64_t day);
  /// From days since 1970-01-01; nullopt beyond the years allowed.
  [[nodiscard]] static std::optional<Date> from_days(std::int64_t days);
  /// "2024-02-29", with a sign before negative years; nullopt for anything else.
  [[nodiscard]] static std::optional<Date> parse(std::string_view text);

  /// Days since 1970-01-01.
  [[nodiscard]] std::int64_t days() const;
  /// Calendar months later; a day beyond the end of the month becomes its last day.
  [[nodiscard]] std::optional<Date> plus_months(std::int64_t months) const;
  /// 1 is Monday, 7 Sunday.
  [[nodiscard]] int weekday() const;
  [[nodiscard]] int day_of_year() const;
  /// ISO 8601: week 1 has the year's first Thursday.
  [[nodiscard]] int week_of_year() const;
  [[nodiscard]] std::string text() const;
};

[[nodiscard]] int days_in_month(std::int64_t year, int month);

/// Where a time of day is meant: nowhere in particular, at an offset from UTC, or in a named zone.
struct Place {
  enum class Kind : std::uint8_t { local, offset, zone };
  Kind kind = Kind::local;
  std::uint16_t zone = 0;          ///< of zones.h, when kind is zone
  std::int32_t offset_seconds = 0; ///< when kind is offset

  friend bool operator==(const Place&, const Place&) = default;
  /// "", "Z", "+01:00", "@Europe/Paris"
  [[nodiscard]] std::string text() const;
  /// Reads what text() writes, also an offset with seconds; up to 18 hours either way.
  [[nodiscard]] static std::optional<Place> parse(std::string_view text);
};

/// A time of day.
struct Time {
  std::int64_t nanos = 0; ///< since midnight, below one day
  Place place;

  /// "10:20:30.5+01:00"; 24:00:00 is refused.
  [[nodiscard]] static std::optional<Time> parse(std::string_view text);
  [[nodiscard]] int hour() const;
  [[nodiscard]] int minute() const;
  [[nodiscard]] int second() const;
  /// From UTC; nullopt for a local time. A named zone counts as on 1970-01-01.
  [[nodiscard]] std::optional<std::int32_t> offset() const;
  [[nodiscard]] std::string text() const;
  friend bool operator==(const Time&, const Time&) = default;
};

/// A point of time: a date and a time of day.
struct DateTime {
  Date date;
  Time time;

  /// "2024-02-29T10:20:30@Europe/Paris".
  [[nodiscard]] static std::optional<DateTime> parse(std::string_view text);
  /// From UTC at that moment; nullopt for a local one.
  [[nodiscard]] std::optional<std::int32_t> offset() const;
  /// Whole seconds since 1970-01-01T00:00:00Z, a local one as if it were UTC. The rest is
  /// time.nanos % kNanosPerSecond.
  [[nodiscard]] std::int64_t utc_seconds() const;
  /// The moment that many UTC seconds after 1970, shown at `place`.
  [[nodiscard]] static std::optional<DateTime> from_utc(std::int64_t seconds, std::int64_t nanos,
                                                        Place place);
  [[nodiscard]] std::string text() const;
  friend bool operator==(const DateTime&, const DateTime&) = default;
};

/// A days and time duration, exact to the nanosecond.
struct DaysDuration {
  Decimal seconds;

  /// Rounds to nanoseconds; nullopt beyond twice the calendar.
  [[nodiscard]] static std::optional<DaysDuration> of(const Decimal& seconds);
  /// "P1DT2H3M4.5S", "-PT1S"; nullopt for anything else.
  [[nodiscard]] static std::optional<DaysDuration> parse(std::string_view text);
  [[nodiscard]] std::string text() const;
  friend bool operator==(const DaysDuration&, const DaysDuration&) = default;
  friend std::partial_ordering operator<=>(const DaysDuration&, const DaysDuration&) = default;
};

/// A years and months duration.
struct MonthsDuration {
  std::int64_t months = 0;

  /// "P1Y2M", "-P3M"; nullopt for anything else.
  [[nodiscard]] static std::optional<MonthsDuration> parse(std::string_view text);
  [[nodiscard]] std::string text() const;
  friend bool operator==(const MonthsDuration&, const MonthsDuration&) = default;
  friend auto operator<=>(const MonthsDuration&, const MonthsDuration&) = default;
};

} // namespace perdure::expr
