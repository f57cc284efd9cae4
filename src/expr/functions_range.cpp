// Built-in functions that compare points and ranges. Each is written once, for ranges: a point is a
// range that begins and ends with it.
#include <array>
#include <compare>
#include <optional>

#include "expr/functions.h"
#include "expr/operators.h"

namespace perdure::expr {

namespace {

using enum Accepts;
using Order = std::partial_ordering;

/// Compares ends; remembers when some could not be compared.
class Comparison {
public:
  explicit Comparison(const Call& call)
      : one_(as_range(call[0])),
        other_(as_range(call[1])),
        first_is_point_(!call[0].range()),
        second_is_point_(!call[1].range()) {}

  [[nodiscard]] const Range& one() const { return one_; }
  [[nodiscard]] const Range& other() const { return other_; }
  [[nodiscard]] bool first_is_point() const { return first_is_point_; }
  [[nodiscard]] bool second_is_point() const { return second_is_point_; }
  [[nodiscard]] bool is_known() const { return is_known_; }

  bool less(const Datum& left, const Datum& right) { return order(left, right) < 0; }
  bool same(const Datum& left, const Datum& right) { return order(left, right) == 0; }
  void swap() {
    std::swap(one_, other_);
    std::swap(first_is_point_, second_is_point_);
  }

private:
  static Range as_range(const Datum& datum) {
    return datum.range() ? *datum.range() : Range{datum, datum, true, true};
  }

  Order order(const Datum& left, const Datum& right) {
    const auto order = order_of(left, right).value_or(Order::unordered);
    is_known_ = is_known_ && order != Order::unordered;
    return order;
  }

  Range one_, other_;
  bool first_is_point_, second_is_point_;
  bool is_known_ = true;
};

using Relation = bool (*)(Comparison&, const Range&, const Range&);

bool before(Comparison& c, const Range& a, const Range& b) {
  return c.less(a.high, b.low) || (c.same(a.high, b.low) && (!a.has_high_end || !b.has_low_end));
}

bool meets(Comparison& c, const Range& a, const Range& b) {
  return a.has_high_end && b.has_low_end && c.same(a.high, b.low);
}

bool overlaps(Comparison& c, const Range& a, const Range& b) {
  return !before(c, a, b) && !before(c, b, a);
}

/// Whether `a` begins before `b` does, or where it does.
bool begins_before(Comparison& c, const Range& a, const Range& b) {
  return c.less(a.low, b.low) || (c.same(a.low, b.low) && a.has_low_end && !b.has_low_end);
}
bool begins_no_later(Comparison& c, const Range& a, const Range& b) {
  return c.less(a.low, b.low) || (c.same(a.low, b.low) && (a.has_low_end || !b.has_low_end));
}
bool ends_no_later(Comparison& c, const Range& a, const Range& b) {
  return c.less(a.high, b.high) || (c.same(a.high, b.high) && (!a.has_high_end || b.has_high_end));
}

bool overlaps_before(Comparison& c, const Range& a, const Range& b) {
  const bool reaches_in =
      c.less(b.low, a.high) || (c.same(a.high, b.low) && a.has_high_end && b.has_low_end);
  return begins_before(c, a, b) && reaches_in && ends_no_later(c, a, b);
}

/// A mirror image: `a` begins within `b` and ends after it.
bool overlaps_after(Comparison& c, const Range& a, const Range& b) {
  const bool reaches_in =
      c.less(a.low, b.high) || (c.same(b.high, a.low) && b.has_high_end && a.has_low_end);
  const bool ends_later =
      c.less(b.high, a.high) || (c.same(b.high, a.high) && (!b.has_high_end || a.has_high_end));
  return begins_before(c, b, a) && reaches_in && ends_later;
}

bool finishes(Comparison& c, const Range& a, const Range& b) {
  if (c.first_is_point()) return b.has_high_end && c.same(a.high, b.high);
  return a.has_high_end == b.has_high_end && c.same(a.high, b.high) && begins_no_later(c, b, a);
}

bool starts(Comparison& c, const Range& a, const Range& b) {
  if (c.first_is_point()) return b.has_low_end && c.same(a.low, b.low);
  return a.has_low_end == b.has_low_end && c.same(a.low, b.low) && ends_no_later(c, a, b);
}

/// Whether all of `b` lies in `a`.
bool includes(Comparison& c, const Range& a, const Range& b) {
  return begins_no_later(c, a, b) && ends_no_later(c, b, a);
}

bool coincides(Comparison& c, const Range& a, const Range& b) {
  return a.has_low_end == b.has_low_end && a.has_high_end == b.has_high_end &&
         c.same(a.low, b.low) && c.same(a.high, b.high);
}

Datum outcome(const Call& call, const Comparison& comparison, bool holds) {
  if (comparison.is_known()) return holds;
  return call.null_because(WarningKind::type_mismatch,
                           "the points must be of one type that has an order.");
}

template <Relation relation>
Datum ask(const Call& call) {
  Comparison comparison(call);
  const bool holds = relation(comparison, comparison.one(), comparison.other());
  return outcome(call, comparison, holds);
}

/// The relation seen from the other side.
template <Relation relation>
Datum ask_reversed(const Call& call) {
  Comparison comparison(call);
  comparison.swap();
  const bool holds = relation(comparison, comparison.one(), comparison.other());
  return outcome(call, comparison, holds);
}

constexpr std::array<Formal, 4> kPoints = {Formal{"point1"}, Formal{"point2"}};
constexpr std::array<Formal, 4> kPointRange = {Formal{"point"}, Formal{"range"}};
constexpr std::array<Formal, 4> kRangePoint = {Formal{"range"}, Formal{"point"}};
constexpr std::array<Formal, 4> kRanges = {Formal{"range1"}, Formal{"range2"}};

// Several rows of one name differ in the names of the parameters only.
constexpr std::array kFunctions = std::to_array<Function>({
    {"after", kPoints, 2, ask_reversed<before>},
    {"after", kPointRange, 2, ask_reversed<before>},
    {"after", kRangePoint, 2, ask_reversed<before>},
    {"after", kRanges, 2, ask_reversed<before>},
    {"before", kPoints, 2, ask<before>},
    {"before", kPointRange, 2, ask<before>},
    {"before", kRangePoint, 2, ask<before>},
    {"before", kRanges, 2, ask<before>},
    {"coincides", kPoints, 2, ask<coincides>},
    {"coincides", kRanges, 2, ask<coincides>},
    {"during", kPointRange, 2, ask_reversed<includes>},
    {"during", kRanges, 2, ask_reversed<includes>},
    {"finished by", kRangePoint, 2, ask_reversed<finishes>},
    {"finished by", kRanges, 2, ask_reversed<finishes>},
    {"finishes", kPointRange, 2, ask<finishes>},
    {"finishes", kRanges, 2, ask<finishes>},
    {"includes", kRangePoint, 2, ask<includes>},
    {"includes", kRanges, 2, ask<includes>},
    {"meets", kRanges, 2, ask<meets>},
    {"met by", kRanges, 2, ask_reversed<meets>},
    {"overlaps", kRanges, 2, ask<overlaps>},
    {"overlaps after", kRanges, 2, ask<overlaps_after>},
    {"overlaps before", kRanges, 2, ask<overlaps_before>},
    {"started by", kRangePoint, 2, ask_reversed<starts>},
    {"started by", kRanges, 2, ask_reversed<starts>},
    {"starts", kPointRange, 2, ask<starts>},
    {"starts", kRanges, 2, ask<starts>},
});

} // namespace

std::span<const Function> range_functions() { return kFunctions; }

} // namespace perdure::expr
