#include "expr/temporal_arithmetic.h"

#include <cstdint>

namespace perdure::expr {

namespace {

constexpr std::int64_t kNanosPerDay = kSecondsPerDay * kNanosPerSecond;
constexpr std::int64_t kMaxDays = 366LL * 2 * kMaxYear;
constexpr std::int64_t kMaxMonths = 24LL * kMaxYear;

Decimal nanos_as_seconds(std::int64_t nanos) { return Decimal(nanos) / Decimal(kNanosPerSecond); }

/// Whole days (rounded down) and the nanoseconds of the rest; nullopt for more than the calendar.
struct Split {
  std::int64_t days;
  std::int64_t nanos;
};

std::optional<Split> split(const DaysDuration& duration) {
  const auto days = (duration.seconds / Decimal(kSecondsPerDay)).rounded(Rounding::floor);
  const auto rest = duration.seconds - days * Decimal(kSecondsPerDay);
  const auto whole_days = days.as_int64();
  const auto nanos = (rest * Decimal(kNanosPerSecond)).as_int64();
  if (!whole_days || !nanos || *whole_days > kMaxDays || *whole_days < -kMaxDays) {
    return std::nullopt;
  }
  return Split{*whole_days, *nanos};
}

template <class T>
Datum or_null(const std::optional<T>& value) {
  return value ? Datum(*value) : Datum();
}

Datum plus(const Date& date, const DaysDuration& duration) {
  const auto parts = split(duration);
  return parts ? or_null(Date::from_days(date.days() + parts->days)) : Datum();
}

Datum plus(const Time& time, const DaysDuration& duration) {
  const auto parts = split(duration);
  if (!parts) return nullptr;
  return Time{(time.nanos + parts->nanos) % kNanosPerDay, time.place};
}

/// Along the time line: an hour across a change of the clocks is an hour.
Datum plus(const DateTime& moment, const DaysDuration& duration) {
  const auto parts = split(duration);
  if (!parts) return nullptr;
  const auto nanos = moment.time.nanos % kNanosPerSecond + parts->nanos;
  const auto seconds =
      moment.utc_seconds() + parts->days * kSecondsPerDay + nanos / kNanosPerSecond;
  return or_null(DateTime::from_utc(seconds, nanos % kNanosPerSecond, moment.time.place));
}

Datum plus(const DateTime& moment, const MonthsDuration& duration) {
  const auto date = moment.date.plus_months(duration.months);
  return date ? Datum(DateTime{*date, moment.time}) : Datum();
}

Datum months(const Decimal& count) {
  const auto whole = count.rounded(Rounding::down).as_int64();
  if (!whole || *whole > kMaxMonths || *whole < -kMaxMonths) return nullptr;
  return MonthsDuration{*whole};
}

Datum days(const Decimal& seconds) { return or_null(DaysDuration::of(seconds)); }

/// Both in the same frame: both local or both at an offset.
Datum difference(const DateTime& left, const DateTime& right) {
  if (left.offset().has_value() != right.offset().has_value()) return nullptr;
  const auto seconds = Decimal(left.utc_seconds() - right.utc_seconds());
  const auto nanos = left.time.nanos % kNanosPerSecond - right.time.nanos % kNanosPerSecond;
  return days(seconds + nanos_as_seconds(nanos));
}

Datum difference(const Time& left, const Time& right) {
  return difference(DateTime{Date{}, left}, DateTime{Date{}, right});
}

std::optional<DateTime> moment_of(const Datum& datum) {
  if (datum.date_time()) return *datum.date_time();
  if (datum.date()) return at_midnight(*datum.date());
  return std::nullopt;
}

std::optional<Datum> add(const Datum& left, const Datum& right) {
  if (const auto* duration = right.days_duration()) {
    if (left.date()) return plus(*left.date(), *duration);
    if (left.time()) return plus(*left.time(), *duration);
    if (left.date_time()) return plus(*left.date_time(), *duration);
    if (left.days_duration()) return days(left.days_duration()->seconds + duration->seconds);
    return std::nullopt;
  }
  if (const auto* duration = right.months_duration()) {
    if (left.date()) return or_null(left.date()->plus_months(duration->months));
    if (left.date_time()) return plus(*left.date_time(), *duration);
    if (const auto* other = left.months_duration()) {
      return months(Decimal(other->months) + Decimal(duration->months));
    }
    return std::nullopt;
  }
  const bool is_swapped = left.days_duration() || left.months_duration();
  return is_swapped && (right.date() || right.time() || right.date_time()) ? add(right, left)
                                                                           : std::nullopt;
}

std::optional<Datum> subtract(const Datum& left, const Datum& right) {
  if (right.days_duration()) return add(left, DaysDuration{-right.days_duration()->seconds});
  if (right.months_duration()) return add(left, MonthsDuration{-right.months_duration()->months});
  if (left.time() && right.time()) return difference(*left.time(), *right.time());
  const auto from = moment_of(left);
  const auto to = moment_of(right);
  return from && to ? std::optional(difference(*from, *to)) : std::nullopt;
}

std::optional<Datum> multiply(const Datum& left, const Datum& right) {
  if (left.number()) return right.number() ? std::nullopt : multiply(right, left);
  if (!right.number()) return std::nullopt;
  if (left.days_duration()) return days(left.days_duration()->seconds * *right.number());
  if (left.months_duration()) {
    return months(Decimal(left.months_duration()->months) * *right.number());
  }
  return std::nullopt;
}

/// Of a duration by a number, or by a duration of its kind.
std::optional<Datum> divide(const Datum& left, const Datum& right) {
  const auto ratio = [](const Decimal& one, const Decimal& other) -> Datum {
    return other == Decimal(0) ? Datum() : Datum(one / other);
  };
  if (const auto* duration = left.days_duration()) {
    if (right.days_duration()) return ratio(duration->seconds, right.days_duration()->seconds);
    if (!right.number()) return std::nullopt;
    return *right.number() == Decimal(0) ? Datum() : days(duration->seconds / *right.number());
  }
  if (const auto* duration = left.months_duration()) {
    const Decimal count(duration->months);
    if (right.months_duration()) return ratio(count, Decimal(right.months_duration()->months));
    if (!right.number()) return std::nullopt;
    return *right.number() == Decimal(0) ? Datum() : months(count / *right.number());
  }
  return std::nullopt;
}

} // namespace

DateTime at_midnight(const Date& date) {
  return {date, {.nanos = 0, .place = {.kind = Place::Kind::offset}}};
}

std::optional<Datum> calculate_temporal(Operation operation, const Datum& left,
                                        const Datum& right) {
  switch (operation) {
    case Operation::add: return add(left, right);
    case Operation::subtract: return subtract(left, right);
    case Operation::multiply: return multiply(left, right);
    case Operation::divide: return divide(left, right);
    default: return std::nullopt;
  }
}

} // namespace perdure::expr
