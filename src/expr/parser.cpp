#include "expr/parser.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "expr/functions.h"
#include "expr/lexer.h"

namespace perdure::expr {

namespace {

constexpr std::size_t kMaxIterators = 8; // each is one more level of recursion

// Calls inside each other while parsing: a level of the tree takes up to four.
constexpr int kMaxNesting = 4 * kMaxDepth;

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
         kind == TokenKind::number || kind == TokenKind::string || kind == TokenKind::minus ||
         kind == TokenKind::left_paren || kind == TokenKind::left_bracket ||
         kind == TokenKind::left_brace;
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

/// Recursive descent with one sticky problem: after the first one every token is the end, so that
/// all loops finish by themselves.
class Parser {
public:
  Parser(Tree& tree, std::vector<Token> tokens, Dialect dialect)
      : tree_(tree), tokens_(std::move(tokens)), dialect_(dialect), depths_(tree.nodes.size(), 1) {}

  std::expected<Parsed, Diagnostic> run() {
    const auto end = tokens_.back().begin;
    const auto root = expression();
    if (!at(TokenKind::end)) unexpected_token();
    if (problem_) return std::unexpected(std::move(*problem_));
    return Parsed{root, end};
  }

private:
  // --- tokens -----------------------------------------------------------------------------------

  [[nodiscard]] const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
  }
  [[nodiscard]] bool at(TokenKind kind) const { return peek().kind == kind; }
  [[nodiscard]] bool is_juel() const { return dialect_ == Dialect::juel; }

  Token take() {
    const auto token = peek();
    if (next_ + 1 < tokens_.size()) ++next_;
    return token;
  }
  bool take_if(TokenKind kind) {
    if (!at(kind)) return false;
    take();
    return true;
  }
  void expect(TokenKind kind, std::string_view what) {
    if (!take_if(kind)) fail(peek().begin, "Expected " + std::string(what) + " here.");
  }

  [[nodiscard]] std::string_view spelled(const Token& token) const {
    const auto text = std::string_view(tree_.text).substr(token.begin, token.end - token.begin);
    return text.starts_with('`') ? text.substr(1, text.size() - 2) : text;
  }

  NodeId fail(std::size_t offset, std::string message) {
    if (!problem_) problem_ = Diagnostic{std::move(message), column_at(tree_.text, offset)};
    next_ = tokens_.size() - 1;
    return 0;
  }

  NodeId unexpected_token() {
    const auto token = peek();
    if (token.kind == TokenKind::end) {
      return fail(token.begin, "The expression ends too early; something is missing here.");
    }
    if (spelled(token) == "instance") {
      return fail(token.begin, "The operator instance of is not supported.");
    }
    if (next_ > 0 && is_word(token.kind) && is_word(tokens_[next_ - 1].kind)) {
      return adjacent_words(token);
    }
    return fail(token.begin, "\"" + std::string(spelled(token)) + "\" cannot stand here.");
  }

  NodeId adjacent_words(const Token& token) {
    const auto before = spelled(tokens_[next_ - 1]);
    if (before == "not") return fail(token.begin, "Write not(...) with parentheses.");
    return fail(token.begin, "An operator is missing between \"" + std::string(before) +
                                 "\" and \"" + std::string(spelled(token)) +
                                 "\"; a name with spaces is written in backticks.");
  }

  // --- nodes ------------------------------------------------------------------------------------

  NodeId add(NodeKind kind, std::size_t offset, std::span<const Edge> edges = {},
             std::size_t index = 0) {
    if (problem_) return 0;
    int depth = 1;
    for (const auto& edge : edges)
      depth = std::max(depth, depths_[edge.node] + 1);
    if (depth > kMaxDepth) return too_deep(offset);
    depths_.push_back(depth);
    return add_node(tree_,
                    {.kind = kind,
                     .offset = static_cast<std::uint32_t>(offset),
                     .index = static_cast<std::uint32_t>(index)},
                    edges);
  }

  NodeId too_deep(std::size_t offset) {
    return fail(offset, "The expression is nested too deep; at most " + std::to_string(kMaxDepth) +
                            " levels are allowed.");
  }

