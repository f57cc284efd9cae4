// Built-in functions that make a value of one type from others.
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "expr/functions.h"
#include "expr/operators.h"
#include "expr/range_text.h"
#include "expr/temporal_arithmetic.h"

namespace perdure::expr {

namespace {

using enum Accepts;

// --- texts and numbers

Datum to_string(const Call& call) {
  if (call[0].is_null()) return nullptr;
  return Datum(text_of(call.work, call.offset, call[0]));
}

/// A separator argument: null, or one of those that are allowed; nullopt for anything else.
std::optional<std::string_view> separator(const Datum& datum, std::string_view allowed) {
  if (datum.is_null()) return std::string_view();
  const auto text = datum.text();
  if (!text || text->size() != 1 || !allowed.contains(text->front())) return std::nullopt;
  return text;
}

Datum to_number(const Call& call) {
  if (call.arguments.size() == 1 && call[0].number()) return call[0];
  if (!call[0].text()) return call.wrong_type(0, "a text");
  if (!call.spend_bytes(call.text(0).size())) return nullptr;
  auto digits = std::string(call.text(0));
  if (call.arguments.size() == 3) {
    const auto grouping = separator(call[1], " ,.");
    const auto point = separator(call[2], ",.");
    if (!grouping || !point || (!grouping->empty() && grouping == point)) {
      return call.invalid(
          "the separators must be a space, \",\" or \".\", and two different ones.");
    }
    if (!grouping->empty()) std::erase(digits, grouping->front());
    if (*point == ",") std::ranges::replace(digits, ',', '.');
  }
  const auto number = Decimal::parse(digits);
  if (!number) return call.invalid("the text is no number; write it as -12.5.");
  return *number;
}

// --- dates and times

Datum date_from(const Call& call) {
  if (call[0].date()) return call[0];
  if (call[0].date_time()) return call[0].date_time()->date;
  if (!call[0].text()) return call.wrong_type(0, "a text or a date and time");
  const auto date = Date::parse(call.text(0));
  if (!date) return call.invalid("the text is no date; write it as 2024-02-29.");
  return *date;
}

Datum date_of(const Call& call) {
  const auto whole = [&](std::size_t index) { return call.number(index).as_int64(); };
  const auto year = whole(0);
  const auto month = whole(1);
  const auto day = whole(2);
  const auto date = year && month && day ? Date::of(*year, *month, *day) : std::nullopt;
  return date ? Datum(*date)
              : call.null_because(WarningKind::out_of_range, "there is no such day.");
}

Datum time_from(const Call& call) {
  if (call[0].time()) return call[0];
  if (call[0].date_time()) return call[0].date_time()->time;
  if (call[0].date()) return at_midnight(*call[0].date()).time;
  if (!call[0].text()) return call.wrong_type(0, "a text or a date and time");
  const auto time = Time::parse(call.text(0));
  if (!time) return call.invalid("the text is no time; write it as 10:30:00 or 10:30:00+01:00.");
  return *time;
}

Datum time_of(const Call& call) {
  const auto hour = call.number(0).as_int64().value_or(-1);
  const auto minute = call.number(1).as_int64().value_or(-1);
  const auto nanos = (call.number(2) * Decimal(kNanosPerSecond)).rounded(Rounding::down).as_int64();
  const bool is_valid = hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && nanos &&
                        *nanos >= 0 && *nanos < 60 * kNanosPerSecond;
  if (!is_valid) return call.null_because(WarningKind::out_of_range, "there is no such time.");
  Time time{.nanos = (hour * 60 + minute) * 60 * kNanosPerSecond + *nanos};
  if (call.arguments.size() < 4 || call[3].is_null()) return time;
  if (!call[3].days_duration()) return call.wrong_type(3, "a days and time duration");
  const auto offset = call[3].days_duration()->seconds.as_int64();
  constexpr std::int64_t kMaxOffset = 18 * 3600;
  if (!offset || *offset > kMaxOffset || *offset < -kMaxOffset) {
    return call.null_because(WarningKind::out_of_range, "the offset is more than 18 hours.");
  }
  time.place = {.kind = Place::Kind::offset, .offset_seconds = static_cast<std::int32_t>(*offset)};
  return time;
}

Datum date_time_from(const Call& call) {
  if (call[0].date_time()) return call[0];
  if (call[0].date()) return at_midnight(*call[0].date());
  if (!call[0].text()) return call.wrong_type(0, "a text");
  if (const auto date = Date::parse(call.text(0))) return DateTime{*date, {}};
  const auto moment = DateTime::parse(call.text(0));
  if (!moment) {
    return call.invalid("the text is no date and time; write it as 2024-02-29T10:30:00Z.");
  }
  return *moment;
}

Datum date_time_of(const Call& call) {
  const auto* date = call[0].date();
  if (call[0].date_time()) date = &call[0].date_time()->date;
  if (!date) return call.wrong_type(0, "a date or a date and time");
  if (!call[1].time()) return call.wrong_type(1, "a time");
  return DateTime{*date, *call[1].time()};
}

Datum duration_from(const Call& call) {
  if (call[0].days_duration() || call[0].months_duration()) return call[0];
  if (!call[0].text()) return call.wrong_type(0, "a text");
  if (const auto months = MonthsDuration::parse(call.text(0))) return *months;
  const auto days = DaysDuration::parse(call.text(0));
  if (!days) return call.invalid("the text is no duration; write it as P1DT2H30M or P1Y2M.");
  return *days;
}

// --- others

Datum range_from(const Call& call) {
  if (!call.spend(call.text(0).size())) return nullptr;
  auto range = read_range(call.text(0));
  if (!range) {
    return call.invalid("the text is no range of literals from low to high; write it as [1..5].");
  }
  return Datum(*std::move(range));
}

Datum is_same(const Call& call) { return are_identical(call.work, call.offset, call[0], call[1]); }

constexpr std::array<Formal, 4> kFrom = {Formal{"from"}};

constexpr std::array kFunctions = std::to_array<Function>({
    {"date", kFrom, 1, date_from},
    {"date", {{{"year", number}, {"month", number}, {"day", number}}}, 3, date_of},
    {"date and time", kFrom, 1, date_time_from},
    {"date and time", {{{"date"}, {"time"}}}, 2, date_time_of},
    {"duration", kFrom, 1, duration_from},
    {"is", {{{"value1"}, {"value2"}}}, 0, is_same},
    {"number", kFrom, 1, to_number},
    {"number", {{{"from"}, {"grouping separator"}, {"decimal separator"}}}, 3, to_number},
    {"range", {{{"from", text}}}, 1, range_from},
    {"string", kFrom, 1, to_string},
    {"time", kFrom, 1, time_from},
    {"time", {{{"hour", number}, {"minute", number}, {"second", number}, {"offset"}}}, 3, time_of},
});

} // namespace

std::span<const Function> conversion_functions() { return kFunctions; }

} // namespace perdure::expr
