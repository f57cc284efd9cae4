// Built-in functions on texts.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "base/utf8.h"
#include "expr/functions.h"
#include "expr/letters.h"
#include "expr/lexer.h"
#include "expr/regex.h"

namespace perdure::expr {

namespace {

using Text = std::string_view;
using enum Accepts;

/// Linear time, whatever the texts are.
std::size_t find(Text text, Text part) {
  const auto* found = memmem(text.data(), text.size(), part.data(), part.size());
  if (!found) return Text::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

bool pay(const Call& call) {
  std::size_t bytes = 0;
  for (const auto& argument : call.arguments)
    bytes += argument.text().value_or(Text()).size();
  return call.spend_bytes(bytes);
}

Datum string_length(const Call& call) {
  if (!pay(call)) return nullptr;
  return Decimal(static_cast<std::int64_t>(utf8::length(call.text(0))));
}

Datum contains(const Call& call) {
  return pay(call) && find(call.text(0), call.text(1)) != Text::npos;
}

Datum starts_with(const Call& call) { return pay(call) && call.text(0).starts_with(call.text(1)); }

Datum ends_with(const Call& call) { return pay(call) && call.text(0).ends_with(call.text(1)); }

Datum substring_before(const Call& call) {
  if (!pay(call)) return nullptr;
  const auto position = find(call.text(0), call.text(1));
  return Datum(std::string(call.text(0).substr(0, position == Text::npos ? 0 : position)));
}

Datum substring_after(const Call& call) {
  if (!pay(call)) return nullptr;
  const auto [text, part] = std::pair(call.text(0), call.text(1));
  const auto position = find(text, part);
  return Datum(std::string(position == Text::npos ? Text() : text.substr(position + part.size())));
}

/// Characters from `start` on: 1 is the first, -1 the last.
Datum substring(const Call& call) {
  if (!pay(call)) return nullptr;
  const auto text = call.text(0);
  const auto start = call.whole(1);
  if (!start || *start == 0) return call.invalid("the first character is 1, the last -1.");
  const auto size = static_cast<std::int64_t>(utf8::length(text));
  if (*start > size || *start < -size) return Datum(std::string());
  const auto first = *start > 0 ? *start - 1 : size + *start;
  auto length = size - first;
  if (call.arguments.size() == 3 && !call[2].is_null()) {
    const auto wanted = call.whole(2).value_or(length);
    if (wanted < 1) return call.invalid("the length must be above 0.");
    length = std::min(length, wanted);
  }
  const auto from = text.substr(utf8::offset_of(text, static_cast<std::size_t>(first)));
  return Datum(
      std::string(from.substr(0, utf8::offset_of(from, static_cast<std::size_t>(length)))));
}

Datum upper_case(const Call& call) {
  if (!call.spend_bytes(call.text(0).size() * 4)) return nullptr;
  return Datum(in_upper_case(call.text(0)));
}

Datum lower_case(const Call& call) {
  if (!call.spend_bytes(call.text(0).size() * 4)) return nullptr;
  return Datum(in_lower_case(call.text(0)));
}

Datum trim(const Call& call) {
  if (!pay(call)) return nullptr;
  auto text = call.text(0);
  std::size_t begin = text.size();
  std::size_t end = 0;
  for (auto rest = text; !rest.empty();) {
    const auto at = text.size() - rest.size();
    if (is_blank(utf8::take(rest))) continue;
    begin = std::min(begin, at);
    end = text.size() - rest.size();
  }
  return Datum(std::string(begin < end ? text.substr(begin, end - begin) : Text()));
}

Datum is_blank_text(const Call& call) {
  if (!pay(call)) return nullptr;
  for (auto rest = call.text(0); !rest.empty();) {
    if (!is_blank(utf8::take(rest))) return false;
  }
  return true;
}

Datum string_join(const Call& call) {
  const bool has_delimiter = call.arguments.size() == 2 && !call[1].is_null();
  const auto delimiter = has_delimiter ? call.text(1) : Text();
  std::string out;
  bool first = true;
  for (const auto& item : call.items(0)) {
    if (item.is_null()) continue;
    const auto text = item.text();
    if (!text) return call.null_because(WarningKind::type_mismatch, "the list must be of texts.");
    if (!call.spend_bytes(text->size() + delimiter.size())) return nullptr;
    if (!first) out += delimiter;
    out += *text;
    first = false;
  }
  return Datum(std::move(out));
}

// --- regular expressions

Text flags_of(const Call& call, std::size_t index) {
  const bool given = call.arguments.size() > index && call[index].text();
  return given ? call.text(index) : Text();
}

Regex::Spend payer(const Call& call) {
  return [&call](std::size_t steps) { return call.spend(steps); };
}

Datum matches(const Call& call) {
  if (!pay(call)) return nullptr;
  auto regex = Regex::compile(call.text(1), flags_of(call, 2), payer(call));
  if (!regex) return call.invalid(regex.error());
  const auto found = regex->is_found_in(call.text(0), payer(call));
  return found ? Datum(*found) : call.invalid(found.error());
}

Datum replace(const Call& call) {
  if (!pay(call)) return nullptr;
  auto regex = Regex::compile(call.text(1), flags_of(call, 3), payer(call));
  if (!regex) return call.invalid(regex.error());
  auto replaced = regex->replace(call.text(0), call.text(2), payer(call));
  if (!replaced) return call.invalid(replaced.error());
  if (!call.spend_bytes(replaced->size())) return nullptr;
  return Datum(*std::move(replaced));
}

DatumList texts(const std::vector<Text>& parts) {
  DatumList list;
  for (const auto part : parts)
    list.emplace_back(std::string(part));
  return list;
}

Datum split(const Call& call) {
  if (!pay(call)) return nullptr;
  auto regex = Regex::compile(call.text(1), {}, payer(call));
  if (!regex) return call.invalid(regex.error());
  const auto parts = regex->split(call.text(0), payer(call));
  if (!parts) return call.invalid(parts.error());
  if (!call.spend(parts->size())) return nullptr;
  return Datum(texts(*parts));
}

Datum extract(const Call& call) {
  if (!pay(call)) return nullptr;
  auto regex = Regex::compile(call.text(1), flags_of(call, 2), payer(call));
  if (!regex) return call.invalid(regex.error());
  const auto parts = regex->all_in(call.text(0), payer(call));
  if (!parts) return call.invalid(parts.error());
  if (!call.spend(parts->size())) return nullptr;
  return Datum(texts(*parts));
}

constexpr Formal kText = {"string", text};
constexpr Formal kMatch = {"match", text};

constexpr std::array kFunctions = std::to_array<Function>({
    {"contains", {{kText, kMatch}}, 2, contains},
    {"ends with", {{kText, kMatch}}, 2, ends_with},
    {"extract", {{kText, {"pattern", text}, {"flags", text}}}, 2, extract},
    {"is blank", {{kText}}, 1, is_blank_text},
    {"lower case", {{kText}}, 1, lower_case},
    {"matches", {{{"input", text}, {"pattern", text}, {"flags", text}}}, 2, matches},
    {"replace",
     {{{"input", text}, {"pattern", text}, {"replacement", text}, {"flags", text}}},
     3,
     replace},
    {"split", {{kText, {"delimiter", text}}}, 2, split},
    {"starts with", {{kText, kMatch}}, 2, starts_with},
    {"string join", {{{"list", list}, {"delimiter", text}}}, 1, string_join},
    {"string length", {{kText}}, 1, string_length},
    {"substring", {{kText, {"start position", number}, {"length", number}}}, 2, substring},
    {"substring after", {{kText, kMatch}}, 2, substring_after},
    {"substring before", {{kText, kMatch}}, 2, substring_before},
    {"trim", {{kText}}, 1, trim},
    {"upper case", {{kText}}, 1, upper_case},
});

} // namespace

std::span<const Function> text_functions() { return kFunctions; }

} // namespace perdure::expr
