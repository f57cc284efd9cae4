// Names, calls, functions and types: everything that depends on what is known where it stands.
#include <algorithm>
#include <array>
#include <utility>

#include "expr/functions.h"
#include "expr/parser.h"

namespace perdure::expr {

namespace {

/// What may stand after a point without being anyone's entry.
constexpr std::array<std::string_view, 3> kProperties = {"end included", "start included",
                                                         "time offset"};

bool is_word(TokenKind kind) { return kind >= TokenKind::name && kind <= TokenKind::kw_null; }

template <class Map>
bool has_prefix(const Map& map, const std::string& prefix) {
  const auto found = map.lower_bound(prefix);
  if (found == map.end()) return false;
  if constexpr (requires { found->first; }) {
    return found->first.starts_with(prefix);
  } else {
    return found->starts_with(prefix);
  }
}

} // namespace

// --- matching

bool Parser::is_in_filter() const { return std::ranges::any_of(locals_, &Local::is_item); }

void Parser::match_key(const std::string& key, std::size_t end, bool members, Match& best) const {
  const auto found = [&](Match::Kind kind, std::string name, std::size_t local = 0) {
    best = {kind, std::move(name), end, local};
  };
  if (!members) {
    for (auto i = locals_.size(); i-- > 0;) {
      if (locals_[i].key == key) return found(Match::Kind::local, key, i);
    }
    const auto variable = names_.variables().find(key);
    if (variable != names_.variables().end()) {
      return found(Match::Kind::variable, variable->second);
    }
  }
  if (members || is_in_filter()) {
    const auto member = names_.members().find(key);
    if (member != names_.members().end()) return found(Match::Kind::member, member->second);
    const bool is_property = members && std::ranges::find(kProperties, key) != kProperties.end();
    if (is_property || members_.contains(key)) return found(Match::Kind::member, key);
  }
  if (!members && find_function(key)) return found(Match::Kind::function, key);
  if (!members && names_.members_are_open()) {
    const auto member = names_.members().find(key);
    if (member != names_.members().end()) found(Match::Kind::variable, member->second);
  }
}

bool Parser::may_go_on(const std::string& prefix, bool members) const {
  const auto begins = [&](std::string_view name) { return name.starts_with(prefix); };
  if (!members) {
    if (std::ranges::any_of(locals_, begins, &Local::key)) return true;
    if (has_prefix(names_.variables(), prefix) || begins_function_name(prefix)) return true;
    if (names_.members_are_open() && has_prefix(names_.members(), prefix)) return true;
  }
  return (members && std::ranges::any_of(kProperties, begins)) ||
         ((members || is_in_filter()) &&
          (has_prefix(names_.members(), prefix) || has_prefix(members_, prefix)));
}

/// The longest known name that stands there; after a point (`members`) or anywhere else.
Parser::Match Parser::match(std::size_t offset, bool members) const {
  Match best;
  NameWalk walk(tree_.text, offset);
  while (walk.next()) {
    match_key(walk.name(), walk.end(), members, best);
    if (!may_go_on(walk.name(), members)) break;
  }
  return best;
}

// --- names

NodeId Parser::name() {
  const auto token = now_;
  const auto spelling = std::string(spelled(token));
  if (is_juel()) {
    take();
    return variable(spelling, token.begin);
  }
  if (tree_.text[token.begin] == '`') {
    Match exact{Match::Kind::variable, spelling, token.end, 0};
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      if (locals_[i].key == normalised(spelling)) {
        exact = {Match::Kind::local, spelling, token.end, i};
      }
    }
    return resolved(exact, token.begin);
  }
  const auto known = match(token.begin, false);
  if (known.kind != Match::Kind::none && known.kind != Match::Kind::function) {
    return resolved(known, token.begin);
  }
  if (peek().kind == TokenKind::left_paren) {
    if (spelling == "function") return lambda();
    if (spelling == "not") return special_call(token.begin, spelling);
  }
  if (spelling == "is") {
    NameWalk walk(tree_.text, token.begin);
    if (walk.next() && walk.next() && walk.name() == "is defined" &&
        lexer_.at(walk.end()).kind == TokenKind::left_paren) {
      move_to(walk.end());
      return special_call(token.begin, "is defined");
    }
  }
  if (known.kind == Match::Kind::function) {
    const bool is_call = lexer_.at(known.end).kind == TokenKind::left_paren;
    const bool is_value = known.name.contains(' ') && !known.name.contains(" and ");
    if (is_call || is_value) return resolved(known, token.begin);
  }
  return unknown_name();
}

