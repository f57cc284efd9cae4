// Built-in functions that look into lists or make new ones.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "expr/functions.h"
#include "expr/operators.h"

namespace perdure::expr {

namespace {

using enum Accepts;

/// null counts as equal to null, values of different types as different.
bool are_same(const Call& call, const Datum& left, const Datum& right) {
  return are_equal(call.work, call.offset, left, right).value_or(false);
}

bool contains(const Call& call, const DatumList& items, const Datum& wanted) {
  return std::ranges::any_of(items,
                             [&](const Datum& item) { return are_same(call, item, wanted); });
}

/// The 0-based place that a position from 1 (or from -1, the last) means; nullopt when it is
/// outside a list of that size.
std::optional<std::ptrdiff_t> place_of(std::optional<std::int64_t> position, std::size_t size) {
  const auto count = static_cast<std::int64_t>(size);
  if (!position || *position == 0 || *position > count || *position < -count) return std::nullopt;
  return static_cast<std::ptrdiff_t>(*position > 0 ? *position - 1 : count + *position);
}

Datum no_such_position(const Call& call) {
  return call.null_because(WarningKind::out_of_range,
                           "there is no such position; the first is 1, the last -1.");
}

Datum list_contains(const Call& call) { return contains(call, call.items(0), call[1]); }

Datum append(const Call& call) {
  auto items = call.items(0);
  items.insert(items.end(), call.arguments.begin() + 1, call.arguments.end());
  return Datum(std::move(items));
}

Datum concatenate(const Call& call) {
  DatumList all;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const auto items = call.items(i);
    all.insert(all.end(), items.begin(), items.end());
  }
  return Datum(std::move(all));
}

Datum sublist(const Call& call) {
  auto items = call.items(0);
  const auto first = place_of(call.whole(1), items.size());
  if (!first) return no_such_position(call);
  auto length = static_cast<std::ptrdiff_t>(items.size()) - *first;
  if (call.arguments.size() == 3 && !call[2].is_null()) {
    const auto wanted = call.whole(2);
    if (!wanted || *wanted < 0 || *wanted > length) {
      return call.null_because(WarningKind::out_of_range, "the list has not so many items.");
    }
    length = static_cast<std::ptrdiff_t>(*wanted);
  }
  return Datum(DatumList(items.begin() + *first, items.begin() + *first + length));
}

Datum insert_before(const Call& call) {
  auto items = call.items(0);
  const auto place = place_of(call.whole(1), items.size());
  if (!place) return no_such_position(call);
  items.insert(items.begin() + *place, call[2]);
  return Datum(std::move(items));
}

Datum remove(const Call& call) {
  auto items = call.items(0);
  const auto place = place_of(call.whole(1), items.size());
  if (!place) return no_such_position(call);
  items.erase(items.begin() + *place);
  return Datum(std::move(items));
}

/// Replaces every item that the function matches.
Datum replace_matching(const Call& call, const Callable& match) {
  auto items = call.items(0);
  for (auto& item : items) {
    const std::array arguments = {item, call[2]};
    const auto is_match = invoke(call.work, match, arguments, call.offset);
    if (!is_match.boolean()) {
      return call.null_because(WarningKind::type_mismatch,
                               "the function must say true or false for each item.");
    }
    if (is_match.is_true()) item = call[2];
  }
  return Datum(std::move(items));
}

Datum list_replace(const Call& call) {
  if (const auto match = call[1].function()) return replace_matching(call, *match);
  if (!call[1].number()) return call.wrong_type(1, "a position or a function");
  auto items = call.items(0);
  const auto place = place_of(call.whole(1), items.size());
  if (!place) return no_such_position(call);
  items[static_cast<std::size_t>(*place)] = call[2];
  return Datum(std::move(items));
}

Datum reverse(const Call& call) {
  auto items = call.items(0);
  std::ranges::reverse(items);
  return Datum(std::move(items));
}

Datum index_of(const Call& call) {
  const auto items = call.items(0);
  DatumList positions;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (are_same(call, items[i], call[1])) {
      positions.emplace_back(Decimal(static_cast<std::int64_t>(i + 1)));
    }
  }
  return Datum(std::move(positions));
}

DatumList distinct(const Call& call, const DatumList& items) {
  DatumList kept;
  for (const auto& item : items) {
    if (!contains(call, kept, item)) kept.push_back(item);
    if (call.work.failed()) break;
  }
  return kept;
}

Datum union_of(const Call& call) {
  const auto all = concatenate(call);
  return Datum(
      distinct(call, Call{call.work, std::span(&all, 1), call.offset, call.name}.items(0)));
}

Datum distinct_values(const Call& call) { return Datum(distinct(call, call.items(0))); }

