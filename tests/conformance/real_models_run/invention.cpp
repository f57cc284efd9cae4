#include "conformance/real_models_run/invention.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "conformance/corpus.h"

namespace perdure::conformance {

namespace {

struct Piece {
  enum class Kind { name, text, number, mark };
  Kind kind = Kind::mark;
  std::string text; ///< of a name: the whole path; of a text: without its quotes
};

constexpr auto kWords = std::to_array<std::string_view>(
    {"and",       "or",   "not",    "if",      "then",    "else",     "some", "every", "in",
     "satisfies", "for",  "return", "eq",      "ne",      "gt",       "lt",   "ge",    "le",
     "empty",     "null", "is",     "defined", "between", "instance", "of"});

bool is_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_';
}
bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

std::vector<Piece> pieces_of(std::string_view text) {
  std::vector<Piece> pieces;
  for (std::size_t at = 0; at < text.size();) {
    const auto take = [&](auto belongs) {
      auto end = at;
      while (end < text.size() && belongs(text[end]))
        ++end;
      auto taken = std::string(text.substr(at, end - at));
      at = end;
      return taken;
    };
    const char letter = text[at];
    if (letter == '"' || letter == '\'') {
      const auto end = std::min(text.find(letter, at + 1), text.size());
      pieces.push_back({Piece::Kind::text, std::string(text.substr(at + 1, end - at - 1))});
      at = end + 1;
    } else if (is_letter(letter)) {
      pieces.push_back({Piece::Kind::name, take([](char next) {
                          return is_letter(next) || is_digit(next) || next == '.';
                        })});
    } else if (is_digit(letter)) {
      pieces.push_back({Piece::Kind::number, take(is_digit)});
    } else if (std::string_view("<>=!&|").contains(letter)) {
      pieces.push_back({Piece::Kind::mark,
                        take([](char next) { return std::string_view("<>=!&|").contains(next); })});
    } else {
      if (letter != ' ' && letter != '\n' && letter != '\t') {
        pieces.push_back({Piece::Kind::mark, std::string(1, letter)});
      }
      ++at;
    }
  }
  return pieces;
}

bool compares(const Piece* piece) {
  constexpr auto kMarks = std::to_array<std::string_view>(
      {"=", "==", "!=", "<", ">", "<=", ">=", "eq", "ne", "gt", "lt", "ge", "le"});
  return piece && contains(kMarks, piece->text);
}

bool is_name(const Piece& piece) {
  return piece.kind == Piece::Kind::name && !contains(kWords, piece.text) && piece.text != "true" &&
         piece.text != "false";
}

/// Values that make a comparison with the piece come out one way or the other.
std::vector<Value> near(const Piece& other) {
  if (other.kind == Piece::Kind::text) return {other.text, "other"};
  if (other.kind == Piece::Kind::number) {
    std::int64_t number = 0;
    std::from_chars(other.text.data(), other.text.data() + other.text.size(), number);
    return {number - 1, number, number + 1};
  }
  if (other.text == "true" || other.text == "false") return {true, false};
  return {5, 50, 500};
}

void add_new(std::vector<Value>& values, std::vector<Value> more) {
  for (auto& value : more) {
    if (!contains(values, value)) values.push_back(std::move(value));
  }
}

/// What stands around a name says what it may be.
std::vector<Value> guesses(const std::vector<Piece>& pieces, std::size_t at, bool is_condition) {
  const auto piece_at = [&](std::size_t index) {
    return index < pieces.size() ? &pieces[index] : nullptr;
  };
  const auto* before = at > 0 ? piece_at(at - 1) : nullptr;
  const auto* before_that = at > 1 ? piece_at(at - 2) : nullptr;
  const auto* after = piece_at(at + 1);
  if (compares(after) && piece_at(at + 2)) return near(*piece_at(at + 2));
  if (compares(before) && before_that) return near(*before_that);
  const bool is_argument = before && before->text == "(" && before_that;
  if (is_argument && before_that->text == "duration") return {"PT10S"};
  if (is_argument && before_that->text == "string") return {5};
  if (is_condition) return {true, false};
  return {"text", 7};
}

} // namespace