  /// Counts how deep expression(), joined() and unary() are inside each other: every way down leads
  /// through one of them.
  class Descent {
  public:
    explicit Descent(Parser& parser) : parser_(parser) {
      if (++parser.nesting_ > kMaxNesting) parser.too_deep(parser.peek().begin);
    }
    ~Descent() { --parser_.nesting_; }
    Descent(const Descent&) = delete;
    Descent& operator=(const Descent&) = delete;

  private:
    Parser& parser_;
  };

  NodeId literal(const Token& token, Literal value) {
    tree_.literals.push_back(std::move(value));
    return add(NodeKind::literal, token.begin, {}, tree_.literals.size() - 1);
  }

  std::size_t add_name(std::string_view name) {
    tree_.names.emplace_back(name);
    return tree_.names.size() - 1;
  }

  NodeId variable(const Token& token) {
    const std::string name(spelled(token));
    if (std::ranges::find(locals_, name) == locals_.end()) tree_.variables.push_back(name);
    return add(NodeKind::variable, token.begin, {}, add_name(name));
  }

  // --- expressions ------------------------------------------------------------------------------

  NodeId expression() {
    const Descent descent(*this);
    const bool outer = std::exchange(is_range_end_, false);
    const auto node = is_juel() ? ternary() : joined(kOr);
    is_range_end_ = outer;
    return node;
  }

  NodeId ternary() {
    const auto condition = joined(kOr);
    if (!at(TokenKind::question)) return condition;
    const auto offset = take().begin;
    const auto yes = expression();
    expect(TokenKind::colon, "\":\" of the choice a ? b : c");
    const auto no = expression();
    return add(NodeKind::choice, offset, std::array{Edge{condition}, Edge{yes}, Edge{no}});
  }

  /// Operators of this level or tighter. Those of one level gather in one node, so that a long sum
  /// is no deep tree.
  NodeId joined(int level) {
    const Descent descent(*this);
    auto left = unary();
    for (auto infix = infix_of(peek().kind, dialect_); infix && infix->level >= level;
         infix = infix_of(peek().kind, dialect_)) {
      if (infix->kind == NodeKind::between) {
        left = between(left);
      } else if (infix->kind == NodeKind::membership) {
        left = membership(left);
      } else {
        left = chain(left, *infix);
      }
    }
    return left;
  }

  NodeId chain(NodeId first, const Infix& infix) {
    const auto offset = peek().begin;
    std::vector<Edge> edges = {{first, Operation::none}};
    for (auto next = infix_of(peek().kind, dialect_);
         next && next->level == infix.level && next->kind == infix.kind;
         next = infix_of(peek().kind, dialect_)) {
      take();
      edges.push_back({joined(infix.level + 1), next->operation});
    }
    return add(infix.kind, offset, edges);
  }

  NodeId between(NodeId value) {
    const auto offset = take().begin;
    const auto low = joined(kSum);
    expect(TokenKind::kw_and, "\"and\" of between a and b");
    const auto high = joined(kSum);
    return add(NodeKind::between, offset, std::array{Edge{value}, Edge{low}, Edge{high}});
  }

  NodeId membership(NodeId value) {
    const auto offset = take().begin;
    std::vector<Edge> edges = {{value}};
    if (at(TokenKind::left_paren)) {
      parenthesised_tests(edges);
    } else {
      edges.push_back({test()});
    }
    return add(NodeKind::membership, offset, edges);
  }

  /// `(a, > b, [c..d])`, or `(a..b)`, a range without its ends.
  void parenthesised_tests(std::vector<Edge>& edges) {
    const auto offset = take().begin;
    const auto first = nested_test();
    if (at(TokenKind::dot_dot)) {
      edges.push_back({range(first, Operation::open, offset)});
      return;
    }
    edges.push_back({first});
    while (take_if(TokenKind::comma))
      edges.push_back({nested_test()});
    expect(TokenKind::right_paren, "\",\" or \")\"");
  }

  NodeId test() { return compares() ? comparison_test() : joined(kSum); }
  NodeId nested_test() { return compares() ? comparison_test() : expression(); }

