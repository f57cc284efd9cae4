// The table of built-in functions stands at the end; each function above it is one row.
#include "expr/functions.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "base/utf8.h"
#include "expr/operators.h"

namespace perdure::expr {

Datum Call::null_because(std::string_view reason) const {
  work.warn(WarningKind::type_mismatch, std::string(name) + ": " + std::string(reason), offset);
  return nullptr;
}

namespace {

// --- arguments
// --------------------------------------------------------------------------------------

Datum wrong_type(const Call& call, std::size_t index, std::string_view wanted) {
  return call.null_because("argument " + std::to_string(index + 1) + " must be " +
                           std::string(wanted) + ", not " + call.arguments[index].described() +
                           ".");
}

/// The items of a list argument; a single value counts as a list of it. Pays for the copy.
DatumList list_argument(const Call& call, std::size_t index) {
  const auto& argument = call.arguments[index];
  if (!argument.is_list()) return DatumList{argument};
  DatumList items;
  if (!call.work.spend(argument.size(), call.offset)) return items;
  items.reserve(argument.size());
  for (std::size_t i = 0; i < argument.size(); ++i)
    items.push_back(argument.item(i));
  return items;
}

/// `f([a, b])` and `f(a, b)` are the same for sum, min and max.
DatumList spread_arguments(const Call& call) {
  if (call.arguments.size() == 1) return list_argument(call, 0);
  return DatumList(call.arguments.begin(), call.arguments.end());
}

/// A number without its fraction; nullopt when it is none or too large.
std::optional<std::int64_t> whole_argument(const Call& call, std::size_t index) {
  const auto* number = call.arguments[index].number();
  return number ? number->rounded(Rounding::down).as_int64() : std::nullopt;
}

using Text = std::string_view;

/// Runs `body` on two text arguments.
template <class Body>
Datum with_texts(const Call& call, Body body) {
  for (std::size_t i = 0; i < 2; ++i) {
    if (!call.arguments[i].text()) return wrong_type(call, i, "a text");
    if (!call.work.spend_bytes(call.arguments[i].text()->size(), call.offset)) return nullptr;
  }
  return body(*call.arguments[0].text(), *call.arguments[1].text());
}

/// Linear time, whatever the texts are.
std::size_t position_of(Text text, Text part) {
  const auto* found = memmem(text.data(), text.size(), part.data(), part.size());
  if (!found) return Text::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

// --- texts
// ------------------------------------------------------------------------------------------

Datum string_length(const Call& call) {
  const auto text = call.arguments[0].text();
  if (!text) return wrong_type(call, 0, "a text");
  call.work.spend_bytes(text->size(), call.offset);
  return Decimal(static_cast<std::int64_t>(utf8::length(*text)));
}

Datum contains(const Call& call) {
  return with_texts(
      call, [](Text text, Text part) -> Datum { return position_of(text, part) != Text::npos; });
}

Datum starts_with(const Call& call) {
  return with_texts(call, [](Text text, Text part) -> Datum { return text.starts_with(part); });
}

Datum ends_with(const Call& call) {
  return with_texts(call, [](Text text, Text part) -> Datum { return text.ends_with(part); });
}

Datum substring_before(const Call& call) {
  return with_texts(call, [](Text text, Text part) {
    const auto position = position_of(text, part);
    return Datum(std::string(position == Text::npos ? Text() : text.substr(0, position)));
  });
}

Datum substring_after(const Call& call) {
  return with_texts(call, [](Text text, Text part) {
    const auto position = position_of(text, part);
    return Datum(
        std::string(position == Text::npos ? Text() : text.substr(position + part.size())));
  });
}

/// Characters from `start` on: 1 is the first, -1 the last.
Datum substring(const Call& call) {
  const auto text = call.arguments[0].text();
  if (!text) return wrong_type(call, 0, "a text");
  if (!call.work.spend_bytes(text->size(), call.offset)) return nullptr;
  const auto start = whole_argument(call, 1);
  if (!start) return wrong_type(call, 1, "a number");
  if (*start == 0) return call.null_because("the first character is 1, not 0.");
  const auto size = static_cast<std::int64_t>(utf8::length(*text));
  if (*start > size || *start < -size) return Datum(std::string());
  const auto first = *start > 0 ? *start - 1 : size + *start;
  auto length = size - first;
  if (call.arguments.size() == 3) {
    const auto wanted = whole_argument(call, 2);
    if (!wanted) return wrong_type(call, 2, "a number");
    if (*wanted < 1) return call.null_because("the length must be above 0.");
    length = std::min(length, *wanted);
  }
  const auto from = text->substr(utf8::offset_of(*text, static_cast<std::size_t>(first)));
  return Datum(
      std::string(from.substr(0, utf8::offset_of(from, static_cast<std::size_t>(length)))));
}

/// Letters whose other case is a fixed step away; pairs stand even/odd or odd/even.
struct CaseRange {
  std::uint32_t first_upper, last_upper;
  std::uint32_t step; ///< 1: upper and lower alternate, beginning with an upper one
};

constexpr std::array kCases = std::to_array<CaseRange>({
    {'A', 'Z', 32},
    {0xC0, 0xD6, 32}, // Latin-1
    {0xD8, 0xDE, 32},
    {0x100, 0x12E, 1}, // Latin Extended-A
    {0x132, 0x136, 1},
    {0x139, 0x147, 1},
    {0x14A, 0x176, 1},
    {0x179, 0x17D, 1},
    {0x391, 0x3A1, 32}, // Greek
    {0x3A3, 0x3AB, 32},
    {0x410, 0x42F, 32}, // Cyrillic
    {0x400, 0x40F, 80},
    {0x460, 0x480, 1},
    {0x48A, 0x4BE, 1},
    {0x4D0, 0x52E, 1},
    {0x531, 0x556, 48},  // Armenian
    {0x1E00, 0x1E94, 1}, // Latin Extended Additional
    {0x1EA0, 0x1EFE, 1},
});

std::uint32_t other_case(std::uint32_t letter, bool upper) {
  for (const auto& [first, last, step] : kCases) {
    const auto as_upper = upper ? letter - step : letter;
    if (as_upper < first || as_upper > last) continue;
    if (step == 1 && (as_upper - first) % 2 != 0) continue;
    return upper ? as_upper : letter + step;
  }
  return letter;
}

Datum in_case(const Call& call, bool upper) {
  const auto text = call.arguments[0].text();
  if (!text) return wrong_type(call, 0, "a text");
  if (!call.work.spend_bytes(text->size() * 4, call.offset)) return nullptr;
  std::string out;
  out.reserve(text->size());
  for (auto rest = *text; !rest.empty();)
    utf8::append(out, other_case(utf8::take(rest), upper));
  return Datum(std::move(out));
}

Datum upper_case(const Call& call) { return in_case(call, true); }
Datum lower_case(const Call& call) { return in_case(call, false); }

Datum string_join(const Call& call) {
  if (call.arguments[0].is_null()) return wrong_type(call, 0, "a list of texts");
  const bool has_delimiter = call.arguments.size() == 2 && !call.arguments[1].is_null();
  const auto delimiter = has_delimiter ? call.arguments[1].text() : Text();
  if (!delimiter) return wrong_type(call, 1, "a text");
  std::string out;
  bool first = true;
  for (const auto& item : list_argument(call, 0)) {
    if (item.is_null()) continue;
    const auto text = item.text();
    if (!text) return wrong_type(call, 0, "a list of texts");
    if (!call.work.spend_bytes(text->size() + delimiter->size(), call.offset)) return nullptr;
    if (!first) out += *delimiter;
    out += *text;
    first = false;
  }
  return Datum(std::move(out));
}

Datum to_string(const Call& call) {
  if (call.arguments[0].is_null()) return nullptr;
  return Datum(text_of(call.work, call.offset, call.arguments[0]));
}

Datum to_number(const Call& call) {
  if (call.arguments[0].number()) return call.arguments[0];
  const auto text = call.arguments[0].text();
  if (!text) return wrong_type(call, 0, "a text");
  call.work.spend_bytes(text->size(), call.offset);
  const auto number = Decimal::parse(*text);
  if (!number) return call.null_because("the text is no number; write it as -12.5.");
  return *number;
}

// --- numbers
// ----------------------------------------------------------------------------------------

Datum absolute(const Call& call) {
  const auto* number = call.arguments[0].number();
  return number ? Datum(number->absolute()) : wrong_type(call, 0, "a number");
}

template <Rounding rounding>
Datum round_to(const Call& call) {
  const auto* number = call.arguments[0].number();
  if (!number) return wrong_type(call, 0, "a number");
  int scale = 0;
  if (call.arguments.size() == 2) {
    const auto digits = whole_argument(call, 1);
    if (!digits) return wrong_type(call, 1, "a number");
    if (*digits < -6111 || *digits > 6176) {
      return call.null_because("the scale must be from -6111 to 6176.");
    }
    scale = static_cast<int>(*digits);
  }
  return finite(call.work, call.offset, number->rounded(rounding, scale));
}

/// Has the sign of the divisor.
Datum modulo(const Call& call) {
  const auto* dividend = call.arguments[0].number();
  const auto* divisor = call.arguments[1].number();
  if (!dividend) return wrong_type(call, 0, "a number");
  if (!divisor) return wrong_type(call, 1, "a number");
  if (*divisor == Decimal(0)) return call.null_because("division by zero.");
  auto rest = dividend->remainder(*divisor);
  if (rest != Decimal(0) && rest.is_negative() != divisor->is_negative()) rest = rest + *divisor;
  return finite(call.work, call.offset, rest);
}

// --- lists
// ------------------------------------------------------------------------------------------

Datum count(const Call& call) {
  const auto& list = call.arguments[0];
  if (list.is_null()) return wrong_type(call, 0, "a list");
  return Decimal(list.is_list() ? static_cast<std::int64_t>(list.size()) : 1);
}

Datum extreme(const Call& call, Operation better) {
  const auto items = spread_arguments(call);
  if (items.empty()) return nullptr;
  Datum best = items.front();
  if (!best.number() && !best.text()) return wrong_type(call, 0, "numbers or texts");
  for (const auto& item : items) {
    const auto is_better = operate(call.work, call.offset, better, item, best);
    if (is_better.is_null()) return nullptr;
    if (is_better.is_true()) best = item;
  }
  return best;
}

Datum minimum(const Call& call) { return extreme(call, Operation::less); }
Datum maximum(const Call& call) { return extreme(call, Operation::greater); }

Datum sum(const Call& call) {
  const auto items = spread_arguments(call);
  if (items.empty()) return nullptr;
  Decimal total = 0;
  for (const auto& item : items) {
    if (!item.number()) return call.null_because("cannot add " + item.described() + ".");
    total = total + *item.number();
  }
  return finite(call.work, call.offset, total);
}

Datum list_contains(const Call& call) {
  for (const auto& item : list_argument(call, 0)) {
    if (are_equal(call.work, call.offset, item, call.arguments[1]).value_or(false)) return true;
  }
  return false;
}

Datum append(const Call& call) {
  if (call.arguments[0].is_null()) return wrong_type(call, 0, "a list");
  auto items = list_argument(call, 0);
  items.insert(items.end(), call.arguments.begin() + 1, call.arguments.end());
  return Datum(std::move(items));
}

Datum concatenate(const Call& call) {
  DatumList all;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    if (call.arguments[i].is_null()) return wrong_type(call, i, "a list");
    const auto items = list_argument(call, i);
    all.insert(all.end(), items.begin(), items.end());
  }
  return Datum(std::move(all));
}

/// Of a list, a context or a text.
Datum is_empty(const Call& call) {
  const auto& argument = call.arguments[0];
  if (argument.text()) return argument.text()->empty();
  if (argument.is_list() || argument.is_context()) return argument.size() == 0;
  return wrong_type(call, 0, "a list");
}

// --- contexts
// ---------------------------------------------------------------------------------------

Datum get_value(const Call& call) {
  const auto& context = call.arguments[0];
  const auto key = call.arguments[1].text();
  if (!context.is_context()) return wrong_type(call, 0, "a context");
  if (!key) return wrong_type(call, 1, "a text");
  call.work.spend(1 + context.size() / 16, call.offset);
  return context.entry(*key).value_or(Datum());
}

// `not` and `is defined` are no functions but nodes: one is three-valued logic, the other looks at
// the name and not at its value.
constexpr std::array kFunctions = std::to_array<Function>({
    {"abs", 1, 1, absolute},
    {"append", 2, kAnyNumber, append},
    {"ceiling", 1, 2, round_to<Rounding::ceiling>},
    {"concatenate", 1, kAnyNumber, concatenate},
    {"contains", 2, 2, contains},
    {"count", 1, 1, count},
    {"decimal", 2, 2, round_to<Rounding::half_even>},
    {"ends with", 2, 2, ends_with},
    {"floor", 1, 2, round_to<Rounding::floor>},
    {"get value", 2, 2, get_value},
    {"is empty", 1, 1, is_empty},
    {"list contains", 2, 2, list_contains},
    {"lower case", 1, 1, lower_case},
    {"max", 1, kAnyNumber, maximum},
    {"min", 1, kAnyNumber, minimum},
    {"modulo", 2, 2, modulo},
    {"number", 1, 1, to_number},
    {"round down", 2, 2, round_to<Rounding::down>},
    {"round half down", 2, 2, round_to<Rounding::half_down>},
    {"round half up", 2, 2, round_to<Rounding::half_up>},
    {"round up", 2, 2, round_to<Rounding::up>},
    {"starts with", 2, 2, starts_with},
    {"string", 1, 1, to_string},
    {"string join", 1, 2, string_join},
    {"string length", 1, 1, string_length},
    {"substring", 2, 3, substring},
    {"substring after", 2, 2, substring_after},
    {"substring before", 2, 2, substring_before},
    {"sum", 1, kAnyNumber, sum},
    {"upper case", 1, 1, upper_case},
});

static_assert(std::ranges::is_sorted(kFunctions, {}, &Function::name));

} // namespace

std::span<const Function> functions() { return kFunctions; }

std::optional<std::uint32_t> find_function(std::string_view name) {
  const auto found = std::ranges::lower_bound(kFunctions, name, {}, &Function::name);
  if (found == kFunctions.end() || found->name != name) return std::nullopt;
  return static_cast<std::uint32_t>(found - kFunctions.begin());
}

} // namespace perdure::expr