void Invention::read(const xml::Element& root) {
  constexpr auto kConditions = std::to_array<std::string_view>(
      {"conditionExpression", "completionCondition", "condition", "activationCondition"});
  if (root.vocabulary == xml::Vocabulary::foreign) return;
  const bool is_condition = contains(kConditions, root.name);
  if (is_condition && !root.text.contains('{') && !root.text.starts_with('=')) {
    read_expression(root.text, true);
  } else {
    read_text(root.text, is_condition);
  }
  for (const auto& attribute : root.attributes)
    read_text(attribute.value, attribute.name == "completionCondition");
  if (root.name == "loopCharacteristics") {
    add_list(root.get("inputCollection"), root.get("inputElement"));
  } else if (const auto* list = root.find(xml::Vocabulary::camunda, "collection")) {
    const auto* item = root.find(xml::Vocabulary::camunda, "elementVariable");
    add_list(*list, item ? *item : "");
  }
  for (const auto& child : root.children)
    read(child);
}

void Invention::add_list(std::string_view text, std::string_view item) {
  for (const auto& piece : pieces_of(text)) {
    if (!is_name(piece)) continue;
    auto& idea = idea_of(piece.text);
    idea.is_list = true;
    idea.item = item;
  }
}

void Invention::read_text(std::string_view text, bool is_condition) {
  const auto trimmed = xml::trim(text);
  if (trimmed.starts_with('=')) return read_expression(trimmed.substr(1), is_condition);
  for (auto open = trimmed.find('{'); open != std::string_view::npos && open > 0;
       open = trimmed.find('{', open + 1)) {
    if (trimmed[open - 1] != '$' && trimmed[open - 1] != '#') continue;
    const auto close = std::min(trimmed.find('}', open), trimmed.size());
    read_expression(trimmed.substr(open + 1, close - open - 1), is_condition);
  }
}

void Invention::read_expression(std::string_view text, bool is_condition) {
  const auto pieces = pieces_of(text);
  for (std::size_t at = 0; at < pieces.size(); ++at) {
    if (!is_name(pieces[at])) continue;
    const bool is_call = at + 1 < pieces.size() && pieces[at + 1].text == "(";
    const bool is_key = at + 1 < pieces.size() && pieces[at + 1].text == ":";
    if (is_call || is_key) continue;
    auto& idea = idea_of(pieces[at].text);
    if (at > 1 && pieces[at - 1].text == "in") {
      idea.is_list = true;
      idea.item = pieces[at - 2].text;
    }
    add_new(idea.values, guesses(pieces, at, is_condition));
  }
}

Invention::Idea& Invention::idea_of(const std::string& path) {
  auto* ideas = &ideas_;
  std::size_t at = 0;
  for (auto dot = path.find('.'); dot != std::string::npos; dot = path.find('.', at)) {
    ideas = &(*ideas)[path.substr(at, dot - at)].members;
    at = dot + 1;
  }
  return (*ideas)[path.substr(at)];
}

Value Invention::draw_list(const Idea& idea, random::Chance& chance) const {
  const auto item = ideas_.find(idea.item);
  Array items;
  for (int count = 1 + chance.below(3); count > 0; --count) {
    items.push_back(item == ideas_.end() ? Value("item") : draw_value(item->second, chance));
  }
  return items;
}

Value Invention::draw_value(const Idea& idea, random::Chance& chance) const {
  if (idea.is_list) return draw_list(idea, chance);
  if (!idea.members.empty()) {
    Object object;
    for (const auto& [name, member] : idea.members)
      object.set(name, draw_value(member, chance));
    return object;
  }
  return idea.values.empty() ? Value("text") : chance.one_of(idea.values);
}

Object Invention::draw(random::Chance& chance, int percent) const {
  Object variables;
  for (const auto& [name, idea] : ideas_) {
    if (chance.hits(percent)) variables.set(name, draw_value(idea, chance));
  }
  return variables;
}

} // namespace perdure::conformance