  [[nodiscard]] bool compares() const {
    const auto infix = infix_of(peek().kind, dialect_);
    return infix && is_order(infix->operation);
  }

  NodeId comparison_test() {
    const auto token = take();
    const Edge edge{joined(kSum), infix_of(token.kind, dialect_)->operation};
    return add(NodeKind::test, token.begin, std::array{edge});
  }

  NodeId unary() {
    const Descent descent(*this);
    return prefixed();
  }

  NodeId prefixed() {
    const auto token = peek();
    const bool negation = token.kind == TokenKind::minus;
    const bool logical = token.kind == TokenKind::kw_not;
    if (!negation && !logical && token.kind != TokenKind::kw_empty) return postfix(primary());
    take();
    const std::array operand = {Edge{unary()}};
    if (negation) return add(NodeKind::negate, token.begin, operand);
    return add(logical ? NodeKind::logical_not : NodeKind::is_empty, token.begin, operand);
  }

  NodeId postfix(NodeId base) {
    while (true) {
      if (at(TokenKind::dot)) {
        base = path(base);
      } else if (at(TokenKind::left_bracket) && (!is_range_end_ || starts_operand(peek(1).kind))) {
        base = filter(base);
      } else if (at(TokenKind::left_paren) && is_juel()) {
        return refuse_call();
      } else {
        return base;
      }
    }
  }

  NodeId path(NodeId base) {
    const auto offset = take().begin;
    const auto name = peek();
    if (!is_word(name.kind)) return fail(name.begin, "Expected a name after the point.");
    take();
    if (at(TokenKind::left_paren)) {
      if (is_juel()) return refuse_call();
      return fail(name.begin, "FEEL has no methods; write " + std::string(spelled(name)) +
                                  "(...) as a function.");
    }
    return add(NodeKind::path, offset, std::array{Edge{base}}, add_name(spelled(name)));
  }

  NodeId refuse_call() {
    const auto name = tokens_[next_ - 1];
    if (!is_word(name.kind)) return fail(peek().begin, "Only FEEL has functions; write = f(x).");
    const auto spelling = std::string(feel_spelling(spelled(name)));
    return fail(name.begin, "${...} cannot call \"" + std::string(spelled(name)) + "\"; " +
                                (spelling.empty() ? "compute it in a task and use its result."
                                                  : "write it in FEEL: " + spelling + "."));
  }

  NodeId filter(NodeId base) {
    const auto offset = take().begin;
    const auto locals = locals_.size();
    if (!is_juel()) locals_.emplace_back("item");
    const std::array edges = {Edge{base}, Edge{expression()}};
    locals_.resize(locals);
    expect(TokenKind::right_bracket, "\"]\"");
    return add(is_juel() ? NodeKind::element : NodeKind::filter, offset, edges);
  }

  NodeId primary() {
    const auto token = peek();
    switch (token.kind) {
      case TokenKind::number: take(); return number(token);
      case TokenKind::string: take(); return text(token);
      case TokenKind::kw_true: take(); return literal(token, true);
      case TokenKind::kw_false: take(); return literal(token, false);
      case TokenKind::kw_null: take(); return literal(token, nullptr);
      case TokenKind::name: return name();
      case TokenKind::left_paren: return parenthesised();
      case TokenKind::left_bracket: return bracketed();
      case TokenKind::right_bracket: return open_range();
      case TokenKind::left_brace: return context();
      case TokenKind::kw_if: return choice();
      case TokenKind::kw_for: return loop(NodeKind::loop, TokenKind::kw_return, "return");
      case TokenKind::kw_some: return loop(NodeKind::some, TokenKind::kw_satisfies, "satisfies");
      case TokenKind::kw_every: return loop(NodeKind::every, TokenKind::kw_satisfies, "satisfies");
      default: return unexpected_token();
    }
  }

  NodeId number(const Token& token) {
    const auto value = Decimal::parse(spelled(token));
    if (!value) return fail(token.begin, "The number is too large.");
    return literal(token, *value);
  }

  NodeId text(const Token& token) {
    auto value = string_value(tree_.text, token, dialect_);
    if (value) return literal(token, std::move(*value));
    if (!problem_) problem_ = std::move(value.error());
    return fail(token.begin, {});
  }

