// Instants and ISO 8601 text. A small cursor reads digits and marks; the calendar is std::chrono's.
#include "base/time.h"

#include <algorithm>
#include <array>
#include <optional>

namespace perdure {

namespace {

using std::chrono::days;
using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr Instant kFirst =
    sys_days(year_month_day(std::chrono::year(0), std::chrono::January, std::chrono::day(1)));
constexpr Instant kLast =
    sys_days(year_month_day(std::chrono::year(9999), std::chrono::December, std::chrono::day(31))) +
    days(1) - Duration(1);

bool is_digit(char c) { return c >= '0' && c <= '9'; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

class Cursor {
public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] char peek() const { return rest_.empty() ? '\0' : upper(rest_.front()); }

  /// Takes one of the characters; '\0' when the next is none of them.
  char take_any(std::string_view marks) {
    const char c = peek();
    if (c == '\0' || marks.find(c) == std::string_view::npos) return '\0';
    rest_.remove_prefix(1);
    return c;
  }

  /// Exactly `width` digits.
  std::optional<int> digits(std::size_t width) {
    if (rest_.size() < width) return std::nullopt;
    int number = 0;
    for (const char c : rest_.substr(0, width)) {
      if (!is_digit(c)) return std::nullopt;
      number = number * 10 + (c - '0');
    }
    rest_.remove_prefix(width);
    return number;
  }

  /// One to nine digits: no sum of such numbers overflows a Duration.
  std::optional<int> number() {
    const auto width =
        static_cast<std::size_t>(std::ranges::find_if_not(rest_, is_digit) - rest_.begin());
    if (width < 1 || width > 9) return std::nullopt;
    return digits(width);
  }

  /// Digits after the decimal point as milliseconds; finer ones are cut off.
  std::optional<int> fraction() {
    if (!is_digit(peek())) return std::nullopt;
    int milliseconds = 0;
    int unit = 100;
    for (; is_digit(peek()); rest_.remove_prefix(1), unit /= 10) {
      milliseconds += (rest_.front() - '0') * unit;
    }
    return milliseconds;
  }

private:
  std::string_view rest_;
};

std::optional<Instant> read_date(Cursor& in) {
  const auto year = in.digits(4);
  if (!year || !in.take_any("-")) return std::nullopt;
  const auto month = in.digits(2);
  if (!month || !in.take_any("-")) return std::nullopt;
  const auto day = in.digits(2);
  if (!day) return std::nullopt;
  const year_month_day date(std::chrono::year(*year),
                            std::chrono::month(static_cast<unsigned>(*month)),
                            std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return std::nullopt;
  return Instant(sys_days(date));
}

std::optional<Duration> read_time(Cursor& in) {
  const auto hour = in.digits(2);
  if (!hour || *hour > 23 || !in.take_any(":")) return std::nullopt;
  const auto minute = in.digits(2);
  if (!minute || *minute > 59) return std::nullopt;
  Duration time = std::chrono::hours(*hour) + std::chrono::minutes(*minute);
  if (!in.take_any(":")) return time;
  const auto second = in.digits(2);
  if (!second || *second > 59) return std::nullopt;
  time += std::chrono::seconds(*second);
  if (!in.take_any(".,")) return time;
  const auto fraction = in.fraction();
  if (!fraction) return std::nullopt;
  return time + Duration(*fraction);
}

/// The offset east of Greenwich; zero when there is none.
std::optional<Duration> read_offset(Cursor& in) {
  if (in.at_end() || in.take_any("Z")) return Duration(0);
  const char sign = in.take_any("+-");
  if (!sign) return std::nullopt;
  const auto hour = in.digits(2);
  if (!hour || *hour > 23) return std::nullopt;
  const bool colon = in.take_any(":") != '\0';
  std::optional<int> minute = 0;
  if (colon || !in.at_end()) minute = in.digits(2);
  if (!minute || *minute > 59) return std::nullopt;
  const Duration offset = std::chrono::hours(*hour) + std::chrono::minutes(*minute);
  return sign == '-' ? -offset : offset;
}

std::optional<Instant> read_instant(std::string_view text) {
  Cursor in(text);
  auto instant = read_date(in);
  if (!instant || in.at_end()) return instant;
  if (!in.take_any("T ")) return std::nullopt;
  const auto time = read_time(in);
  if (!time) return std::nullopt;
  const auto offset = read_offset(in);
  if (!offset || !in.at_end()) return std::nullopt;
  return *instant + *time - *offset;
}

struct CalendarDuration {
  std::int64_t months = 0;
  Duration rest{0};
};

struct Unit {
  char mark;
  bool after_t;
  int months;
  Duration rest;
};

/// In the only order in which they may stand.
constexpr std::array<Unit, 7> kUnits = {{{'Y', false, 12, {}},
                                         {'M', false, 1, {}},
                                         {'W', false, 0, days(7)},
                                         {'D', false, 0, days(1)},
                                         {'H', true, 0, std::chrono::hours(1)},
                                         {'M', true, 0, std::chrono::minutes(1)},
                                         {'S', true, 0, std::chrono::seconds(1)}}};

std::optional<CalendarDuration> read_duration(std::string_view text) {
  Cursor in(text);
  const int sign = in.take_any("+-") == '-' ? -1 : 1;
  if (!in.take_any("P")) return std::nullopt;
  CalendarDuration duration;
  std::size_t next_unit = 0;
  bool after_t = false;
  while (!in.at_end() || next_unit == 0) {
    if (!after_t && in.take_any("T")) after_t = true;
    const auto number = in.number();
    if (!number) return std::nullopt;
    std::optional<int> fraction;
    if (in.take_any(".,")) {
      fraction = in.fraction();
      if (!fraction) return std::nullopt;
    }
    const auto* unit = std::find_if(kUnits.begin() + next_unit, kUnits.end(), [&](const Unit& u) {
      return u.mark == in.peek() && u.after_t == after_t;
    });
    if (unit == kUnits.end() || (fraction && unit->mark != 'S')) return std::nullopt;
    in.take_any({&unit->mark, 1});
    next_unit = static_cast<std::size_t>(unit - kUnits.begin()) + 1;
    duration.months += sign * std::int64_t{*number} * unit->months;
    duration.rest += sign * (*number * unit->rest + Duration(fraction.value_or(0)));
  }
  return duration;
}

/// The same day so many months on, or the last day of that month when it is shorter.
std::optional<Instant> add_months(Instant from, std::int64_t months) {
  if (months == 0) return from;
  const auto day = std::chrono::floor<days>(from);
  const year_month_day date(day);
  const auto month = int{date.year()} * std::int64_t{12} + unsigned{date.month()} - 1 + months;
  if (month < 0 || month >= 10'000 * 12) return std::nullopt;
  year_month_day target(std::chrono::year(static_cast<int>(month / 12)),
                        std::chrono::month(static_cast<unsigned>(month % 12 + 1)), date.day());
  if (!target.ok()) target = target.year() / target.month() / std::chrono::last;
  return sys_days(target) + (from - day);
}

void append_padded(std::string& out, std::int64_t number, std::size_t width) {
  const auto digits = std::to_string(number);
  out.append(width - std::min(width, digits.size()), '0').append(digits);
}

/// No sum with more stays in range.
constexpr std::int64_t kMaxMonths = 10'000 * 12;
constexpr std::int64_t kMaxRest = (kLast - kFirst).count();

bool in_range(Instant instant) { return instant >= kFirst && instant <= kLast; }

} // namespace

std::string to_text(Instant instant) {
  instant = std::clamp(instant, kFirst, kLast);
  const auto day = std::chrono::floor<days>(instant);
  const year_month_day date(day);
  const std::chrono::hh_mm_ss time(instant - day);
  std::string out;
  append_padded(out, int{date.year()}, 4);
  append_padded(out += '-', unsigned{date.month()}, 2);
  append_padded(out += '-', unsigned{date.day()}, 2);
  append_padded(out += 'T', time.hours().count(), 2);
  append_padded(out += ':', time.minutes().count(), 2);
  append_padded(out += ':', time.seconds().count(), 2);
  append_padded(out += '.', time.subseconds().count(), 3);
  return out += 'Z';
}

Result<Instant> parse_instant(std::string_view text) {
  const auto instant = read_instant(text);
  if (instant && in_range(*instant)) return *instant;
  return fail(ErrorCode::invalid_input, "\"" + std::string(text.substr(0, 64)) +
                                            "\" is no date and time; write it as "
                                            "2026-11-30T06:36:25Z, with Z or an offset.");
}

Result<Instant> add_iso_duration(Instant from, std::string_view text, std::int64_t count) {
  auto duration = read_duration(text);
  if (!duration) {
    return fail(ErrorCode::invalid_input, "\"" + std::string(text.substr(0, 64)) +
                                              "\" is no ISO 8601 duration; write it as PT1M30S "
                                              "or P1DT12H.");
  }
  std::int64_t rest = 0;
  const bool counted = !__builtin_mul_overflow(duration->months, count, &duration->months) &&
                       !__builtin_mul_overflow(duration->rest.count(), count, &rest) &&
                       std::abs(duration->months) <= kMaxMonths && std::abs(rest) <= kMaxRest;
  auto until = counted && in_range(from) ? add_months(from, duration->months) : std::nullopt;
  if (until) *until += Duration(rest);
  if (!until || !in_range(*until)) {
    return fail(ErrorCode::invalid_input, "\"" + std::string(text.substr(0, 64)) +
                                              "\" leads outside the years 0 to 9999; use a "
                                              "shorter duration.");
  }
  return *until;
}

} // namespace perdure