/// A single word is a variable. Several words before a parenthesis were meant as a function.
NodeId Parser::unknown_name() {
  const auto token = now_;
  std::string function;
  auto end = token;
  while (end.kind == TokenKind::name) {
    if (!function.empty()) function += ' ';
    function += spelled(end);
    end = lexer_.at(end.end);
  }
  if (end.kind == TokenKind::left_paren) {
    return fail(token.begin, "There is no function \"" + function + "\"; check its spelling.");
  }
  return resolved({Match::Kind::variable, std::string(spelled(token)), token.end, 0}, token.begin);
}

NodeId Parser::resolved(const Match& match, std::size_t offset) {
  move_to(match.end);
  before_ = {TokenKind::name, static_cast<std::uint32_t>(offset),
             static_cast<std::uint32_t>(match.end)};
  const auto* function = find_function(match.name);
  if (match.kind == Match::Kind::function && at(TokenKind::left_paren)) {
    return built_in_call(offset, match.name);
  }
  NodeId node = 0;
  std::size_t first_item = 0;
  if (match.kind == Match::Kind::local) {
    node = add(NodeKind::local, offset, {}, match.local);
    locals_[match.local].is_used = true;
    first_item = match.local;
  } else if (match.kind == Match::Kind::function) {
    tree_.functions.push_back(function);
    node = add(NodeKind::built_in, offset, {}, tree_.functions.size() - 1);
  } else {
    node = variable(match.name, offset);
  }
  node = with_items(match.name, offset, node, first_item);
  return at(TokenKind::left_paren) ? invocation(node, offset, function) : node;
}

/// Inside filters a name may be an entry of an item, the innermost first.
NodeId Parser::with_items(const std::string& name, std::size_t offset, NodeId otherwise,
                          std::size_t first) {
  for (auto i = first; i < locals_.size() && !problem_; ++i) {
    if (!locals_[i].is_item) continue;
    const auto item = add(NodeKind::local, offset, {}, i);
    otherwise =
        add(NodeKind::implicit, offset, std::array{Edge{item}, Edge{otherwise}}, add_name(name));
  }
  return otherwise;
}

NodeId Parser::variable(const std::string& name, std::size_t offset) {
  auto& variables = tree_.variables;
  const auto found = std::ranges::find(variables, name);
  const auto index = found - variables.begin();
  if (found == variables.end()) variables.push_back(name);
  return add(NodeKind::variable, offset, {}, static_cast<std::size_t>(index));
}

// --- calls

std::string Parser::argument_name() {
  if (!is_word(now_.kind)) return {};
  if (tree_.text[now_.begin] == '`') {
    return peek().kind == TokenKind::colon ? std::string(spelled(take())) : std::string();
  }
  NameWalk walk(tree_.text, now_.begin);
  while (walk.next()) {
  }
  if (lexer_.at(walk.end()).kind != TokenKind::colon) return {};
  move_to(walk.end());
  return walk.name();
}

/// From the parenthesis on. All arguments have names, or none.
std::vector<Edge> Parser::arguments(std::vector<std::string>& names) {
  take();
  std::vector<Edge> values;
  if (take_if(TokenKind::right_paren)) return values;
  do {
    const auto offset = now_.begin;
    auto name = argument_name();
    if (!name.empty()) take();
    if ((values.empty() || !names.empty()) != !name.empty() && !values.empty()) {
      fail(offset, "Give names to all arguments or to none.");
    }
    if (std::ranges::find(names, name) != names.end()) {
      fail(offset, "The argument \"" + name + "\" is given twice.");
    }
    if (!name.empty()) names.push_back(std::move(name));
    values.push_back({expression()});
  } while (take_if(TokenKind::comma));
  expect(TokenKind::right_paren, "\",\" or \")\"");
  return values;
}