  NodeId parenthesised() {
    const auto offset = take().begin;
    const auto inner = expression();
    if (at(TokenKind::dot_dot)) return range(inner, Operation::open, offset);
    expect(TokenKind::right_paren, "\")\"");
    return inner;
  }

  NodeId bracketed() {
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

  NodeId open_range() {
    if (is_juel() || !starts_operand(peek(1).kind)) return unexpected_token();
    const auto offset = take().begin;
    const auto low = expression();
    if (!at(TokenKind::dot_dot)) return fail(peek().begin, "Expected \"..\" of the range ]a..b[.");
    return range(low, Operation::open, offset);
  }

  /// From the two points on.
  NodeId range(NodeId low, Operation low_end, std::size_t offset) {
    take();
    const bool outer = std::exchange(is_range_end_, true);
    const auto high = joined(kSum);
    is_range_end_ = outer;
    const bool closed = take_if(TokenKind::right_bracket);
    if (!closed && !take_if(TokenKind::right_paren) && !take_if(TokenKind::left_bracket)) {
      return fail(peek().begin, "Expected the end of the range: \"]\" or \")\".");
    }
    return add(
        NodeKind::range, offset,
        std::array{Edge{low, low_end}, Edge{high, closed ? Operation::closed : Operation::open}});
  }

  NodeId context() {
    const auto offset = take().begin;
    const auto locals = locals_.size();
    std::vector<Edge> values;
    std::vector<std::string> keys;
    while (!at(TokenKind::right_brace) || !keys.empty()) {
      keys.push_back(key(keys));
      expect(TokenKind::colon, "\":\" after the key");
      values.push_back({expression()});
      locals_.push_back(keys.back());
      if (!take_if(TokenKind::comma)) break;
    }
    expect(TokenKind::right_brace, "\",\" or \"}\"");
    locals_.resize(locals);
    const auto index = tree_.names.size();
    for (const auto& key : keys)
      add_name(key);
    return add(NodeKind::context, offset, values, index);
  }

  std::string key(const std::vector<std::string>& before) {
    const auto token = take();
    std::string name;
    if (token.kind == TokenKind::string) {
      name = string_value(tree_.text, token, dialect_).value_or("");
    } else if (is_word(token.kind)) {
      name = spelled(token);
    } else {
      fail(token.begin, "Expected a key: a name or a text in quotes.");
    }
    if (std::ranges::find(before, name) != before.end()) {
      fail(token.begin, "The key \"" + name + "\" appears twice.");
    }
    return name;
  }

  NodeId choice() {
    const auto offset = take().begin;
    const auto condition = expression();
    expect(TokenKind::kw_then, "\"then\"");
    const auto yes = expression();
    expect(TokenKind::kw_else, "\"else\"");
    const auto no = expression();
    return add(NodeKind::choice, offset, std::array{Edge{condition}, Edge{yes}, Edge{no}});
  }

  NodeId loop(NodeKind kind, TokenKind body_word, std::string_view body_spelling) {
    const auto offset = take().begin;
    const auto locals = locals_.size();
    std::vector<Edge> edges;
    do {
      const auto name = take();
      if (!is_word(name.kind)) return fail(name.begin, "Expected a name after \"for\" or \",\".");
      expect(TokenKind::kw_in, "\"in\"");
      edges.push_back({domain()});
      locals_.emplace_back(spelled(name));
      if (edges.size() > kMaxIterators) return fail(name.begin, "Too many names in one loop.");
    } while (take_if(TokenKind::comma));
    expect(body_word, "\"" + std::string(body_spelling) + "\"");
    edges.push_back({expression()});
    const std::vector<std::string> names(locals_.begin() + static_cast<std::ptrdiff_t>(locals),
                                         locals_.end());
    locals_.resize(locals);
    const auto index = tree_.names.size();
    for (const auto& name : names)
      add_name(name);
    return add(kind, offset, edges, index);
  }

  /// A list, or whole numbers `a..b`.
  NodeId domain() {
    const auto offset = peek().begin;
    const auto first = expression();
    if (!take_if(TokenKind::dot_dot)) return first;
    const std::array ends = {Edge{first, Operation::closed}, Edge{expression(), Operation::closed}};
    return add(NodeKind::range, offset, ends);
  }

  // --- names and calls --------------------------------------------------------------------------

  NodeId name() {
    if (is_juel()) return variable(take());
    // Names of functions have spaces: words up to a parenthesis belong together.
    std::size_t words = 1;
    while (peek(words).kind == TokenKind::name)
      ++words;
    if (peek(words).kind != TokenKind::left_paren) return variable(take());
    const auto first = peek();
    std::string function;
    for (; words > 0; --words) {
      if (!function.empty()) function += ' ';
      function += spelled(take());
    }
    return call(first, function);
  }

  NodeId call(const Token& first, const std::string& function) {
    const auto index = find_function(function);
    const bool special = function == "is defined" || function == "not";
    if (!index && !special) return unknown_function(first, function);
    take();
    std::vector<Edge> arguments;
    if (!at(TokenKind::right_paren)) {
      do {
        arguments.push_back({expression()});
      } while (take_if(TokenKind::comma));
    }
    if (at(TokenKind::colon)) {
      return fail(peek().begin, "Named arguments are not supported; give them in order.");
    }
    expect(TokenKind::right_paren, "\",\" or \")\"");
    if (problem_) return 0;
    const auto least = special ? 1 : functions()[*index].min_arguments;
    const auto most = special ? 1 : functions()[*index].max_arguments;
    if (arguments.size() < least || arguments.size() > most) {
      return wrong_count(first, function, least, most, arguments.size());
    }
    if (!special) return add(NodeKind::call, first.begin, arguments, *index);
    return add(function == "not" ? NodeKind::logical_not : NodeKind::is_defined, first.begin,
               arguments);
  }

  NodeId wrong_count(const Token& first, const std::string& function, std::size_t least,
                     std::size_t most, std::size_t count) {
    auto wanted = std::to_string(least);
    if (most == kAnyNumber) wanted += " or more";
    if (most != kAnyNumber && most != least) wanted += " to " + std::to_string(most);
    return fail(first.begin, "\"" + function + "\" takes " + wanted +
                                 (wanted == "1" ? " argument, not " : " arguments, not ") +
                                 std::to_string(count) + ".");
  }

  NodeId unknown_function(const Token& first, const std::string& function) {
    static constexpr std::string_view kTemporal[] = {
        "date", "time", "date and time", "duration", "now", "today", "years and months duration"};
    if (std::ranges::find(kTemporal, function) != std::end(kTemporal)) {
      return fail(first.begin, "Dates, times and durations are not supported in expressions.");
    }
    return fail(first.begin, "There is no function \"" + function + "\"; check its spelling.");
  }

  Tree& tree_;
  std::vector<Token> tokens_;
  Dialect dialect_;
  std::size_t next_ = 0;
  int nesting_ = 0;
  bool is_range_end_ = false;       ///< a `[` ends the range and does not begin a filter
  std::vector<int> depths_;         ///< of each node
  std::vector<std::string> locals_; ///< names that are no root variables here
  std::optional<Diagnostic> problem_;
};

} // namespace

std::string_view spelling(Operation operation) {
  switch (operation) {
    case Operation::none: break;
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

NodeId add_node(Tree& tree, Node node, std::span<const Edge> edges) {
  node.first_edge = static_cast<std::uint32_t>(tree.edges.size());
  node.edge_count = static_cast<std::uint32_t>(edges.size());
  tree.edges.insert(tree.edges.end(), edges.begin(), edges.end());
  tree.nodes.push_back(node);
  return static_cast<NodeId>(tree.nodes.size() - 1);
}

std::expected<Parsed, Diagnostic> parse_into(Tree& tree, std::size_t offset, Dialect dialect) {
  auto tokens = tokenize(tree.text, offset, dialect);
  if (!tokens) return std::unexpected(std::move(tokens.error()));
  return Parser(tree, std::move(*tokens), dialect).run();
}

} // namespace perdure::expr
