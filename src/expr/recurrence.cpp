#include "expr/recurrence.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "expr/zones.h"

namespace perdure::expr {

namespace {

constexpr std::size_t kMaxText = 256;

struct Field {
  unsigned first;
  unsigned last; ///< of the values that match; day of week has 7 for Sunday too
};
constexpr std::array<Field, 6> kFields{{{0, 59}, {0, 59}, {0, 23}, {1, 31}, {1, 12}, {0, 7}}};
constexpr std::size_t kHour = 2, kDay = 3, kMonth = 4, kWeekday = 5;

constexpr std::array<std::string_view, 12> kMonths{"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                                   "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
constexpr std::array<std::string_view, 7> kDays{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"};

struct Named {
  std::string_view name;
  std::string_view fields;
};
constexpr std::array<Named, 7> kNamed{{{"@yearly", "0 0 0 1 1 *"},
                                       {"@annually", "0 0 0 1 1 *"},
                                       {"@monthly", "0 0 0 1 * *"},
                                       {"@weekly", "0 0 0 * * 0"},
                                       {"@daily", "0 0 0 * * *"},
                                       {"@midnight", "0 0 0 * * *"},
                                       {"@hourly", "0 0 * * * *"}}};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number = 0;
  const auto* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

template <std::size_t N>
std::optional<unsigned> name_at(const std::array<std::string_view, N>& names, std::string_view text,
                                unsigned first) {
  const auto same = [&](std::string_view name) {
    return std::ranges::equal(name, text,
                              [](char a, char b) { return a == b || a == b - 'a' + 'A'; });
  };
  const auto found = std::ranges::find_if(names, same);
  if (found == names.end()) return std::nullopt;
  return static_cast<unsigned>(found - names.begin()) + first;
}

std::optional<unsigned> value_of(std::string_view text, std::size_t field) {
  auto value = number_of<unsigned>(text);
  if (!value && field == kMonth) value = name_at(kMonths, text, 1);
  if (!value && field == kWeekday) value = name_at(kDays, text, 0);
  if (!value || *value < kFields[field].first || *value > kFields[field].last) return std::nullopt;
  return value;
}

/// One part of a field: `*`, `5`, `8-17`, each with an optional `/step`.
bool add_part(std::string_view part, std::size_t field, std::vector<bool>& matches) {
  const auto slash = part.find('/');
  unsigned step = 1;
  if (slash != std::string_view::npos) {
    const auto given = number_of<unsigned>(part.substr(slash + 1));
    if (!given || *given == 0) return false;
    step = *given;
    part = part.substr(0, slash);
  }
  auto first = kFields[field].first;
  auto last = kFields[field].last;
  if (part != "*" && part != "?") {
    const auto dash = part.find('-');
    const auto from = value_of(part.substr(0, dash), field);
    if (!from) return false;
    first = *from;
    if (dash != std::string_view::npos) {
      const auto to = value_of(part.substr(dash + 1), field);
      if (!to || *to < first) return false;
      last = *to;
    } else if (slash == std::string_view::npos) {
      last = first;
    }
  }
  for (auto value = first; value <= last && step <= last; value += step)
    matches[value] = true;
  if (step > last) matches[first] = true;
  return true;
}

std::optional<std::vector<bool>> read_field(std::string_view text, std::size_t field) {
  std::vector<bool> matches(kFields[field].last + 1);
  for (const auto part : split(text, ',')) {
    if (!add_part(part, field, matches)) return std::nullopt;
  }
  if (field == kWeekday && matches[7]) matches[0] = true;
  return matches;
}

/// The moment at which the clock of the zone shows that time; without a zone it is UTC.
Instant from_clock(Instant local, std::optional<std::uint16_t> zone) {
  if (!zone) return local;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(local).time_since_epoch().count();
  return local - std::chrono::seconds(zone_offset_at_local(*zone, seconds));
}

Instant to_clock(Instant moment, std::optional<std::uint16_t> zone) {
  if (!zone) return moment;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(moment).time_since_epoch().count();
  return moment + std::chrono::seconds(zone_offset_at_utc(*zone, seconds));
}

/// A time and the zone behind its @, if there is one; the time is that of the clock there.
struct Local {
  Instant time{};
  std::optional<std::uint16_t> zone;
};
std::optional<Local> read_local(std::string_view text) {
  const auto at = text.find('@');
  Local local;
  if (at != std::string_view::npos) {
    local.zone = find_zone(text.substr(at + 1));
    const auto clock = text.substr(0, at);
    // A zone beside an offset would say the same twice, or two things.
    const auto after_date = clock.find_first_of("tT");
    const bool has_offset = after_date != std::string_view::npos &&
                            clock.find_first_of("zZ+-", after_date) != std::string_view::npos;
    if (!local.zone || has_offset) return std::nullopt;
    text = clock;
  }
  const auto time = parse_instant(text);
  if (!time) return std::nullopt;
  local.time = *time;
  return local;
}

} // namespace

Result<Instant> parse_moment(std::string_view text) {
  const auto local = read_local(text);
  if (local) return from_clock(local->time, local->zone);
  auto plain = parse_instant(text);
  if (plain || text.find('@') == std::string_view::npos) return plain;
  return fail(ErrorCode::invalid_input,
              "\"" + std::string(text.substr(0, 64)) +
                  "\" is no time of a zone; write it as 2026-03-29T08:00:00@Europe/Berlin.");
}

Result<Recurrence> Recurrence::parse(std::string_view text) {
  auto read = text.starts_with('R') ? read_iso(text) : read_cron(text);
  if (text.size() <= kMaxText && read) return *std::move(read);
  return fail(ErrorCode::invalid_input,
              "\"" + std::string(text.substr(0, 64)) +
                  "\" is no recurrence; write it as R3/PT10S, R/2030-01-01T00:00:00Z/P1D or as six "
                  "fields of cron.");
}

std::optional<Recurrence> Recurrence::read_iso(std::string_view text) {
  const auto first = text.find('/');
  const auto last = text.rfind('/');
  if (first == std::string_view::npos) return std::nullopt;
  Recurrence read;
  if (const auto count = text.substr(0, first); count != "R") {
    read.count_ = number_of<std::int64_t>(count.substr(1));
    if (!read.count_ || *read.count_ < 0) return std::nullopt;
  }
  if (first != last) { // the name of a zone may have strokes too
    const auto start = read_local(text.substr(first + 1, last - first - 1));
    if (!start) return std::nullopt;
    read.start_ = start->time;
    read.zone_ = start->zone;
  }
  read.period_ = text.substr(last + 1);
  const auto once = add_iso_duration(from_ms(0), read.period_);
  if (!once || *once <= from_ms(0)) return std::nullopt;
  return read;
}

std::optional<Recurrence> Recurrence::read_cron(std::string_view text) {
  Recurrence read;
  if (constexpr std::string_view mark = "CRON_TZ="; text.starts_with(mark)) {
    const auto end = text.find(' ');
    if (end == std::string_view::npos) return std::nullopt;
    read.zone_ = find_zone(text.substr(mark.size(), end - mark.size()));
    if (!read.zone_) return std::nullopt;
    text.remove_prefix(end + 1);
  }
  if (const auto named = std::ranges::find(kNamed, text, &Named::name); named != kNamed.end()) {
    text = named->fields;
  }
  auto& cron = read.cron_.emplace();
  std::size_t field = 0;
  for (const auto part : split(text, ' ')) {
    if (part.empty()) continue;
    if (field == cron.size()) return std::nullopt;
    auto matches = read_field(part, field);
    if (!matches) return std::nullopt;
    cron[field++] = *std::move(matches);
  }
  if (field != cron.size()) return std::nullopt;
  return read;
}

std::optional<Occurrence> Recurrence::occurrence(Instant start, std::int64_t number) const {
  if (count_ && number > *count_) return std::nullopt;
  if (!start_) {
    const auto at = add_iso_duration(start, period_, number);
    return at ? std::optional(Occurrence{number, *at}) : std::nullopt;
  }
  // Days and more on the clock of the zone, hours and less as they pass.
  const auto mark = std::min(period_.find('T'), period_.size());
  const auto days = std::string_view(period_).substr(0, mark);
  auto clock = days == "P" ? Result<Instant>(*start_) : add_iso_duration(*start_, days, number - 1);
  if (!clock) return std::nullopt;
  auto at = Result<Instant>(from_clock(*clock, zone_));
  if (mark < period_.size()) at = add_iso_duration(*at, "P" + period_.substr(mark), number - 1);
  if (!at) return std::nullopt;
  return Occurrence{.number = number, .at = *at};
}

std::optional<Occurrence> Recurrence::first(Instant start) const {
  if (!cron_) return occurrence(start, 1);
  const auto at = cron_after(start);
  return at ? std::optional(Occurrence{.number = 1, .at = *at}) : std::nullopt;
}

std::optional<Occurrence> Recurrence::next(Instant start, const Occurrence& last,
                                           Instant now) const {
  if (cron_) {
    const auto at = cron_after(std::max(last.at, now));
    return at ? std::optional(Occurrence{.number = last.number + 1, .at = *at}) : std::nullopt;
  }
  // No period is shorter than its length in the shortest month: no occurrence is jumped over.
  const auto march = from_ms(5'097'600'000); // 1970-03-01: back from it is 28 days
  const auto back = add_iso_duration(march, period_, -1);
  const auto length = back ? march - *back : Duration::zero();
  auto number = last.number + 1;
  const bool has_months = period_.find('Y') != std::string::npos ||
                          period_.substr(0, period_.find('T')).find('M') != std::string::npos;
  if (!has_months && length > Duration::zero() && now > last.at) {
    number = std::max(number, last.number + (now - last.at) / length);
  }
  for (;; ++number) {
    const auto found = occurrence(start, number);
    if (!found || found->at > now) return found;
  }
}

std::optional<Instant> Recurrence::cron_after(Instant moment) const {
  using std::chrono::days;
  const auto& cron = *cron_;
  // 29 February on a given day of the week comes again within 28 years, 40 across a century.
  constexpr int kHorizon = 366 * 41;
  auto day = std::chrono::floor<days>(to_clock(moment, zone_));
  for (int i = 0; i < kHorizon; ++i, day += days(1)) {
    const std::chrono::year_month_day date(day);
    const std::chrono::weekday weekday(day);
    if (!cron[kMonth][unsigned{date.month()}] || !cron[kDay][unsigned{date.day()}] ||
        !cron[kWeekday][weekday.c_encoding()]) {
      continue;
    }
    for (unsigned hour = 0; hour < 24; ++hour) {
      if (!cron[kHour][hour]) continue;
      for (unsigned minute = 0; minute < 60; ++minute) {
        if (!cron[1][minute]) continue;
        for (unsigned second = 0; second < 60; ++second) {
          if (!cron[0][second]) continue;
          const Instant shown = day + std::chrono::hours(hour) + std::chrono::minutes(minute) +
                                std::chrono::seconds(second);
          const auto at = from_clock(shown, zone_);
          if (at > moment) return at;
        }
      }
    }
  }
  return std::nullopt;
}

} // namespace perdure::expr
