#include "expr/properties.h"

#include <cstdint>
#include <string>

#include "expr/zones.h"

namespace perdure::expr {

namespace {

Datum number(std::int64_t value) { return Decimal(value); }

std::optional<Datum> date_property(const Date& date, std::string_view name) {
  if (name == "year") return number(date.year);
  if (name == "month") return number(date.month);
  if (name == "day") return number(date.day);
  if (name == "weekday") return number(date.weekday());
  return std::nullopt;
}

std::optional<Datum> clock_property(const Time& time, std::string_view name) {
  if (name == "hour") return number(time.hour());
  if (name == "minute") return number(time.minute());
  if (name == "second") return number(time.second());
  if (name == "timezone") {
    if (time.place.kind != Place::Kind::zone) return Datum();
    return Datum::borrow(zone_name(time.place.zone));
  }
  return std::nullopt;
}

Datum offset_of(std::optional<std::int32_t> seconds) {
  return seconds ? Datum(DaysDuration{Decimal(*seconds)}) : Datum();
}

std::optional<Datum> days_property(const DaysDuration& duration, std::string_view name) {
  const auto whole = duration.seconds.rounded(Rounding::down);
  const auto part = [&](int unit, int next) -> Datum {
    const auto in_unit = (whole / Decimal(unit)).rounded(Rounding::down);
    return next == 0 ? in_unit : in_unit.remainder(Decimal(next));
  };
  if (name == "days") return part(86'400, 0);
  if (name == "hours") return part(3'600, 24);
  if (name == "minutes") return part(60, 60);
  if (name == "seconds") return Datum(duration.seconds.remainder(Decimal(60)));
  return std::nullopt;
}

std::optional<Datum> range_property(const Range& range, std::string_view name) {
  if (name == "start") return range.low;
  if (name == "end") return range.high;
  if (name == "start included") return Datum(range.has_low_end);
  if (name == "end included") return Datum(range.has_high_end);
  return std::nullopt;
}

} // namespace

std::optional<Datum> property_of(const Datum& datum, std::string_view name) {
  if (const auto* date = datum.date()) return date_property(*date, name);
  if (const auto* time = datum.time()) {
    return name == "time offset" ? offset_of(time->offset()) : clock_property(*time, name);
  }
  if (const auto* moment = datum.date_time()) {
    if (name == "time offset") return offset_of(moment->offset());
    if (auto property = date_property(moment->date, name)) return property;
    return clock_property(moment->time, name);
  }
  if (const auto* days = datum.days_duration()) return days_property(*days, name);
  if (const auto* months = datum.months_duration()) {
    if (name == "years") return number(months->months / 12);
    if (name == "months") return number(months->months % 12);
    return std::nullopt;
  }
  if (const auto* range = datum.range()) return range_property(*range, name);
  return std::nullopt;
}

} // namespace perdure::expr
