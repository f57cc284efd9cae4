// The parser's small tools: tokens, problems, nodes.
#include <algorithm>
#include <utility>

#include "expr/parser.h"

namespace perdure::expr {

namespace {

// Calls inside each other while parsing: a level of the tree takes up to four.
constexpr int kMaxNesting = 4 * kMaxDepth;

bool is_word(TokenKind kind) { return kind >= TokenKind::name && kind <= TokenKind::kw_null; }

} // namespace

Parser::Descent::Descent(Parser& parser) : parser_(parser) {
  if (++parser_.nesting_ > kMaxNesting) parser_.too_deep(parser_.now_.begin);
}

Parser::Descent::~Descent() { --parser_.nesting_; }

Parser::Parser(Tree& tree, std::size_t offset, Dialect dialect, const Names& names, bool has_input)
    : tree_(tree),
      lexer_(tree.text, dialect),
      dialect_(dialect),
      names_(names),
      has_input_(has_input),
      depths_(tree.nodes.size(), 1) {
  move_to(offset);
}

bool Parser::at_name(std::string_view word) const {
  return at(TokenKind::name) && spelled(now_) == word;
}

Token Parser::peek() { return problem_ ? now_ : lexer_.at(now_.end); }

Token Parser::take() {
  const auto token = now_;
  if (token.kind != TokenKind::end) move_to(token.end);
  before_ = token;
  return token;
}

bool Parser::take_if(TokenKind kind) {
  if (!at(kind)) return false;
  take();
  return true;
}

void Parser::move_to(std::size_t offset) {
  if (problem_) return;
  before_ = now_;
  now_ = lexer_.at(offset);
  if (now_.kind != TokenKind::bad) return;
  problem_ = lexer_.problem();
  now_.kind = TokenKind::end;
}

void Parser::expect(TokenKind kind, std::string_view what) {
  if (!take_if(kind)) fail(now_.begin, "Expected " + std::string(what) + " here.");
}

std::string_view Parser::spelled(const Token& token) const {
  const auto text = std::string_view(tree_.text).substr(token.begin, token.end - token.begin);
  return text.starts_with('`') ? text.substr(1, text.size() - 2) : text;
}

NodeId Parser::fail(std::size_t offset, std::string message) {
  if (!problem_) problem_ = Diagnostic{std::move(message), column_at(tree_.text, offset)};
  now_.kind = TokenKind::end;
  return 0;
}

NodeId Parser::unexpected_token() {
  const auto token = now_;
  if (token.kind == TokenKind::end) {
    return fail(token.begin, "The expression ends too early; something is missing here.");
  }
  if (is_word(token.kind) && is_word(before_.kind)) return adjacent_words(token);
  return fail(token.begin, "\"" + std::string(spelled(token)) + "\" cannot stand here.");
}

NodeId Parser::adjacent_words(const Token& token) {
  const auto before = spelled(before_);
  if (before == "not") return fail(token.begin, "Write not(...) with parentheses.");
  return fail(token.begin, "An operator is missing between \"" + std::string(before) + "\" and \"" +
                               std::string(spelled(token)) +
                               "\"; a name with spaces is written in backticks.");
}

NodeId Parser::add(NodeKind kind, std::size_t offset, std::span<const Edge> edges,
                   std::size_t index) {
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

NodeId Parser::too_deep(std::size_t offset) {
  return fail(offset, "The expression is nested too deep; at most " + std::to_string(kMaxDepth) +
                          " levels are allowed.");
}

NodeId Parser::literal(std::size_t offset, Datum value) {
  tree_.literals.push_back(std::move(value));
  return add(NodeKind::literal, offset, {}, tree_.literals.size() - 1);
}

NodeId Parser::text_literal(std::size_t offset, std::string text) {
  tree_.texts.push_back(std::move(text));
  return literal(offset, Datum::borrow(tree_.texts.back()));
}

std::size_t Parser::add_name(std::string_view name) {
  tree_.names.emplace_back(name);
  return tree_.names.size() - 1;
}

void Parser::back_to(const Mark& mark) {
  now_ = mark.now;
  before_ = mark.before;
  inputs_ = mark.inputs;
  problem_.reset();
}

NodeId add_node(Tree& tree, Node node, std::span<const Edge> edges) {
  node.first_edge = static_cast<std::uint32_t>(tree.edges.size());
  node.edge_count = static_cast<std::uint32_t>(edges.size());
  tree.edges.insert(tree.edges.end(), edges.begin(), edges.end());
  tree.nodes.push_back(node);
  return static_cast<NodeId>(tree.nodes.size() - 1);
}

} // namespace perdure::expr
