// Built-in functions that make one value of a list: they take the list or its items.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "expr/functions.h"
#include "expr/operators.h"

namespace perdure::expr {

namespace {

using enum Accepts;

/// `f([a, b])` and `f(a, b)` are the same. nullopt after a warning.
std::optional<DatumList> spread(const Call& call) {
  if (call.arguments.size() != 1) return DatumList(call.arguments.begin(), call.arguments.end());
  if (call[0].is_list()) return call.items(0);
  if (!call[0].is_null()) return DatumList{call[0]};
  static_cast<void>(call.wrong_type(0, "a list"));
  return std::nullopt;
}

/// As above, when all items are numbers.
std::optional<std::vector<Decimal>> numbers(const Call& call) {
  const auto items = spread(call);
  if (!items) return std::nullopt;
  std::vector<Decimal> numbers;
  for (const auto& item : *items) {
    if (!item.number()) {
      static_cast<void>(
          call.null_because(item.is_null() ? WarningKind::null_operand : WarningKind::type_mismatch,
                            "all items must be numbers, not " + item.described() + "."));
      return std::nullopt;
    }
    numbers.push_back(*item.number());
  }
  return numbers;
}

Decimal total_of(const std::vector<Decimal>& numbers) {
  Decimal total = 0;
  for (const auto& number : numbers)
    total = total + number;
  return total;
}

Decimal count_of(const std::vector<Decimal>& numbers) {
  return static_cast<std::int64_t>(numbers.size());
}

Datum count(const Call& call) { return Decimal(static_cast<std::int64_t>(call[0].size())); }

/// The item that is `better` than all others.
Datum extreme(const Call& call, Operation better) {
  const auto items = spread(call);
  if (!items || items->empty()) return nullptr;
  Datum best = items->front();
  for (const auto& item : *items) {
    const auto is_better = operate(call.work, call.offset, better, item, best);
    if (is_better.is_null()) return nullptr;
    if (is_better.is_true()) best = item;
  }
  return best;
}

Datum minimum(const Call& call) { return extreme(call, Operation::less); }
Datum maximum(const Call& call) { return extreme(call, Operation::greater); }

/// Of numbers, or of durations of one kind.
Datum sum(const Call& call) {
  const auto items = spread(call);
  if (!items || items->empty()) return nullptr;
  Datum total = items->front();
  if (!total.number() && !total.days_duration() && !total.months_duration()) {
    return call.null_because(WarningKind::type_mismatch, "cannot add " + total.described() + ".");
  }
  for (const auto& item : std::span(*items).subspan(1)) {
    total = operate(call.work, call.offset, Operation::add, total, item);
    if (total.is_null()) return nullptr;
  }
  return total;
}

Datum mean(const Call& call) {
  const auto items = numbers(call);
  if (!items) return nullptr;
  if (items->empty()) return call.invalid("the list is empty.");
  return finite(call.work, call.offset, total_of(*items) / count_of(*items));
}

Datum product(const Call& call) {
  const auto items = numbers(call);
  if (!items) return nullptr;
  if (items->empty()) return call.invalid("the list is empty.");
  Decimal result = 1;
  for (const auto& item : *items)
    result = result * item;
  return finite(call.work, call.offset, result);
}

Datum median(const Call& call) {
  auto items = numbers(call);
  if (!items || items->empty()) return nullptr;
  std::ranges::sort(*items, [](const Decimal& left, const Decimal& right) { return left < right; });
  const auto middle = items->size() / 2;
  if (items->size() % 2 == 1) return (*items)[middle];
  return finite(call.work, call.offset, ((*items)[middle - 1] + (*items)[middle]) / Decimal(2));
}

/// Of a sample: the sum of squares is divided by one less than there are items.
Datum standard_deviation(const Call& call) {
  const auto items = numbers(call);
  if (!items) return nullptr;
  if (items->size() < 2) return call.invalid("at least two numbers are needed.");
  const auto average = total_of(*items) / count_of(*items);
  Decimal squares = 0;
  for (const auto& item : *items)
    squares = squares + (item - average) * (item - average);
  return finite(call.work, call.offset, (squares / (count_of(*items) - Decimal(1))).square_root());
}

/// The numbers that come most often, in ascending order.
Datum mode(const Call& call) {
  auto items = numbers(call);
  if (!items) return nullptr;
  std::ranges::sort(*items, [](const Decimal& left, const Decimal& right) { return left < right; });
  DatumList most;
  std::size_t best = 0;
  for (std::size_t begin = 0; begin < items->size();) {
    auto end = begin;
    while (end < items->size() && (*items)[end] == (*items)[begin])
      ++end;
    if (end - begin > best) most.clear();
    if (end - begin >= best) most.emplace_back((*items)[begin]);
    best = std::max(best, end - begin);
    begin = end;
  }
  return Datum(std::move(most));
}

/// `decisive` settles it: false for all, true for any.
Datum junction(const Call& call, bool decisive) {
  const auto items = spread(call);
  if (!items) return nullptr;
  bool is_known = true;
  for (const auto& item : *items) {
    if (item.boolean() == decisive) return decisive;
    if (item.boolean()) continue;
    is_known = false;
    if (item.is_null()) continue;
    return call.null_because(WarningKind::type_mismatch,
                             "all items must be booleans, not " + item.described() + ".");
  }
  return is_known ? Datum(!decisive) : Datum();
}

Datum all(const Call& call) { return junction(call, false); }
Datum any_of(const Call& call) { return junction(call, true); }

constexpr std::array<Formal, 4> kList = {Formal{"list"}};

constexpr std::array kFunctions = std::to_array<Function>({
    {"all", kList, 1, all, true},
    {"any", kList, 1, any_of, true},
    {"count", {{{"list", list}}}, 1, count},
    {"max", kList, 1, maximum, true},
    {"mean", kList, 1, mean, true},
    {"median", kList, 1, median, true},
    {"min", kList, 1, minimum, true},
    {"mode", kList, 1, mode, true},
    {"product", kList, 1, product, true},
    {"stddev", kList, 1, standard_deviation, true},
    {"sum", kList, 1, sum, true},
});

} // namespace

std::span<const Function> statistics_functions() { return kFunctions; }

} // namespace perdure::expr
