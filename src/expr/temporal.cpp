// Calendar arithmetic on plain integers: the years reach further than those of std::chrono.
#include "expr/temporal.h"

#include <algorithm>
#include <array>
#include <utility>

#include "expr/zones.h"

namespace perdure::expr {

namespace {

constexpr std::int32_t kMaxOffsetSeconds = 18 * 3600;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::int64_t floor_div(std::int64_t number, std::int64_t divisor) {
  const auto quotient = number / divisor;
  return number % divisor < 0 ? quotient - 1 : quotient;
}

/// At least `width` digits.
std::string padded(std::int64_t number, std::size_t width) {
  auto digits = std::to_string(number);
  if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
  return digits;
}

/// Takes digits and marks off the front of a text.
class Cursor {
public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] std::string_view rest() const { return rest_; }

  bool take(char mark) {
    if (!rest_.starts_with(mark)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  /// The digits that come next.
  std::string_view digits() {
    const auto end = std::ranges::find_if_not(rest_, is_digit);
    const auto taken = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  /// A number of `least` to `most` digits.
  std::optional<std::int64_t> number(std::size_t least, std::size_t most) {
    const auto text = digits();
    if (text.size() < least || text.size() > most || text.size() > 18) return std::nullopt;
    std::int64_t value = 0;
    for (const char c : text)
      value = value * 10 + (c - '0');
    return value;
  }

private:
  std::string_view rest_;
};

/// Years, months and days of the calendar, from days since 1970.
struct CivilDay {
  std::int64_t year;
  int month, day;
};

CivilDay civil_of(std::int64_t days) {
  // Years begin in March, so that the leap day is the last one; 400 years are 146,097 days.
  days += 719'468;
  const auto era = floor_div(days, 146'097);
  const auto day_of_era = days - era * 146'097;
  const auto year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const auto day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const auto shifted_month = (5 * day_of_year + 2) / 153;
  const auto day = static_cast<int>(day_of_year - (153 * shifted_month + 2) / 5 + 1);
  const auto month = static_cast<int>(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

bool is_leap_year(std::int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

std::string clock_text(std::int64_t seconds) {
  return padded(seconds / 3600, 2) + ":" + padded(seconds / 60 % 60, 2) + ":" +
         padded(seconds % 60, 2);
}

/// ".5" for half a second, "" for none.
std::string fraction_text(std::int64_t nanos) {
  if (nanos == 0) return "";
  auto digits = padded(nanos, 9);
  digits.erase(digits.find_last_not_of('0') + 1);
  return "." + digits;
}

/// Digits after the point, as nanoseconds; finer ones are cut off.
std::optional<std::int64_t> read_fraction(Cursor& cursor) {
  if (!cursor.take('.')) return 0;
  auto digits = std::string(cursor.digits());
  if (digits.empty()) return std::nullopt;
  digits.resize(9, '0');
  return Cursor(digits).number(9, 9);
}

/// The time of day that stands first in the text.
std::optional<std::int64_t> read_clock(Cursor& cursor) {
  const auto hour = cursor.number(2, 2);
  if (!hour || *hour > 23 || !cursor.take(':')) return std::nullopt;
  const auto minute = cursor.number(2, 2);
  if (!minute || *minute > 59 || !cursor.take(':')) return std::nullopt;
  const auto second = cursor.number(2, 2);
  if (!second || *second > 59) return std::nullopt;
  const auto fraction = read_fraction(cursor);
  if (!fraction) return std::nullopt;
  return (*hour * 3600 + *minute * 60 + *second) * kNanosPerSecond + *fraction;
}

} // namespace

// --- Date

int days_in_month(std::int64_t year, int month) {
  constexpr std::array kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return kDays[static_cast<std::size_t>(month - 1)] + (month == 2 && is_leap_year(year) ? 1 : 0);
}

std::optional<Date> Date::of(std::int64_t year, std::int64_t month, std::int64_t day) {
  if (year < -kMaxYear || year > kMaxYear || month < 1 || month > 12) return std::nullopt;
  if (day < 1 || day > days_in_month(year, static_cast<int>(month))) return std::nullopt;
  return Date{static_cast<std::int32_t>(year), static_cast<std::int8_t>(month),
              static_cast<std::int8_t>(day)};
}

std::optional<Date> Date::from_days(std::int64_t days) {
  constexpr std::int64_t kMaxDays = 366LL * kMaxYear;
  if (days > kMaxDays || days < -kMaxDays) return std::nullopt;
  const auto [year, month, day] = civil_of(days);
  return of(year, month, day);
}

std::optional<Date> Date::parse(std::string_view text) {
  Cursor cursor(text);
  const bool negative = cursor.take('-');
  const auto digits = cursor.digits();
  if (digits.size() < 4 || digits.size() > 9) return std::nullopt;
  if (digits.size() > 4 && digits.front() == '0') return std::nullopt;
  const auto year = Cursor(digits).number(4, 9);
  if (!cursor.take('-')) return std::nullopt;
  const auto month = cursor.number(2, 2);
  if (!month || !cursor.take('-')) return std::nullopt;
  const auto day = cursor.number(2, 2);
  if (!day || !cursor.at_end()) return std::nullopt;
  return of(negative ? -*year : *year, *month, *day);
}

std::int64_t Date::days() const {
  const std::int64_t shifted_year = month <= 2 ? std::int64_t{year} - 1 : year;
  const auto era = floor_div(shifted_year, 400);
  const auto year_of_era = shifted_year - era * 400;
  const auto shifted_month = month > 2 ? month - 3 : month + 9;
  const auto day_of_year = (153 * shifted_month + 2) / 5 + day - 1;
  const auto day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146'097 + day_of_era - 719'468;
}

std::optional<Date> Date::plus_months(std::int64_t months) const {
  constexpr std::int64_t kMost = 24LL * kMaxYear;
  if (months > kMost || months < -kMost) return std::nullopt;
  const auto total = std::int64_t{year} * 12 + month - 1 + months;
  const auto new_year = floor_div(total, 12);
  const auto new_month = static_cast<int>(total - new_year * 12 + 1);
  return of(new_year, new_month, std::min<int>(day, days_in_month(new_year, new_month)));
}

int Date::weekday() const {
  const auto since_monday = days() + 3; // 1970-01-01 was a Thursday
  return static_cast<int>(since_monday - floor_div(since_monday, 7) * 7) + 1;
}

int Date::day_of_year() const { return static_cast<int>(days() - Date{year, 1, 1}.days()) + 1; }

int Date::week_of_year() const {
  // A week belongs to the year of its Thursday.
  const auto thursday = civil_of(days() - weekday() + 4);
  const auto first = Date{static_cast<std::int32_t>(thursday.year), 1, 1}.days();
  return static_cast<int>((days() - weekday() + 4 - first) / 7) + 1;
}

std::string Date::text() const {
  const auto digits = padded(std::abs(std::int64_t{year}), 4);
  return (year < 0 ? "-" : "") + digits + "-" + padded(month, 2) + "-" + padded(day, 2);
}

// --- Place

std::string Place::text() const {
  if (kind == Kind::local) return "";
  if (kind == Kind::zone) return "@" + std::string(zone_name(zone));
  if (offset_seconds == 0) return "Z";
  const auto seconds = std::abs(offset_seconds);
  auto text = (offset_seconds < 0 ? "-" : "+") + clock_text(seconds);
  if (seconds % 60 == 0) text.resize(6);
  return text;
}

std::optional<Place> Place::parse(std::string_view text) {
  if (text.empty()) return Place{};
  if (text == "Z" || text == "z") return Place{.kind = Kind::offset};
  if (text.front() == '@') {
    const auto zone = find_zone(text.substr(1));
    if (!zone) return std::nullopt;
    return Place{.kind = Kind::zone, .zone = *zone};
  }
  if (text.front() != '+' && text.front() != '-') return std::nullopt;
  Cursor cursor(text.substr(1));
  const auto hours = cursor.number(2, 2);
  if (!hours || !cursor.take(':')) return std::nullopt;
  const auto minutes = cursor.number(2, 2);
  if (!minutes || *minutes > 59) return std::nullopt;
  std::int64_t total = *hours * 3600 + *minutes * 60;
  if (cursor.take(':')) {
    const auto seconds = cursor.number(2, 2);
    if (!seconds || *seconds > 59) return std::nullopt;
    total += *seconds;
  }
  if (!cursor.at_end() || total > kMaxOffsetSeconds) return std::nullopt;
  const auto signed_total = static_cast<std::int32_t>(text.front() == '-' ? -total : total);
  return Place{.kind = Kind::offset, .offset_seconds = signed_total};
}

// --- Time

std::optional<Time> Time::parse(std::string_view text) {
  Cursor cursor(text);
  const auto nanos = read_clock(cursor);
  if (!nanos) return std::nullopt;
  const auto place = Place::parse(cursor.rest());
  if (!place) return std::nullopt;
  return Time{*nanos, *place};
}

int Time::hour() const { return static_cast<int>(nanos / kNanosPerSecond / 3600); }
int Time::minute() const { return static_cast<int>(nanos / kNanosPerSecond / 60 % 60); }
int Time::second() const { return static_cast<int>(nanos / kNanosPerSecond % 60); }

std::optional<std::int32_t> Time::offset() const { return DateTime{Date{}, *this}.offset(); }

std::string Time::text() const {
  return clock_text(nanos / kNanosPerSecond) + fraction_text(nanos % kNanosPerSecond) +
         place.text();
}

// --- DateTime

std::optional<DateTime> DateTime::parse(std::string_view text) {
  const auto mark = text.find('T');
  if (mark == std::string_view::npos) return std::nullopt;
  auto date = Date::parse(text.substr(0, mark));
  auto clock = std::string(text.substr(mark + 1));
  // 24:00:00 is the end of that day.
  if (date && clock.starts_with("24:00:00")) {
    clock.replace(0, 2, "00");
    date = Date::from_days(date->days() + 1);
  }
  const auto time = Time::parse(clock);
  if (!date || !time) return std::nullopt;
  return DateTime{*date, *time};
}

std::optional<std::int32_t> DateTime::offset() const {
  if (time.place.kind == Place::Kind::local) return std::nullopt;
  if (time.place.kind == Place::Kind::offset) return time.place.offset_seconds;
  return zone_offset_at_local(time.place.zone,
                              date.days() * kSecondsPerDay + time.nanos / kNanosPerSecond);
}

std::int64_t DateTime::utc_seconds() const {
  return date.days() * kSecondsPerDay + time.nanos / kNanosPerSecond - offset().value_or(0);
}

std::optional<DateTime> DateTime::from_utc(std::int64_t seconds, std::int64_t nanos, Place place) {
  if (place.kind == Place::Kind::offset) seconds += place.offset_seconds;
  if (place.kind == Place::Kind::zone) seconds += zone_offset_at_utc(place.zone, seconds);
  const auto days = floor_div(seconds, kSecondsPerDay);
  const auto date = Date::from_days(days);
  if (!date) return std::nullopt;
  return DateTime{*date, {(seconds - days * kSecondsPerDay) * kNanosPerSecond + nanos, place}};
}

std::string DateTime::text() const { return date.text() + "T" + time.text(); }

// --- durations

std::optional<DaysDuration> DaysDuration::of(const Decimal& seconds) {
  constexpr std::int64_t kMostSeconds = 2 * 366LL * kMaxYear * kSecondsPerDay;
  if (!(seconds.absolute() <= Decimal(kMostSeconds))) return std::nullopt;
  return DaysDuration{seconds.rounded(Rounding::half_even, 9)};
}

std::optional<DaysDuration> DaysDuration::parse(std::string_view text) {
  Cursor cursor(text);
  const bool negative = cursor.take('-');
  if (!cursor.take('P')) return std::nullopt;
  constexpr std::array<std::pair<char, int>, 4> kUnits = {
      {{'D', 86'400}, {'H', 3'600}, {'M', 60}, {'S', 1}}};
  Decimal total = 0;
  bool in_clock = false;
  std::size_t next_unit = 0;
  bool needs_part = true;
  while (!cursor.at_end()) {
    if (!in_clock && cursor.take('T')) {
      in_clock = needs_part = true;
      next_unit = std::max<std::size_t>(next_unit, 1);
      continue;
    }
    auto number = std::string(cursor.digits());
    bool has_fraction = false;
    if (number.empty() || number.size() > 30) return std::nullopt;
    if (cursor.take('.')) {
      has_fraction = true;
      const auto digits = cursor.digits();
      if (digits.size() > 30) return std::nullopt;
      if (!digits.empty()) number.append(".").append(digits);
    }
    while (next_unit < kUnits.size() && !cursor.rest().starts_with(kUnits[next_unit].first))
      ++next_unit;
    if (next_unit == kUnits.size() || (next_unit > 0) != in_clock) return std::nullopt;
    if (has_fraction && next_unit != 3) return std::nullopt;
    total = total + *Decimal::parse(number) * Decimal(kUnits[next_unit].second);
    cursor.take(kUnits[next_unit].first);
    ++next_unit;
    needs_part = false;
  }
  if (needs_part) return std::nullopt;
  return of(negative ? -total : total);
}

std::string DaysDuration::text() const {
  const auto positive = seconds.absolute();
  const auto whole = positive.rounded(Rounding::down);
  const auto in_day = whole.remainder(Decimal(kSecondsPerDay));
  const auto days = ((whole - in_day) / Decimal(kSecondsPerDay)).text();
  const auto clock = in_day.as_int64().value_or(0);
  const auto fraction = (positive - whole).text(); // "0" or "0.5"
  std::string out = seconds.is_negative() ? "-P" : "P";
  if (days != "0") out += days + "D";
  std::string tail;
  if (clock / 3600 > 0) tail += std::to_string(clock / 3600) + "H";
  if (clock / 60 % 60 > 0) tail += std::to_string(clock / 60 % 60) + "M";
  if (clock % 60 > 0 || fraction != "0") {
    tail += std::to_string(clock % 60) + fraction.substr(1) + "S";
  }
  if (!tail.empty()) return out + "T" + tail;
  return days == "0" ? "PT0S" : out;
}

std::optional<MonthsDuration> MonthsDuration::parse(std::string_view text) {
  Cursor cursor(text);
  const bool negative = cursor.take('-');
  if (!cursor.take('P') || cursor.at_end()) return std::nullopt;
  std::int64_t months = 0;
  for (const auto& [unit, factor] : {std::pair{'Y', 12}, std::pair{'M', 1}}) {
    Cursor ahead = cursor;
    const auto number = ahead.number(1, 15);
    if (!number || !ahead.take(unit)) continue;
    months += *number * factor;
    cursor = ahead;
  }
  if (!cursor.at_end()) return std::nullopt;
  return MonthsDuration{negative ? -months : months};
}

std::string MonthsDuration::text() const {
  const auto positive = std::abs(months);
  if (positive == 0) return "P0M";
  std::string out = months < 0 ? "-P" : "P";
  if (positive >= 12) out += std::to_string(positive / 12) + "Y";
  if (positive % 12 > 0) out += std::to_string(positive % 12) + "M";
  return out;
}

} // namespace perdure::expr
