// Datum: a value while an expression is evaluated. Numbers are decimals; texts, lists and contexts
// of variables are borrowed, not copied; temporal values, ranges and functions exist only here.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "expr/decimal.h"
#include "expr/temporal.h"
#include "expr/work.h"
#include "perdure/value.h"

namespace perdure::expr {

class Datum;
struct Range;
class Callable;

using DatumList = std::vector<Datum>;
using DatumEntries = std::vector<std::pair<std::string, Datum>>;

/// Cheap to copy. Borrows from the Value it was made of, which must outlive it.
class Datum {
  template <class T>
  using Shared = std::shared_ptr<const T>;

public:
  Datum() = default;
  Datum(std::nullptr_t) {}
  template <std::same_as<bool> T> // no pointer may turn into a boolean
  Datum(T value) : data_(value) {}
  Datum(Decimal value) : data_(value) {}
  Datum(Date value) : data_(value) {}
  Datum(Time value) : data_(value) {}
  Datum(DateTime value) : data_(value) {}
  Datum(DaysDuration value) : data_(value) {}
  Datum(MonthsDuration value) : data_(value) {}
  explicit Datum(std::string text);
  explicit Datum(DatumList items);
  /// The caller sees to it that each name is there once.
  explicit Datum(DatumEntries entries);
  explicit Datum(Range range);
  explicit Datum(std::shared_ptr<const Callable> function);
  /// Borrows.
  [[nodiscard]] static Datum of(const Value& value);
  [[nodiscard]] static Datum borrow(std::string_view text);

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::nullptr_t>(data_); }
  [[nodiscard]] bool is_true() const;
  [[nodiscard]] std::optional<bool> boolean() const;
  [[nodiscard]] const Decimal* number() const { return std::get_if<Decimal>(&data_); }
  [[nodiscard]] std::optional<std::string_view> text() const;
  [[nodiscard]] const Date* date() const { return std::get_if<Date>(&data_); }
  [[nodiscard]] const Time* time() const { return std::get_if<Time>(&data_); }
  [[nodiscard]] const DateTime* date_time() const { return std::get_if<DateTime>(&data_); }
  [[nodiscard]] const DaysDuration* days_duration() const {
    return std::get_if<DaysDuration>(&data_);
  }
  [[nodiscard]] const MonthsDuration* months_duration() const {
    return std::get_if<MonthsDuration>(&data_);
  }
  [[nodiscard]] const Range* range() const;
  [[nodiscard]] bool is_function() const { return std::holds_alternative<Shared<Callable>>(data_); }
  /// nullptr when this is no function.
  [[nodiscard]] std::shared_ptr<const Callable> function() const;

  [[nodiscard]] bool is_list() const;
  /// Items of a list, entries of a context; 0 for the rest.
  [[nodiscard]] std::size_t size() const;
  /// Item of a list; the caller keeps `index` < size().
  [[nodiscard]] Datum item(std::size_t index) const;

  [[nodiscard]] bool is_context() const;
  /// The entry's value; nullopt when this is no context or has no such entry.
  [[nodiscard]] std::optional<Datum> entry(std::string_view name) const;
  /// Entry by position; the caller keeps `index` < size().
  [[nodiscard]] std::pair<std::string_view, Datum> entry_at(std::size_t index) const;

  /// How many values are inside each other: 1 for a plain one, 1 more for a list of such.
  [[nodiscard]] int depth() const;

  /// "null", "boolean", "number", "text", "date", "list", "context", "range" ...: for messages.
  [[nodiscard]] std::string_view type_name() const;
  /// As above with an article: "a number", "null".
  [[nodiscard]] std::string described() const;

private:
  template <class T>
  struct Deep; ///< a T and how deep it is

  std::variant<std::nullptr_t, bool, Decimal, std::string_view, Shared<std::string>, const Array*,
               Shared<Deep<DatumList>>, const Object*, Shared<Deep<DatumEntries>>,
               Shared<Deep<Range>>, Date, Time, DateTime, DaysDuration, MonthsDuration,
               Shared<Callable>>
      data_;
};

template <class T>
struct Datum::Deep {
  T value;
  int depth = 1;
};

/// All values between two ends, or all that compare with one value: `(< 5)` has no `low`, `(= 5)`
/// has 5 at both ends, and `(!= 5)` is everything else.
struct Range {
  enum class Form : std::uint8_t { interval, comparison, exclusion };
  Datum low;
  Datum high;
  bool has_low_end = true;
  bool has_high_end = true;
  Form form = Form::interval;
};

struct Type;

struct Parameter {
  std::string name;
  std::shared_ptr<const Type> type; ///< nullptr: any
};

/// A function value: of an expression (`function(a) a + 1`), a built-in one, or one of the host,
/// such as a business knowledge model.
class Callable {
public:
  Callable() = default;
  Callable(const Callable&) = delete;
  Callable& operator=(const Callable&) = delete;
  virtual ~Callable() = default;

  [[nodiscard]] virtual std::span<const Parameter> parameters() const = 0;
  /// As Datum::depth(): of what it captured.
  [[nodiscard]] virtual int depth() const { return 1; }
  /// Whether it looks at number and types of its arguments itself.
  [[nodiscard]] virtual bool is_overloaded() const { return false; }
  /// nullptr: any.
  [[nodiscard]] virtual std::shared_ptr<const Type> result() const { return nullptr; }
  /// As many arguments as there are parameters, each coerced to its type. `offset`: of the call,
  /// for warnings.
  [[nodiscard]] virtual Datum call(Work& work, std::span<const Datum> arguments,
                                   std::uint32_t offset) const = 0;
};

/// Calls a function with as many arguments as it has parameters, coerced to their types; null and a
/// warning when they do not fit.
[[nodiscard]] Datum invoke(Work& work, const Callable& function, std::span<const Datum> arguments,
                           std::uint32_t offset = 0);

/// FEEL's text of a value: "1.5", "[1, \"a\"]", "{a: 1}". A text stays itself.
[[nodiscard]] std::string text_of(Work& work, std::uint32_t offset, const Datum& datum);

/// The Value to keep; temporal values become their ISO 8601 texts. Fails the work when there is
/// none: a range, a function, a number beyond double, or lists and contexts nested deeper than
/// `max_depth`.
[[nodiscard]] Value value_of(Work& work, std::uint32_t offset, const Datum& datum, int max_depth);

} // namespace perdure::expr
