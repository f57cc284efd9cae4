#include "perdure/convert.h"

#include <charconv>
#include <cmath>

#include "base/base64.h"
#include "base/time.h"

namespace perdure {

BadValue::BadValue(const std::string& reason, std::string where)
    : std::runtime_error((where.empty() ? "" : where + ": ") + reason),
      where_(std::move(where)),
      reason_(reason) {}

BadValue BadValue::inside(std::string_view key) const {
  std::string pointer = "/";
  for (const char c : key) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
  return BadValue(reason_, pointer + where_);
}

namespace convert {

namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr std::int64_t kPerSecond = 1'000'000'000;

std::string fraction_text(std::int64_t nanos) {
  if (nanos == 0) return {};
  auto digits = std::to_string(kPerSecond + nanos);
  digits[0] = '.';
  digits.erase(digits.find_last_not_of('0') + 1);
  return digits;
}

/// Digits after a decimal point as nanoseconds; none: the text is wrong.
std::optional<std::int64_t> fraction(std::string_view digits) {
  if (digits.empty() || digits.size() > 9) return std::nullopt;
  std::int64_t nanos = 0;
  for (std::size_t i = 0; i < 9; ++i) {
    const char c = i < digits.size() ? digits[i] : '0';
    if (c < '0' || c > '9') return std::nullopt;
    nanos = nanos * 10 + (c - '0');
  }
  return nanos;
}

/// Takes "12.5S" from the front; the mark says what unit it is.
struct Part {
  std::int64_t whole = 0;
  std::int64_t nanos = 0;
  char unit = '\0';
};
std::optional<Part> take_part(std::string_view& text) {
  Part part;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), part.whole);
  if (error != std::errc() || text.front() == '-') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.empty() && text.front() == '.') {
    const auto digits = text.substr(1, text.find_first_not_of("0123456789", 1) - 1);
    const auto nanos = fraction(digits);
    if (!nanos) return std::nullopt;
    part.nanos = *nanos;
    text.remove_prefix(digits.size() + 1);
  }
  if (text.empty()) return std::nullopt;
  part.unit = text.front();
  text.remove_prefix(1);
  if (part.nanos != 0 && part.unit != 'S') return std::nullopt;
  return part;
}

/// Seconds of a unit in a duration, in the order in which they may stand; 0: no such unit there.
std::int64_t unit_seconds(char unit, bool in_time) {
  if (!in_time) return unit == 'W' ? 604'800 : unit == 'D' ? 86'400 : 0;
  return unit == 'H' ? 3'600 : unit == 'M' ? 60 : unit == 'S' ? 1 : 0;
}

std::optional<nanoseconds> parse_duration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (!text.starts_with('P') || text.size() < 3) return std::nullopt;
  text.remove_prefix(1);
  constexpr std::int64_t most = 9'200'000'000;
  std::int64_t total = 0;
  std::int64_t nanos = 0;
  std::int64_t last = 1'000'000;
  bool in_time = false;
  while (!text.empty()) {
    if (text.front() == 'T') {
      if (in_time) return std::nullopt;
      in_time = true;
      text.remove_prefix(1);
    }
    const auto part = text.empty() ? std::nullopt : take_part(text);
    const auto unit = part ? unit_seconds(part->unit, in_time) : 0;
    if (unit == 0 || unit >= last || part->whole > most / unit) return std::nullopt;
    last = unit;
    total += part->whole * unit;
    nanos += part->nanos;
    if (total > most) return std::nullopt;
  }
  const auto sum = nanoseconds(seconds(total)) + nanoseconds(nanos);
  return negative ? -sum : sum;
}

} // namespace

void refuse(std::string_view wanted, const Value& found) {
  throw BadValue("expected " + std::string(wanted) + ", found a value of the type " +
                 std::string(found.type_name()));
}

void refuse_long() { throw BadValue("a duration of more than 290 years cannot be stored"); }

