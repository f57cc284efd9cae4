// Built-in functions on dates, times and the clock. What makes them of other values stands with the
// conversions.
#include <array>
#include <chrono>
#include <optional>

#include "expr/functions.h"

namespace perdure::expr {

namespace {

using enum Accepts;

constexpr std::array<std::string_view, 7> kDays = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                   "Friday", "Saturday", "Sunday"};
constexpr std::array<std::string_view, 12> kMonths = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};

std::optional<Date> date_of(const Datum& datum) {
  if (datum.date()) return *datum.date();
  if (datum.date_time()) return datum.date_time()->date;
  return std::nullopt;
}

/// Runs `body` on the date of the first argument.
template <class Body>
Datum with_date(const Call& call, Body body) {
  const auto date = date_of(call[0]);
  return date ? Datum(body(*date)) : call.wrong_type(0, "a date or a date and time");
}

Datum day_of_year(const Call& call) {
  return with_date(call, [](const Date& date) { return Decimal(date.day_of_year()); });
}

Datum day_of_week(const Call& call) {
  return with_date(call, [](const Date& date) {
    return Datum::borrow(kDays[static_cast<std::size_t>(date.weekday() - 1)]);
  });
}

Datum month_of_year(const Call& call) {
  return with_date(call, [](const Date& date) {
    return Datum::borrow(kMonths[static_cast<std::size_t>(date.month - 1)]);
  });
}

Datum week_of_year(const Call& call) {
  return with_date(call, [](const Date& date) { return Decimal(date.week_of_year()); });
}

Datum last_day_of_month(const Call& call) {
  return with_date(call, [](Date date) {
    date.day = static_cast<std::int8_t>(days_in_month(date.year, date.month));
    return Datum(date);
  });
}

std::optional<DateTime> moment_of(Instant instant) {
  using namespace std::chrono;
  const auto second = floor<seconds>(instant);
  const auto nanos = duration_cast<nanoseconds>(instant - second).count();
  return DateTime::from_utc(second.time_since_epoch().count(), nanos,
                            {.kind = Place::Kind::offset});
}

Datum now(const Call& call) {
  const auto instant = call.work.now();
  const auto moment = instant ? moment_of(*instant) : std::nullopt;
  return moment ? Datum(*moment) : call.invalid("there is no clock here.");
}

Datum today(const Call& call) {
  const auto moment = now(call);
  return moment.is_null() ? Datum() : Datum(moment.date_time()->date);
}

/// Whole months from one date to the other; the rest of days is cut off.
Datum months_between(const Call& call) {
  const auto from = date_of(call[0]);
  const auto to = date_of(call[1]);
  if (!from) return call.wrong_type(0, "a date or a date and time");
  if (!to) return call.wrong_type(1, "a date or a date and time");
  auto months = (std::int64_t{to->year} - from->year) * 12 + to->month - from->month;
  if (months > 0 && to->day < from->day) --months;
  if (months < 0 && to->day > from->day) ++months;
  return MonthsDuration{months};
}

constexpr std::array<Formal, 4> kDate = {Formal{"date"}};

constexpr std::array kFunctions = std::to_array<Function>({
    {"day of week", kDate, 1, day_of_week},
    {"day of year", kDate, 1, day_of_year},
    {"last day of month", kDate, 1, last_day_of_month},
    {"month of year", kDate, 1, month_of_year},
    {"now", {}, 0, now},
    {"today", {}, 0, today},
    {"week of year", kDate, 1, week_of_year},
    {"years and months duration", {{{"from"}, {"to"}}}, 2, months_between},
});

} // namespace

std::span<const Function> temporal_functions() { return kFunctions; }

} // namespace perdure::expr
