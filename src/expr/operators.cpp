#include "expr/operators.h"

#include <compare>
#include <string>

namespace perdure::expr {

namespace {

Datum mismatch(Work& work, std::uint32_t offset, Operation operation, const Datum& left,
               const Datum& right) {
  work.warn(WarningKind::type_mismatch,
            "\"" + std::string(spelling(operation)) + "\" has no meaning between " +
                left.described() + " and " + right.described() + ".",
            offset);
  return nullptr;
}

/// Order of two numbers or two texts (by code point, which is the order of UTF-8 bytes).
std::optional<std::partial_ordering> order_of(const Datum& left, const Datum& right) {
  if (left.number() && right.number()) return *left.number() <=> *right.number();
  if (left.text() && right.text()) return *left.text() <=> *right.text();
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
  return holds(operation, *order);
}

Datum divide(Work& work, std::uint32_t offset, const Decimal& left, const Decimal& right,
             bool remainder) {
  if (right == Decimal(0)) {
    work.warn(WarningKind::type_mismatch, "Division by zero.", offset);
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
  return left.has_low_end == right.has_low_end && left.has_high_end == right.has_high_end &&
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
  return std::nullopt;
}

Datum finite(Work& work, std::uint32_t offset, const Decimal& number) {
  if (number.is_finite()) return number;
  work.warn(WarningKind::type_mismatch, "The result is too large or no number.", offset);
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
  return mismatch(work, offset, operation, left, right);
}

Datum negated(Work& work, std::uint32_t offset, const Datum& operand) {
  if (operand.number()) return -*operand.number();
  work.warn(WarningKind::type_mismatch, "\"-\" has no meaning before " + operand.described() + ".",
            offset);
  return nullptr;
}

Datum lies_in(Work& work, std::uint32_t offset, const Datum& value, const Range& range) {
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