std::int64_t to_int(const Value& value, std::int64_t least, std::int64_t most) {
  const auto* number = value.as<std::int64_t>();
  if (number == nullptr) refuse("an integer", value);
  if (*number < least || *number > most) {
    throw BadValue(std::to_string(*number) + " does not fit: expected a number from " +
                   std::to_string(least) + " to " + std::to_string(most));
  }
  return *number;
}

double to_double(const Value& value) {
  if (const auto* number = value.as<std::int64_t>()) return static_cast<double>(*number);
  if (!value.is_double()) refuse("a number", value);
  return *value.as<double>();
}

const Array& to_array(const Value& value) {
  if (!value.is_array()) refuse("a list", value);
  return *value.as<Array>();
}

const Object& to_object(const Value& value) {
  if (!value.is_object()) refuse("an object", value);
  return *value.as<Object>();
}

Value finite(double number) {
  if (!std::isfinite(number)) throw BadValue("JSON has no form for a number that is not finite");
  return Value(number);
}

Value from_unsigned(std::uint64_t number) {
  if (std::cmp_greater(number, std::numeric_limits<std::int64_t>::max())) {
    throw BadValue(std::to_string(number) + " is larger than the largest integer that is stored");
  }
  return Value(static_cast<std::int64_t>(number));
}

std::string duration_text(nanoseconds duration) {
  const auto count = duration.count();
  const std::string sign = count < 0 ? "-" : "";
  const auto whole = count / kPerSecond;
  const auto rest = count % kPerSecond;
  return sign + "PT" + std::to_string(whole < 0 ? -whole : whole) +
         fraction_text(rest < 0 ? -rest : rest) + "S";
}

nanoseconds to_duration(const Value& value) {
  const auto* text = value.as<std::string>();
  if (text == nullptr) refuse("a duration such as \"PT1.5S\"", value);
  const auto duration = parse_duration(*text);
  if (!duration) throw BadValue("\"" + *text + "\" is no duration such as \"PT1.5S\"");
  return *duration;
}

std::string time_text(std::chrono::sys_time<nanoseconds> time) {
  const auto whole = std::chrono::floor<seconds>(time);
  auto text = to_text(Instant(whole));
  text.erase(text.find('.')); // of milliseconds: the nanoseconds take its place
  return text + fraction_text((time - whole).count()) + "Z";
}

std::chrono::sys_time<nanoseconds> to_time(const Value& value) {
  const auto* text = value.as<std::string>();
  if (text == nullptr) refuse("a time such as \"2026-11-30T06:36:25Z\"", value);
  const auto instant = parse_instant(*text);
  if (!instant) throw BadValue(instant.error().message);
  const auto whole = std::chrono::floor<seconds>(*instant);
  std::int64_t nanos = 0;
  if (const auto point = text->find('.'); point != std::string::npos) {
    const auto end = text->find_first_not_of("0123456789", point + 1);
    const auto digits = fraction(std::string_view(*text).substr(point + 1, end - point - 1));
    if (!digits) throw BadValue("\"" + *text + "\" has more than nine decimals");
    nanos = *digits;
  }
  return std::chrono::sys_time<nanoseconds>(whole.time_since_epoch()) + nanoseconds(nanos);
}

std::string base64_text(const std::vector<std::byte>& bytes) { return perdure::base64_text(bytes); }

std::vector<std::byte> to_bytes(const Value& value) {
  const auto* text = value.as<std::string>();
  if (text == nullptr) refuse("bytes as a base64 text", value);
  auto bytes = parse_base64(*text);
  if (!bytes) throw BadValue("the text is no base64");
  return *std::move(bytes);
}

Value wrapped(Value value, std::string_view member) {
  const auto* object = value.as<Object>();
  // An object without members is a value too, and no variables are none.
  const bool stands = object != nullptr && !object->empty() &&
                      (object->size() != 1 || object->find(member) == nullptr);
  if (stands) return value;
  return Object{{std::string(member), std::move(value)}};
}

const Value& unwrapped(const Value& variables, std::string_view member) {
  const auto* object = variables.as<Object>();
  const auto* inner = object != nullptr && object->size() == 1 ? object->find(member) : nullptr;
  return inner != nullptr ? *inner : variables;
}

} // namespace convert

} // namespace perdure