/// not(...) and is defined(...), which are no functions: one is three-valued logic, the other looks
/// at the name and not at its value.
NodeId Parser::special_call(std::size_t offset, std::string_view function) {
  if (!at(TokenKind::left_paren)) take();
  std::vector<std::string> names;
  const auto values = arguments(names);
  const std::string_view parameter = function == "not" ? "negand" : "value";
  if (values.size() != 1) {
    return fail(offset, "\"" + std::string(function) + "\" takes 1 argument, not " +
                            std::to_string(values.size()) + ".");
  }
  if (!names.empty() && names[0] != parameter) {
    return fail(offset, "\"" + std::string(function) + "\" has no parameter \"" + names[0] + "\".");
  }
  return add(function == "not" ? NodeKind::logical_not : NodeKind::is_defined, offset, values);
}

NodeId Parser::built_in_call(std::size_t offset, std::string_view name) {
  const auto function = std::string(name);
  std::vector<std::string> names;
  auto values = arguments(names);
  if (problem_) return 0;
  const auto* chosen =
      names.empty() ? find_function(name, values.size()) : find_function(name, names);
  if (!chosen && names.empty()) {
    return fail(offset, "\"" + function + "\" " + arity_of(name) + ", not " +
                            std::to_string(values.size()) + ".");
  }
  if (!chosen) {
    return fail(offset, "\"" + function +
                            "\" has no parameters of these names; check them or give "
                            "the arguments in order.");
  }
  if (!names.empty()) {
    std::vector<std::optional<Edge>> ordered;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto position = *position_of(*chosen, names[i]);
      ordered.resize(std::max(ordered.size(), position + 1));
      ordered[position] = values[i];
    }
    values.clear();
    ordered.resize(std::max<std::size_t>(ordered.size(), chosen->required));
    for (std::size_t i = 0; i < ordered.size(); ++i) {
      if (!ordered[i] && i < chosen->required) {
        return fail(offset, "\"" + function + "\" needs the argument \"" +
                                std::string(chosen->formals[i].name) + "\".");
      }
      values.push_back(ordered[i] ? *ordered[i] : Edge{literal(offset, nullptr)});
    }
  }
  tree_.functions.push_back(chosen);
  return add(NodeKind::call, offset, values, tree_.functions.size() - 1);
}

/// Calls the value of `callee`. `fallback` is what its name means when that is no function.
NodeId Parser::invocation(NodeId callee, std::size_t offset, const Function* fallback) {
  Invocation call{.fallback = fallback};
  std::vector<Edge> edges = {{callee}};
  const auto values = arguments(call.names);
  edges.insert(edges.end(), values.begin(), values.end());
  tree_.invocations.push_back(std::move(call));
  return add(NodeKind::invocation, offset, edges, tree_.invocations.size() - 1);
}

// --- names that are declared

std::string Parser::key(const std::vector<std::string>& before) {
  const auto token = now_;
  std::string name;
  if (token.kind == TokenKind::string) {
    name = string_value(tree_.text, take(), dialect_).value_or("");
  } else if (is_word(token.kind)) {
    name = declared_name(TokenKind::end);
  } else {
    fail(token.begin, "Expected a key: a name or a text in quotes.");
  }
  if (!problem_ && std::ranges::find(before, name) != before.end()) {
    fail(token.begin, "The key \"" + name + "\" appears twice.");
  }
  return name;
}

/// A new name; it ends before the word `end_word` and before every mark that no name contains.
std::string Parser::declared_name(TokenKind end_word) {
  if (tree_.text[now_.begin] == '`') return std::string(spelled(take()));
  NameWalk walk(tree_.text, now_.begin);
  auto taken = walk;
  while (walk.next()) {
    if (end_word == TokenKind::kw_in && !taken.name().empty() && walk.piece() == "in") break;
    taken = walk;
  }
  move_to(taken.end());
  return taken.name();
}

