#include "expr/names.h"

#include <algorithm>

#include "base/utf8.h"
#include "expr/expression.h"
#include "expr/lexer.h"

namespace perdure::expr {

namespace {

constexpr std::string_view kMarks = "+-*/.'";

/// The bytes of the code points that satisfy the predicate at the start of the text.
template <class Predicate>
std::size_t leading(std::string_view text, Predicate belongs) {
  auto rest = text;
  while (!rest.empty()) {
    auto after = rest;
    if (!belongs(utf8::take(after))) break;
    rest = after;
  }
  return text.size() - rest.size();
}

} // namespace

bool NameWalk::next() {
  const auto rest = text_.substr(end_);
  const auto blanks = leading(rest, is_blank);
  const auto from = rest.substr(blanks);
  const auto word = leading(from, is_name_part);
  if (word == 0 && (from.empty() || kMarks.find(from.front()) == std::string_view::npos)) {
    return false;
  }
  piece_ = from.substr(0, std::max<std::size_t>(word, 1));
  if (after_word_ && word > 0) name_ += ' ';
  name_ += piece_;
  after_word_ = word > 0;
  end_ += blanks + piece_.size();
  return true;
}

std::string normalised(std::string_view name) {
  NameWalk walk(name, 0);
  while (walk.next()) {
  }
  // What no name may contain is kept as it is: such a name is reached in backticks only.
  return walk.end() == name.size() ? walk.name() : std::string(name);
}

namespace {

/// The map to change: a copy when others share it.
template <class Map>
Map& own(std::shared_ptr<Map>& map) {
  if (map.use_count() > 1) map = std::make_shared<Map>(*map);
  return *map;
}

} // namespace

void Names::add(std::string_view name) { variables_.emplace(normalised(name), name); }

void Names::remove(std::string_view name) { variables_.erase(normalised(name)); }

void Names::add_member(std::string_view name) { own(members_).emplace(normalised(name), name); }

void Names::add_type(std::string_view name, TypeRef type) {
  own(types_).insert_or_assign(normalised(name), std::move(type));
}

} // namespace perdure::expr
