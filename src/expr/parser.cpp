// The grammar, but for names and what hangs on them (parser_names.cpp).
#include "expr/parser.h"

#include <algorithm>
#include <array>
#include <utility>

namespace perdure::expr {

namespace {

constexpr std::size_t kMaxIterators = 8; // each is one more level of recursion

constexpr std::size_t kMaxEntries = 2'000; // of a context: each is compared with those before

enum Level : int { kOr = 1, kAnd, kEquality, kOrder, kSum, kProduct, kPower, kTightest };

struct Infix {
  int level;
  NodeKind kind;
  Operation operation;
};

std::optional<Infix> infix_of(TokenKind token, Dialect dialect) {
  const int order = dialect == Dialect::feel ? kEquality : kOrder;
  switch (token) {
    case TokenKind::kw_or: return Infix{kOr, NodeKind::disjunction, Operation::none};
    case TokenKind::kw_and: return Infix{kAnd, NodeKind::conjunction, Operation::none};
    case TokenKind::equal: return Infix{kEquality, NodeKind::chain, Operation::equal};
    case TokenKind::not_equal: return Infix{kEquality, NodeKind::chain, Operation::not_equal};
    case TokenKind::less: return Infix{order, NodeKind::chain, Operation::less};
    case TokenKind::less_equal: return Infix{order, NodeKind::chain, Operation::less_equal};
    case TokenKind::greater: return Infix{order, NodeKind::chain, Operation::greater};
    case TokenKind::greater_equal: return Infix{order, NodeKind::chain, Operation::greater_equal};
    case TokenKind::kw_between: return Infix{order, NodeKind::between, Operation::none};
    case TokenKind::kw_in: return Infix{order, NodeKind::membership, Operation::none};
    case TokenKind::plus: return Infix{kSum, NodeKind::chain, Operation::add};
    case TokenKind::minus: return Infix{kSum, NodeKind::chain, Operation::subtract};
    case TokenKind::star: return Infix{kProduct, NodeKind::chain, Operation::multiply};
    case TokenKind::slash: return Infix{kProduct, NodeKind::chain, Operation::divide};
    case TokenKind::percent: return Infix{kProduct, NodeKind::chain, Operation::remainder};
    case TokenKind::star_star: return Infix{kPower, NodeKind::chain, Operation::power};
    default: return std::nullopt;
  }
}

bool is_word(TokenKind kind) { return kind >= TokenKind::name && kind <= TokenKind::kw_null; }

/// Tells `[1..list[2]]`, where a filter begins, from `[1..5[`, where the range ends.
bool starts_operand(TokenKind kind) {
  return (is_word(kind) && kind != TokenKind::kw_and && kind != TokenKind::kw_or &&
          kind != TokenKind::kw_then && kind != TokenKind::kw_else &&
          kind != TokenKind::kw_between && kind != TokenKind::kw_in &&
          kind != TokenKind::kw_return && kind != TokenKind::kw_satisfies) ||
         kind == TokenKind::number || kind == TokenKind::string || kind == TokenKind::at_string ||
         kind == TokenKind::minus || kind == TokenKind::left_paren ||
         kind == TokenKind::left_bracket || kind == TokenKind::left_brace;
}

bool is_order(Operation operation) {
  return operation >= Operation::equal && operation <= Operation::greater_equal;
}

/// What to write in FEEL instead of a method that JUEL users know; empty for other methods.
std::string_view feel_spelling(std::string_view method) {
  static constexpr std::pair<std::string_view, std::string_view> kSpellings[] = {
      {"size", "= count(list)"},
      {"length", "= string length(text)"},
      {"isEmpty", "= count(list) = 0"},
      {"contains", "= list contains(list, item) or = contains(text, part)"},
      {"equals", "= a = b"},
      {"startsWith", "= starts with(text, part)"},
      {"endsWith", "= ends with(text, part)"},
      {"toUpperCase", "= upper case(text)"},
      {"toLowerCase", "= lower case(text)"},
      {"substring", "= substring(text, start, length)"},
      {"get", "= list[1] or = context.name"},
      {"getVariable", "= name"},
      {"hasVariable", "= is defined(name)"},
  };
  for (const auto& [name, spelling] : kSpellings) {
    if (name == method) return spelling;
  }
  return {};
}

} // namespace

std::expected<Parsed, Diagnostic> Parser::expression_alone() {
  const auto root = expression();
  if (!at(TokenKind::end)) unexpected_token();
  if (problem_) return std::unexpected(std::move(*problem_));
  return Parsed{root, now_.begin};
}

std::expected<Parsed, Diagnostic> Parser::tests_alone() {
  const auto start = mark();
  auto root = tests(true);
  if ((problem_ || !at(TokenKind::end)) && spelled(start.now) == "not") {
    back_to(start); // not(a) may begin an expression: not(a) and b
    root = tests(false);
  }
  if (!at(TokenKind::end)) unexpected_token();
  if (problem_) return std::unexpected(std::move(*problem_));
  return Parsed{root, now_.begin};
}

NodeId Parser::expression() {
  const Descent descent(*this);
  const bool outer = std::exchange(is_range_end_, false);
  const auto node = is_juel() ? ternary() : joined(kOr);
  is_range_end_ = outer;
  return node;
}

NodeId Parser::ternary() {
  const auto condition = joined(kOr);
  if (!at(TokenKind::question)) return condition;
  const auto offset = take().begin;
  const auto yes = expression();
  expect(TokenKind::colon, "\":\" of the choice a ? b : c");
  const auto no = expression();
  return add(NodeKind::choice, offset, std::array{Edge{condition}, Edge{yes}, Edge{no}});
}

/// Operators of this level or tighter. Those of one level gather in one node, so that a long sum is
/// no deep tree.
NodeId Parser::joined(int level) {
  const Descent descent(*this);
  auto left = unary();
  while (true) {
    if (level <= kEquality && !is_juel() && at_name("instance")) {
      left = instance_of(left);
      continue;
    }
    const auto infix = infix_of(now_.kind, dialect_);
    if (!infix || infix->level < level) return left;
    if (infix->kind == NodeKind::between) {
      left = between(left);
    } else if (infix->kind == NodeKind::membership) {
      left = membership(left);
    } else {
      left = chain(left, infix->level, infix->kind);
    }
  }
}

NodeId Parser::chain(NodeId first, int level, NodeKind kind) {
  const auto offset = now_.begin;
  std::vector<Edge> edges = {{first, Operation::none}};
  for (auto next = infix_of(now_.kind, dialect_);
       next && next->level == level && next->kind == kind; next = infix_of(now_.kind, dialect_)) {
    take();
    edges.push_back({joined(level + 1), next->operation});
  }
  return add(kind, offset, edges);
}

NodeId Parser::between(NodeId value) {
  const auto offset = take().begin;
  const auto low = joined(kSum);
  expect(TokenKind::kw_and, "\"and\" of between a and b");
  const auto high = joined(kSum);
  return add(NodeKind::between, offset, std::array{Edge{value}, Edge{low}, Edge{high}});
}

// --- tests

NodeId Parser::membership(NodeId value) {
  const auto offset = take().begin;
  std::vector<Edge> edges = {{value}};
  if (at(TokenKind::left_paren)) {
    parenthesised_tests(edges);
  } else {
    edges.push_back(test(false));
  }
  return add(NodeKind::membership, offset, edges);
}

/// `(a, > b, [c..d])`, or `(a..b)`, a range without its ends.
void Parser::parenthesised_tests(std::vector<Edge>& edges) {
  const auto offset = take().begin;
  const auto first = test(true);
  if (at(TokenKind::dot_dot)) {
    edges.push_back({range(first.node, Operation::open, offset)});
    return;
  }
  edges.push_back(first);
  while (take_if(TokenKind::comma))
    edges.push_back(test(true));
  expect(TokenKind::right_paren, "\",\" or \")\"");
}

bool Parser::compares() const {
  const auto infix = infix_of(now_.kind, dialect_);
  return infix && is_order(infix->operation);
}

NodeId Parser::comparison_test() {
  const auto token = take();
  const Edge edge{joined(kSum), infix_of(token.kind, dialect_)->operation};
  return add(NodeKind::test, token.begin, std::array{edge});
}

/// `nested`: in parentheses, where a whole expression may stand.
Edge Parser::test(bool nested) {
  if (compares()) return {comparison_test()};
  const auto inputs = inputs_;
  const auto node = nested ? expression() : joined(kSum);
  return {node, inputs_ > inputs ? Operation::holds : Operation::none};
}

/// Unary tests: `-`, `not(...)` when negatable, or a list.
NodeId Parser::tests(bool negatable) {
  const auto offset = now_.begin;
  if (at(TokenKind::minus) && peek().kind == TokenKind::end) {
    take();
    return literal(offset, true);
  }
  const bool is_negation = negatable && at_name("not") && peek().kind == TokenKind::left_paren;
  if (is_negation) {
    take();
    take();
  }
  std::vector<Edge> edges = {{add(NodeKind::input, offset)}};
  do {
    edges.push_back(test(true));
  } while (take_if(TokenKind::comma));
  const auto node = add(NodeKind::membership, offset, edges);
  if (!is_negation) return node;
  expect(TokenKind::right_paren, "\",\" or \")\"");
  return add(NodeKind::logical_not, offset, std::array{Edge{node}});
}

// --- operands

NodeId Parser::unary() {
  const Descent descent(*this);
  return prefixed();
}

NodeId Parser::prefixed() {
  const auto token = now_;
  const bool negation = token.kind == TokenKind::minus;
  const bool logical = token.kind == TokenKind::kw_not;
  if (!negation && !logical && token.kind != TokenKind::kw_empty) return postfix(primary());
  take();
  const std::array operand = {Edge{unary()}};
  if (negation) return add(NodeKind::negate, token.begin, operand);
  return add(logical ? NodeKind::logical_not : NodeKind::is_empty, token.begin, operand);
}

NodeId Parser::postfix(NodeId base) {
  while (true) {
    if (at(TokenKind::dot)) {
      base = path(base);
    } else if (at(TokenKind::left_bracket) && (!is_range_end_ || starts_operand(peek().kind))) {
      base = filter(base);
    } else if (at(TokenKind::left_paren)) {
      base = is_juel() ? refuse_call() : invocation(base, now_.begin);
    } else {
      return base;
    }
  }
}

NodeId Parser::path(NodeId base) {
  const auto offset = take().begin;
  const auto name = now_;
  if (!is_word(name.kind)) return fail(name.begin, "Expected a name after the point.");
  auto spelling = std::string(spelled(name));
  const auto known = is_juel() || tree_.text[name.begin] == '`' ? Match{} : match(name.begin, true);
  if (known.kind == Match::Kind::member) {
    spelling = known.name;
    move_to(known.end);
  } else {
    take();
    if (at(TokenKind::left_paren) && is_juel()) return refuse_call();
  }
  return add(NodeKind::path, offset, std::array{Edge{base}}, add_name(spelling));
}

NodeId Parser::refuse_call() {
  const auto name = before_;
  if (!is_word(name.kind)) return fail(now_.begin, "Only FEEL has functions; write = f(x).");
  const auto spelling = std::string(feel_spelling(spelled(name)));
  return fail(name.begin, "${...} cannot call \"" + std::string(spelled(name)) + "\"; " +
                              (spelling.empty() ? "compute it in a task and use its result."
                                                : "write it in FEEL: " + spelling + "."));
}

NodeId Parser::filter(NodeId base) {
  const auto offset = take().begin;
  if (!is_juel()) locals_.push_back({"item", true});
  const std::array edges = {Edge{base}, Edge{expression()}};
  if (!is_juel()) locals_.pop_back();
  expect(TokenKind::right_bracket, "\"]\"");
  return add(is_juel() ? NodeKind::element : NodeKind::filter, offset, edges);
}

NodeId Parser::primary() {
  const auto token = now_;
  switch (token.kind) {
    case TokenKind::number: return number();
    case TokenKind::string: return text();
    case TokenKind::at_string: return temporal();
    case TokenKind::name: return name();
    case TokenKind::left_paren: return parenthesised();
    case TokenKind::left_bracket: return bracketed();
    case TokenKind::right_bracket: return open_range();
    case TokenKind::left_brace: return context();
    case TokenKind::question:
      if (!has_input_) break;
      take();
      ++inputs_;
      return add(NodeKind::input, token.begin);
    default: break;
  }
  // A name may begin with a word of the language: "in stock".
  if (is_word(token.kind) && !is_juel()) {
    const auto known = match(token.begin, false);
    if (known.end > token.end) return resolved(known, token.begin);
  }
  switch (token.kind) {
    case TokenKind::kw_true: take(); return literal(token.begin, true);
    case TokenKind::kw_false: take(); return literal(token.begin, false);
    case TokenKind::kw_null: take(); return literal(token.begin, nullptr);
    case TokenKind::kw_if: return choice();
    case TokenKind::kw_for: return loop(NodeKind::loop, TokenKind::kw_return, "return");
    case TokenKind::kw_some: return loop(NodeKind::some, TokenKind::kw_satisfies, "satisfies");
    case TokenKind::kw_every: return loop(NodeKind::every, TokenKind::kw_satisfies, "satisfies");
    case TokenKind::question:
      return fail(token.begin, "? is the input of unary tests; it has no meaning here.");
    default: return unexpected_token();
  }
}

NodeId Parser::number() {
  const auto token = take();
  const auto value = Decimal::parse(spelled(token));
  if (!value) return fail(token.begin, "The number is too large.");
  return literal(token.begin, *value);
}

NodeId Parser::text() {
  const auto token = take();
  auto value = string_value(tree_.text, token, dialect_);
  if (value) return text_literal(token.begin, std::move(*value));
  if (!problem_) problem_ = std::move(value.error());
  return fail(token.begin, {});
}

/// @"...": the kind of value shows in the text.
NodeId Parser::temporal() {
  const auto token = take();
  const auto text = spelled(token).substr(2, token.end - token.begin - 3);
  if (const auto date = Date::parse(text)) return literal(token.begin, *date);
  if (const auto date_time = DateTime::parse(text)) return literal(token.begin, *date_time);
  if (const auto time = Time::parse(text)) return literal(token.begin, *time);
  if (const auto months = MonthsDuration::parse(text)) return literal(token.begin, *months);
  if (const auto days = DaysDuration::parse(text)) return literal(token.begin, *days);
  return fail(token.begin, "\"" + std::string(text) +
                               "\" is no date, time or duration; write one as @\"2024-02-29\", "
                               "@\"10:30:00\", @\"2024-02-29T10:30:00Z\", @\"P1DT2H\" or "
                               "@\"P1Y2M\".");
}

// --- brackets

NodeId Parser::parenthesised() {
  const auto offset = take().begin;
  if (compares() && !is_juel()) return unary_range(offset);
  const auto inner = expression();
  if (at(TokenKind::dot_dot)) return range(inner, Operation::open, offset);
  expect(TokenKind::right_paren, "\")\"");
  return inner;
}

/// `(< 5)`, after the parenthesis.
NodeId Parser::unary_range(std::size_t offset) {
  const auto operation = infix_of(take().kind, dialect_)->operation;
  const Edge end{joined(kSum), operation};
  expect(TokenKind::right_paren, "\")\"");
  return add(NodeKind::unary_range, offset, std::array{end});
}

NodeId Parser::bracketed() {
  if (is_juel()) return unexpected_token();
  const auto offset = take().begin;
  std::vector<Edge> items;
  if (!at(TokenKind::right_bracket)) {
    items.push_back({expression()});
    if (at(TokenKind::dot_dot)) return range(items[0].node, Operation::closed, offset);
    while (take_if(TokenKind::comma))
      items.push_back({expression()});
  }
  expect(TokenKind::right_bracket, "\",\" or \"]\"");
  return add(NodeKind::list, offset, items);
}

NodeId Parser::open_range() {
  if (is_juel() || !starts_operand(peek().kind)) return unexpected_token();
  const auto offset = take().begin;
  const auto low = expression();
  if (!at(TokenKind::dot_dot)) return fail(now_.begin, "Expected \"..\" of the range ]a..b[.");
  return range(low, Operation::open, offset);
}

/// From the two points on.
NodeId Parser::range(NodeId low, Operation low_end, std::size_t offset) {
  take();
  const bool outer = std::exchange(is_range_end_, true);
  const auto high = joined(kSum);
  is_range_end_ = outer;
  const bool closed = take_if(TokenKind::right_bracket);
  if (!closed && !take_if(TokenKind::right_paren) && !take_if(TokenKind::left_bracket)) {
    return fail(now_.begin, "Expected the end of the range: \"]\" or \")\".");
  }
  return add(
      NodeKind::range, offset,
      std::array{Edge{low, low_end}, Edge{high, closed ? Operation::closed : Operation::open}});
}

NodeId Parser::context() {
  const auto offset = take().begin;
  const auto locals = locals_.size();
  std::vector<Edge> values;
  std::vector<std::string> keys;
  while (!at(TokenKind::right_brace) || !keys.empty()) {
    keys.push_back(key(keys));
    expect(TokenKind::colon, "\":\" after the key");
    // Only a function sees its own name; every entry sees those before it.
    const bool is_function = at_name("function");
    if (is_function) locals_.push_back({normalised(keys.back())});
    names_function_ = is_function;
    values.push_back({expression()});
    if (!is_function) locals_.push_back({normalised(keys.back())});
    if (keys.size() > kMaxEntries) return fail(offset, "The context has too many entries.");
    if (!take_if(TokenKind::comma)) break;
  }
  expect(TokenKind::right_brace, "\",\" or \"}\"");
  locals_.resize(locals);
  const auto index = tree_.names.size();
  for (const auto& key : keys) {
    add_name(key);
    members_.insert(normalised(key));
  }
  return add(NodeKind::context, offset, values, index);
}

// --- keywords

NodeId Parser::choice() {
  const auto offset = take().begin;
  const auto condition = expression();
  expect(TokenKind::kw_then, "\"then\"");
  const auto yes = expression();
  expect(TokenKind::kw_else, "\"else\"");
  const auto no = expression();
  return add(NodeKind::choice, offset, std::array{Edge{condition}, Edge{yes}, Edge{no}});
}

NodeId Parser::loop(NodeKind kind, TokenKind body_word, std::string_view body_spelling) {
  const auto offset = take().begin;
  const auto locals = locals_.size();
  std::vector<Edge> edges;
  if (kind == NodeKind::loop) locals_.push_back({"partial"});
  do {
    const auto name = now_;
    if (!is_word(name.kind)) return fail(name.begin, "Expected a name after \"for\" or \",\".");
    auto iterator = declared_name(TokenKind::kw_in);
    expect(TokenKind::kw_in, "\"in\"");
    edges.push_back({domain()});
    locals_.push_back({std::move(iterator)});
    if (edges.size() > kMaxIterators) return fail(name.begin, "Too many names in one loop.");
  } while (take_if(TokenKind::comma));
  expect(body_word, "\"" + std::string(body_spelling) + "\"");
  edges.push_back({expression()});
  const bool uses_partial = kind == NodeKind::loop && locals_[locals].is_used;
  locals_.resize(locals);
  return add(kind, offset, edges, uses_partial ? 1 : 0);
}

/// A list, or values `a..b`, which may go downwards.
NodeId Parser::domain() {
  const auto offset = now_.begin;
  const auto first = expression();
  if (!take_if(TokenKind::dot_dot)) return first;
  const std::array ends = {Edge{first}, Edge{expression()}};
  return add(NodeKind::span, offset, ends);
}

std::string_view spelling(Operation operation) {
  switch (operation) {
    case Operation::none:
    case Operation::holds: break;
    case Operation::equal: return "=";
    case Operation::not_equal: return "!=";
    case Operation::less: return "<";
    case Operation::less_equal: return "<=";
    case Operation::greater: return ">";
    case Operation::greater_equal: return ">=";
    case Operation::add: return "+";
    case Operation::subtract: return "-";
    case Operation::multiply: return "*";
    case Operation::divide: return "/";
    case Operation::remainder: return "%";
    case Operation::power: return "**";
    case Operation::closed: return "]";
    case Operation::open: return ")";
  }
  return "";
}

std::expected<Parsed, Diagnostic> parse_into(Tree& tree, std::size_t offset, Dialect dialect,
                                             const Names& names) {
  return Parser(tree, offset, dialect, names, false).expression_alone();
}

std::expected<Parsed, Diagnostic> parse_tests_into(Tree& tree, const Names& names) {
  return Parser(tree, 0, Dialect::feel, names, true).tests_alone();
}

} // namespace perdure::expr