Parameter Parser::parameter() {
  Parameter parameter;
  if (!is_word(now_.kind)) {
    fail(now_.begin, "Expected the name of a parameter.");
    return parameter;
  }
  parameter.name = declared_name(TokenKind::end);
  if (take_if(TokenKind::colon)) parameter.type = type();
  return parameter;
}

NodeId Parser::lambda() {
  const auto offset = take().begin;
  take();
  Lambda lambda{.locals = static_cast<std::uint32_t>(locals_.size())};
  if (std::exchange(names_function_, false)) lambda.self = lambda.locals - 1;
  const auto locals = locals_.size();
  if (!at(TokenKind::right_paren)) {
    do {
      lambda.parameters.push_back(parameter());
      locals_.push_back({normalised(lambda.parameters.back().name)});
    } while (take_if(TokenKind::comma));
  }
  expect(TokenKind::right_paren, "\",\" or \")\"");
  if (at_name("external")) {
    return fail(now_.begin, "External functions (Java, PMML) cannot be called; write it in FEEL.");
  }
  const auto inputs = std::exchange(has_input_, false);
  lambda.body = expression();
  has_input_ = inputs;
  locals_.resize(locals);
  const std::array body = {Edge{lambda.body}};
  tree_.lambdas.push_back(std::move(lambda));
  return add(NodeKind::lambda, offset, body, tree_.lambdas.size() - 1);
}

// --- types

NodeId Parser::instance_of(NodeId value) {
  const auto offset = take().begin;
  if (!at_name("of")) return fail(now_.begin, "Expected \"of\" after \"instance\".");
  take();
  tree_.types.push_back(type());
  return add(NodeKind::instance_of, offset, std::array{Edge{value}}, tree_.types.size() - 1);
}

TypeRef Parser::type() {
  const Descent descent(*this);
  if (!is_word(now_.kind)) {
    fail(now_.begin, "Expected the name of a type.");
    return nullptr;
  }
  constexpr int kMaxPieces = 40;
  NameWalk walk(tree_.text, now_.begin);
  TypeRef found;
  std::size_t end = 0;
  for (int i = 0; i < kMaxPieces && walk.next(); ++i) {
    const auto own = names_.types().find(walk.name());
    auto type = own != names_.types().end() ? own->second : built_in_type(walk.name());
    if (!type) continue;
    found = std::move(type);
    end = walk.end();
  }
  if (!found) {
    fail(now_.begin, "There is no type \"" + std::string(spelled(now_)) + "\".");
    return nullptr;
  }
  move_to(end);
  return at(TokenKind::less) ? generic_type(found->kind) : found;
}

/// From the angle bracket on.
TypeRef Parser::generic_type(TypeKind kind) {
  if (kind == TypeKind::context) return context_type();
  if (kind == TypeKind::function) return function_type();
  if (kind != TypeKind::list && kind != TypeKind::range) {
    fail(now_.begin, "This type takes no other type in angle brackets.");
    return nullptr;
  }
  take();
  auto element = type();
  expect(TokenKind::greater, "\">\"");
  return std::make_shared<const Type>(Type{.kind = kind, .element = std::move(element)});
}

TypeRef Parser::context_type() {
  take();
  Type result{.kind = TypeKind::context};
  if (!at(TokenKind::greater)) {
    do {
      auto member = parameter();
      result.members.emplace_back(std::move(member.name), std::move(member.type));
    } while (take_if(TokenKind::comma));
  }
  expect(TokenKind::greater, "\",\" or \">\"");
  return std::make_shared<const Type>(std::move(result));
}

TypeRef Parser::function_type() {
  take();
  Type result{.kind = TypeKind::function};
  if (!at(TokenKind::greater)) {
    do {
      result.parameters.push_back(type());
    } while (take_if(TokenKind::comma));
  }
  expect(TokenKind::greater, "\",\" or \">\"");
  expect(TokenKind::arrow, "\"->\"");
  result.element = type();
  return std::make_shared<const Type>(std::move(result));
}

} // namespace perdure::expr
