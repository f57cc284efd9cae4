#include "dmn_tck_compare.h"

#include <utility>

#include "expr/decimal.h"
#include "expr/temporal.h"
#include "expr/work.h"
#include "xml/xml.h"

namespace perdure::conformance {

namespace {

using expr::Datum;
using expr::Decimal;
using Kind = TckValue::Kind;

constexpr double kTolerance = 0.00000001;

template <class Temporal>
std::optional<Datum> parsed(const std::string& text) {
  const auto value = Temporal::parse(xml::trim(text));
  return value ? std::optional(Datum(*value)) : std::nullopt;
}

std::optional<Datum> duration(const std::string& text) {
  const auto days = parsed<expr::DaysDuration>(text);
  return days ? days : parsed<expr::MonthsDuration>(text);
}

std::optional<Datum> text_datum(const TckValue& value) {
  if (value.type == "boolean") return Datum(xml::is_true(value.text));
  if (value.type == "decimal" || value.type == "double") {
    const auto number = Decimal::parse(xml::trim(value.text));
    return number ? std::optional(Datum(*number)) : std::nullopt;
  }
  if (value.type == "date") return parsed<expr::Date>(value.text);
  if (value.type == "time") return parsed<expr::Time>(value.text);
  if (value.type == "dateTime") return parsed<expr::DateTime>(value.text);
  if (value.type == "duration") return duration(value.text);
  return Datum(value.text);
}

bool is_near(const Decimal& expected, const Decimal& actual) {
  return (expected - actual).absolute() < Decimal(kTolerance);
}

/// Texts of temporal values are read as the type that came out: `P0D` and `P0M` look alike.
bool is_text_as_expected(const TckValue& expected, const Datum& actual) {
  if (expected.type == "string") {
    if (const auto text = actual.text()) return *text == expected.text;
    return (actual.time() && actual.time()->text() == expected.text) ||
           (actual.date_time() && actual.date_time()->text() == expected.text);
  }
  if (const auto* months = actual.months_duration()) {
    const auto wanted = expr::MonthsDuration::parse(xml::trim(expected.text));
    return expected.type == "duration" && wanted == *months;
  }
  const auto wanted = text_datum(expected);
  if (!wanted) return false;
  if (const auto* number = wanted->number()) {
    return actual.number() && is_near(*number, *actual.number());
  }
  if (wanted->boolean()) return actual.boolean() == wanted->boolean();
  if (wanted->date()) return actual.date() && *actual.date() == *wanted->date();
  if (wanted->time()) return actual.time() && *actual.time() == *wanted->time();
  if (wanted->date_time()) {
    return actual.date_time() && *actual.date_time() == *wanted->date_time();
  }
  if (wanted->days_duration()) {
    return actual.days_duration() && *actual.days_duration() == *wanted->days_duration();
  }
  return false;
}

} // namespace

std::optional<Datum> datum_of(const TckValue& value) {
  switch (value.kind) {
    case Kind::null: return Datum();
    case Kind::text: return text_datum(value);
    case Kind::list: {
      expr::DatumList items;
      for (const auto& item : value.items) {
        const auto datum = datum_of(item);
        if (!datum) return std::nullopt;
        items.push_back(*datum);
      }
      return Datum(std::move(items));
    }
    case Kind::context: {
      expr::DatumEntries entries;
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        const auto datum = datum_of(value.items[i]);
        if (!datum) return std::nullopt;
        entries.emplace_back(value.names[i], *datum);
      }
      return Datum(std::move(entries));
    }
  }
  return std::nullopt;
}

bool is_as_expected(const TckValue& expected, const Datum& actual) {
  switch (expected.kind) {
    case Kind::null: return actual.is_null();
    case Kind::text: return is_text_as_expected(expected, actual);
    case Kind::list:
      if (!actual.is_list() || actual.size() != expected.items.size()) return false;
      for (std::size_t i = 0; i < expected.items.size(); ++i) {
        if (!is_as_expected(expected.items[i], actual.item(i))) return false;
      }
      return true;
    case Kind::context:
      if (!actual.is_context() || actual.size() != expected.items.size()) return false;
      for (std::size_t i = 0; i < expected.items.size(); ++i) {
        const auto entry = actual.entry(expected.names[i]);
        if (!entry || !is_as_expected(expected.items[i], *entry)) return false;
      }
      return true;
  }
  return false;
}

std::string shown(const TckValue& value) {
  std::string text;
  switch (value.kind) {
    case Kind::null: return "null";
    case Kind::text: return value.type == "string" ? '"' + value.text + '"' : value.text;
    case Kind::list:
      for (const auto& item : value.items)
        text += (text.empty() ? "" : ", ") + shown(item);
      return "[" + text + "]";
    case Kind::context:
      for (std::size_t i = 0; i < value.items.size(); ++i)
        text += (text.empty() ? "" : ", ") + value.names[i] + ": " + shown(value.items[i]);
      return "{" + text + "}";
  }
  return text;
}

std::string shown(const Datum& datum) {
  if (datum.is_null()) return "null";
  expr::Work work;
  auto text = expr::text_of(work, 0, datum);
  if (datum.text()) return '"' + text + '"';
  const bool is_plain = datum.number() || datum.boolean() || datum.is_list() || datum.is_context();
  return is_plain ? text : text + " (" + std::string(datum.type_name()) + ")";
}

} // namespace perdure::conformance
