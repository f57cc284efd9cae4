#include "expr/operators.h"

#include <compare>
#include <string>

#include "expr/temporal_arithmetic.h"
#include "expr/types.h"

namespace perdure::expr {

namespace {

Datum mismatch(Work& work, std::uint32_t offset, Operation operation, const Datum& left,
               const Datum& right) {
  const bool is_null = left.is_null() || right.is_null();
  work.warn(is_null ? WarningKind::null_operand : WarningKind::type_mismatch,
            "\"" + std::string(spelling(operation)) + "\" has no meaning between " +
                left.described() + " and " + right.described() + ".",
            offset);
  return nullptr;
}

/// Only when both are local or both have an offset.
std::partial_ordering order_of_moments(const DateTime& left, const DateTime& right) {
  if (left.offset().has_value() != right.offset().has_value()) {
    return std::partial_ordering::unordered;
  }
  if (const auto order = left.utc_seconds() <=> right.utc_seconds(); order != 0) return order;
  return left.time.nanos % kNanosPerSecond <=> right.time.nanos % kNanosPerSecond;
}

/// To the second, as the standard has it.
bool are_same_moments(const DateTime& left, const DateTime& right) {
  return left.offset().has_value() == right.offset().has_value() &&
         left.utc_seconds() == right.utc_seconds();
}

std::optional<DateTime> moment_of(const Datum& datum) {
  if (datum.date_time()) return *datum.date_time();
  if (datum.date()) return at_midnight(*datum.date());
  return std::nullopt;
}

bool holds(Operation operation, std::partial_ordering order) {
  switch (operation) {
    case Operation::less: return order < 0;
    case Operation::less_equal: return order <= 0;
    case Operation::greater: return order > 0;
    default: return order >= 0;
  }
}

Datum compare(Work& work, std::uint32_t offset, Operation operation, const Datum& left,
              const Datum& right) {
  if (left.text()) work.spend_bytes(left.text()->size(), offset);
  const auto order = order_of(left, right);
  if (!order) return mismatch(work, offset, operation, left, right);
  if (*order == std::partial_ordering::unordered) {
    work.warn(WarningKind::type_mismatch,
              "A local time cannot be compared with one that has an offset from UTC.", offset);
    return nullptr;
  }
  return holds(operation, *order);
}

Datum divide(Work& work, std::uint32_t offset, const Decimal& left, const Decimal& right,
             bool remainder) {
  if (right == Decimal(0)) {
    work.warn(WarningKind::out_of_range, "Division by zero.", offset);
    return nullptr;
  }
  return finite(work, offset, remainder ? left.remainder(right) : left / right);
}

Datum calculate(Work& work, std::uint32_t offset, Operation operation, const Decimal& left,
                const Decimal& right) {
  switch (operation) {
    case Operation::add: return finite(work, offset, left + right);
    case Operation::subtract: return finite(work, offset, left - right);
    case Operation::multiply: return finite(work, offset, left * right);
    case Operation::divide: return divide(work, offset, left, right, false);
    case Operation::remainder: return divide(work, offset, left, right, true);
    default: return finite(work, offset, left.power(right));
  }
}

bool are_equal_lists(Work& work, std::uint32_t offset, const Datum& left, const Datum& right) {
  if (left.size() != right.size()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (!are_equal(work, offset, left.item(i), right.item(i)).value_or(false)) return false;
  }
  return true;
}

bool are_equal_contexts(Work& work, std::uint32_t offset, const Datum& left, const Datum& right) {
  if (left.size() != right.size()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const auto [key, value] = left.entry_at(i);
    if (!work.spend(1 + right.size() / 16, offset)) return false; // the search is linear
    const auto other = right.entry(key);
    if (!other || !are_equal(work, offset, value, *other).value_or(false)) return false;
  }
  return true;
}

bool are_equal_ranges(Work& work, std::uint32_t offset, const Range& left, const Range& right) {
  return left.form == right.form && left.has_low_end == right.has_low_end &&
         left.has_high_end == right.has_high_end &&
         are_equal(work, offset, left.low, right.low).value_or(false) &&
         are_equal(work, offset, left.high, right.high).value_or(false);
}

} // namespace

std::optional<bool> are_equal(Work& work, std::uint32_t offset, const Datum& left,
                              const Datum& right) {
  if (!work.spend(1, offset)) return false;
  if (left.is_null() || right.is_null()) return left.is_null() && right.is_null();
  if (left.boolean() && right.boolean()) return left.boolean() == right.boolean();
  if (left.number() && right.number()) return *left.number() == *right.number();
  if (left.text() && right.text()) {
    work.spend_bytes(left.text()->size(), offset);
    return *left.text() == *right.text();
  }
  if (left.is_list() && right.is_list()) return are_equal_lists(work, offset, left, right);
  if (left.is_context() && right.is_context()) {
    return are_equal_contexts(work, offset, left, right);
  }
  if (left.range() && right.range()) {
    return are_equal_ranges(work, offset, *left.range(), *right.range());
  }
  if (left.date() && right.date()) return *left.date() == *right.date();
  if (left.time() && right.time()) {
    return are_same_moments({Date{}, *left.time()}, {Date{}, *right.time()});
  }
  if (left.days_duration() && right.days_duration()) {
    return *left.days_duration() == *right.days_duration();
  }
  if (left.months_duration() && right.months_duration()) {
    return *left.months_duration() == *right.months_duration();
  }
  const auto one = moment_of(left);
  const auto other = moment_of(right);
  return one && other ? std::optional(are_same_moments(*one, *other)) : std::nullopt;
}

bool are_identical(Work& work, std::uint32_t offset, const Datum& left, const Datum& right) {
  if (left.time() && right.time()) return *left.time() == *right.time();
  if (left.date_time() && right.date_time()) return *left.date_time() == *right.date_time();
  if (type_name_of(left) != type_name_of(right)) return false;
  return are_equal(work, offset, left, right).value_or(false);
}

std::optional<std::partial_ordering> order_of(const Datum& left, const Datum& right) {
  if (left.number() && right.number()) return *left.number() <=> *right.number();
  // By code point, which is the order of UTF-8 bytes.
  if (left.text() && right.text()) return *left.text() <=> *right.text();
  if (left.date() && right.date()) return *left.date() <=> *right.date();
  if (left.time() && right.time()) {
    return order_of_moments({Date{}, *left.time()}, {Date{}, *right.time()});
  }
  if (left.days_duration() && right.days_duration()) {
    return *left.days_duration() <=> *right.days_duration();
  }
  if (left.months_duration() && right.months_duration()) {
    return *left.months_duration() <=> *right.months_duration();
  }
  const auto one = moment_of(left);
  const auto other = moment_of(right);
  return one && other ? std::optional(order_of_moments(*one, *other)) : std::nullopt;
}

Datum finite(Work& work, std::uint32_t offset, const Decimal& number) {
  if (number.is_finite()) return number;
  work.warn(WarningKind::out_of_range, "The result is too large or no number.", offset);
  return nullptr;
}

Datum operate(Work& work, std::uint32_t offset, Operation operation, const Datum& left,
              const Datum& right) {
  if (operation == Operation::equal || operation == Operation::not_equal) {
    const auto equal = are_equal(work, offset, left, right);
    if (!equal) return mismatch(work, offset, operation, left, right);
    return *equal == (operation == Operation::equal);
  }
  if (operation >= Operation::less && operation <= Operation::greater_equal) {
    return compare(work, offset, operation, left, right);
  }
  if (left.number() && right.number()) {
    return calculate(work, offset, operation, *left.number(), *right.number());
  }
  if (operation == Operation::add && left.text() && right.text()) {
    if (!work.spend_bytes(left.text()->size() + right.text()->size(), offset)) return nullptr;
    return Datum(std::string(*left.text()).append(*right.text()));
  }
  auto result = calculate_temporal(operation, left, right);
  if (!result) return mismatch(work, offset, operation, left, right);
  if (result->is_null()) {
    work.warn(WarningKind::out_of_range,
              "\"" + std::string(spelling(operation)) + "\" has no result for " + left.described() +
                  " and " + right.described() + " of these values.",
              offset);
  }
  return *std::move(result);
}

Datum negated(Work& work, std::uint32_t offset, const Datum& operand) {
  if (operand.number()) return -*operand.number();
  if (operand.days_duration()) return DaysDuration{-operand.days_duration()->seconds};
  if (operand.months_duration()) return MonthsDuration{-operand.months_duration()->months};
  work.warn(operand.is_null() ? WarningKind::null_operand : WarningKind::type_mismatch,
            "\"-\" has no meaning before " + operand.described() + ".", offset);
  return nullptr;
}

namespace {

/// Whether `value` passes the one comparison that the range stands for.
Datum compares(Work& work, std::uint32_t offset, const Datum& value, const Range& range) {
  auto operation = Operation::equal;
  if (range.form == Range::Form::exclusion) {
    operation = Operation::not_equal;
  } else if (range.low.is_null()) {
    operation = range.has_high_end ? Operation::less_equal : Operation::less;
  } else if (range.high.is_null()) {
    operation = range.has_low_end ? Operation::greater_equal : Operation::greater;
  }
  return operate(work, offset, operation, value, range.low.is_null() ? range.high : range.low);
}

} // namespace

Datum lies_in(Work& work, std::uint32_t offset, const Datum& value, const Range& range) {
  if (range.form != Range::Form::interval) return compares(work, offset, value, range);
  const auto above =
      operate(work, offset, range.has_low_end ? Operation::greater_equal : Operation::greater,
              value, range.low);
  if (above.boolean() == false) return false;
  const auto below =
      operate(work, offset, range.has_high_end ? Operation::less_equal : Operation::less, value,
              range.high);
  if (below.boolean() == false) return false;
  return above.is_null() || below.is_null() ? Datum() : Datum(true);
}

} // namespace perdure::expr
