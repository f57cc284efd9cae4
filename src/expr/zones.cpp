// Reads the packed zones where they are: transitions by binary search, later years by the rule that
// follows them (RFC 8536; the rule is a POSIX TZ string).
#include "expr/zones.h"

#include <algorithm>
#include <cstddef>

#include "expr/temporal.h"
#include "expr/zone_data.h"

namespace perdure::expr {

namespace {

constexpr std::size_t kHeaderBytes = 44;
constexpr std::size_t kTypeBytes = 6;

std::int64_t number_at(std::string_view bytes, std::size_t offset, std::size_t width) {
  const auto digits = bytes.substr(offset, width);
  std::uint64_t number = (static_cast<std::uint8_t>(digits.front()) & 0x80) != 0 ? ~0ULL : 0;
  for (const char byte : digits)
    number = number * 256 + static_cast<std::uint8_t>(byte);
  return static_cast<std::int64_t>(number);
}

/// A day of the year at a time of day, as the rules say it.
struct Change {
  enum class Kind { month, julian, zero_based };
  Kind kind = Kind::month;
  int month = 0, week = 0, day = 0; ///< day: of the week from Sunday = 0, or of the year
  std::int64_t time = 0;            ///< seconds after midnight

  /// Seconds since 1970 on the local clock.
  [[nodiscard]] std::int64_t local_seconds(std::int32_t year) const {
    return day_in(year) * kSecondsPerDay + time;
  }

private:
  [[nodiscard]] std::int64_t day_in(std::int32_t year) const {
    const auto first_of_year = Date{year, 1, 1}.days();
    if (kind == Kind::zero_based) return first_of_year + day;
    if (kind == Kind::julian) { // 29 February is never counted
      const bool is_after_leap_day = day >= 60 && days_in_month(year, 2) == 29;
      return first_of_year + day - 1 + (is_after_leap_day ? 1 : 0);
    }
    const Date first{year, static_cast<std::int8_t>(month), 1};
    const auto to_first_match = (day - first.weekday() % 7 + 7) % 7;
    auto in_month = to_first_match + (week - 1) * 7;
    while (in_month >= days_in_month(year, month))
      in_month -= 7; // week 5 is the last
    return first.days() + in_month;
  }
};

struct Rule {
  std::int32_t standard = 0;
  std::int32_t summer = 0;
  bool has_summer = false;
  Change begins, ends;
};

/// Reads a POSIX TZ string, which zic has written: it is well-formed.
class RuleReader {
public:
  explicit RuleReader(std::string_view text) : rest_(text) {}

  Rule read() {
    Rule rule;
    skip_name();
    rule.standard = static_cast<std::int32_t>(-seconds());
    if (rest_.empty()) return rule;
    rule.has_summer = true;
    skip_name();
    const bool has_offset = !rest_.empty() && rest_.front() != ',';
    rule.summer = has_offset ? static_cast<std::int32_t>(-seconds()) : rule.standard + 3600;
    rule.begins = change();
    rule.ends = change();
    return rule;
  }

private:
  bool take(char mark) {
    if (!rest_.starts_with(mark)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void skip_name() {
    const bool is_quoted = rest_.starts_with('<');
    const auto end = is_quoted ? rest_.find('>') + 1 : rest_.find_first_of("+-0123456789,");
    rest_.remove_prefix(std::min(end, rest_.size()));
  }

  int number() {
    int value = 0;
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
      value = value * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return value;
  }

  /// [+-]hh[:mm[:ss]]
  std::int64_t seconds() {
    const bool is_negative = take('-');
    if (!is_negative) take('+');
    std::int64_t total = number() * 3600;
    if (take(':')) total += number() * 60;
    if (take(':')) total += number();
    return is_negative ? -total : total;
  }

  /// ,Mm.w.d[/time]
  Change change() {
    Change change{.time = 2 * 3600};
    take(',');
    if (take('M')) {
      change.month = number();
      take('.');
      change.week = number();
      take('.');
    } else {
      change.kind = take('J') ? Change::Kind::julian : Change::Kind::zero_based;
    }
    change.day = number();
    if (take('/')) change.time = seconds();
    return change;
  }

  std::string_view rest_;
};

std::int32_t offset_by_rule(std::string_view text, std::int64_t utc) {
  const auto rule = RuleReader(text).read();
  if (!rule.has_summer) return rule.standard;
  const auto local = utc + rule.standard;
  const auto days = local / kSecondsPerDay - (local % kSecondsPerDay < 0 ? 1 : 0);
  const auto today = Date::from_days(days);
  if (!today) return rule.standard;
  const auto begins = rule.begins.local_seconds(today->year) - rule.standard;
  const auto ends = rule.ends.local_seconds(today->year) - rule.summer;
  const bool is_summer = begins < ends ? utc >= begins && utc < ends : utc >= begins || utc < ends;
  return is_summer ? rule.summer : rule.standard;
}

} // namespace

std::optional<std::uint16_t> find_zone(std::string_view name) {
  const auto zones = zone_data();
  const auto found = std::ranges::lower_bound(zones, name, {}, &ZoneEntry::name);
  if (found == zones.end() || found->name != name) return std::nullopt;
  return static_cast<std::uint16_t>(found - zones.begin());
}

std::string_view zone_name(std::uint16_t zone) { return zone_data()[zone].name; }

std::int32_t zone_offset_at_utc(std::uint16_t zone, std::int64_t utc_seconds) {
  const auto bytes = zone_data()[zone].bytes;
  const auto count = [&](std::size_t offset) {
    return static_cast<std::size_t>(number_at(bytes, offset, 4));
  };
  const auto is_utc = count(20);
  const auto is_standard = count(24);
  const auto leaps = count(28);
  const auto times = count(32);
  const auto types = count(36);
  const auto characters = count(40);
  const auto first_index = kHeaderBytes + times * 8;
  const auto first_type = first_index + times;
  const auto time_at = [&](std::size_t i) { return number_at(bytes, kHeaderBytes + i * 8, 8); };

  std::size_t low = 0; // how many transitions are not after the moment
  for (std::size_t high = times; low < high;) {
    const auto middle = (low + high) / 2;
    if (time_at(middle) <= utc_seconds) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == times) {
    auto rule = bytes.substr(first_type + types * kTypeBytes + characters + leaps * 12 +
                             is_standard + is_utc + 1);
    rule.remove_suffix(1); // it stands between two line feeds
    if (!rule.empty()) return offset_by_rule(rule, utc_seconds);
  }
  const auto type = low == 0 ? 0 : static_cast<std::uint8_t>(bytes[first_index + low - 1]);
  return static_cast<std::int32_t>(number_at(bytes, first_type + type * kTypeBytes, 4));
}

std::int32_t zone_offset_at_local(std::uint16_t zone, std::int64_t local_seconds) {
  const auto before = zone_offset_at_utc(zone, local_seconds - kSecondsPerDay);
  const auto after = zone_offset_at_utc(zone, local_seconds + kSecondsPerDay);
  if (before == after || zone_offset_at_utc(zone, local_seconds - before) == before) return before;
  return zone_offset_at_utc(zone, local_seconds - after) == after ? after : before;
}

} // namespace perdure::expr