Datum duplicate_values(const Call& call) {
  const auto items = call.items(0);
  DatumList kept;
  for (std::size_t i = 0; i < items.size() && !call.work.failed(); ++i) {
    const auto before = std::span(items).first(i);
    const bool is_repeated = std::ranges::any_of(
        before, [&](const Datum& item) { return are_same(call, item, items[i]); });
    if (is_repeated && !contains(call, kept, items[i])) kept.push_back(items[i]);
  }
  return Datum(std::move(kept));
}

void flatten_into(const Call& call, const Datum& list, DatumList& out) {
  for (std::size_t i = 0; i < list.size() && call.spend(1); ++i) {
    const auto item = list.item(i);
    if (!item.is_list()) {
      out.push_back(item);
    } else {
      if (call.work.enter(call.offset)) flatten_into(call, item, out);
      call.work.leave();
    }
  }
}

Datum flatten(const Call& call) {
  DatumList items;
  flatten_into(call, call[0], items);
  return Datum(std::move(items));
}

/// Lists of `size` items each, the last one shorter.
Datum partition(const Call& call) {
  const auto size = call.whole(1);
  if (!size || *size < 1) return call.invalid("the size must be at least 1.");
  DatumList parts;
  DatumList part;
  for (auto& item : call.items(0)) {
    part.push_back(std::move(item));
    if (static_cast<std::int64_t>(part.size()) < *size) continue;
    parts.emplace_back(std::exchange(part, {}));
  }
  if (!part.empty()) parts.emplace_back(std::move(part));
  return Datum(std::move(parts));
}

/// Whether `left` must stand before `right`; nullopt when nobody can tell.
std::optional<bool> precedes(const Call& call, const Datum& left, const Datum& right) {
  if (const auto function = call.arguments.size() == 2 ? call[1].function() : nullptr) {
    const std::array arguments = {left, right};
    return invoke(call.work, *function, arguments, call.offset).boolean();
  }
  return operate(call.work, call.offset, Operation::less, left, right).boolean();
}

/// Merges two sorted runs, keeping the order of equal items.
std::optional<DatumList> merged(const Call& call, std::span<Datum> left, std::span<Datum> right) {
  DatumList all;
  while (!left.empty() && !right.empty()) {
    const auto right_first = precedes(call, right.front(), left.front());
    if (!right_first || call.work.failed()) return std::nullopt;
    auto& run = *right_first ? right : left;
    all.push_back(std::move(run.front()));
    run = run.subspan(1);
  }
  for (auto& run : {left, right})
    all.insert(all.end(), run.begin(), run.end());
  return all;
}

/// A merge sort: a function that contradicts itself does no harm.
Datum sort(const Call& call) {
  auto items = call.items(0);
  for (std::size_t width = 1; width < items.size(); width *= 2) {
    for (std::size_t begin = 0; begin + width < items.size(); begin += 2 * width) {
      const auto size = std::min(2 * width, items.size() - begin);
      const auto run = std::span(items).subspan(begin, size);
      auto sorted = merged(call, run.first(width), run.subspan(width));
      if (!sorted) return call.invalid("the items have no order.");
      std::ranges::move(*sorted, run.begin());
    }
  }
  return Datum(std::move(items));
}

/// Of a list, a context or a text.
Datum is_empty(const Call& call) {
  const auto& argument = call[0];
  if (argument.text()) return argument.text()->empty();
  if (argument.is_list() || argument.is_context()) return argument.size() == 0;
  return call.wrong_type(0, "a list");
}

constexpr Formal kList = {"list", list};
constexpr Formal kPosition = {"position", number};

constexpr std::array kFunctions = std::to_array<Function>({
    {"append", {{kList, {"item"}}}, 2, append, true},
    {"concatenate", {{kList}}, 1, concatenate, true},
    {"distinct values", {{kList}}, 1, distinct_values},
    {"duplicate values", {{kList}}, 1, duplicate_values},
    {"flatten", {{kList}}, 1, flatten},
    {"index of", {{kList, {"match"}}}, 2, index_of},
    {"insert before", {{kList, kPosition, {"newItem"}}}, 3, insert_before},
    {"is empty", {{{"list"}}}, 1, is_empty},
    {"list contains", {{kList, {"element"}}}, 2, list_contains},
    {"list replace", {{kList, {"position"}, {"newItem"}}}, 3, list_replace},
    {"list replace", {{kList, {"match", function}, {"newItem"}}}, 3, list_replace},
    {"partition", {{kList, {"size", number}}}, 2, partition},
    {"remove", {{kList, kPosition}}, 2, remove},
    {"reverse", {{kList}}, 1, reverse},
    {"sort", {{kList, {"precedes", function}}}, 1, sort},
    {"sublist", {{kList, {"start position", number}, {"length", number}}}, 2, sublist},
    {"union", {{kList}}, 1, union_of, true},
});

} // namespace

std::span<const Function> list_functions() { return kFunctions; }

} // namespace perdure::expr
