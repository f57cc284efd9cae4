// The front of the room: attributes into trees, trees and scopes into values.
#include "expr/expression.h"

#include <algorithm>
#include <optional>

#include "base/json.h"
#include "base/utf8.h"
#include "expr/evaluator.h"
#include "expr/lexer.h"
#include "expr/parser.h"
#include "expr/tree.h"

namespace perdure::expr {

namespace {

// A result becomes part of a variable, inside an object or two; JSON that is read may be 64 deep.
constexpr int kMaxResultDepth = 60;

using Compiled = std::expected<Expression, Diagnostic>;

std::size_t skip_blank(std::string_view text) {
  return std::min(text.find_first_not_of(" \t\r\n"), text.size());
}

std::string_view without_trailing_blank(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

/// The next `${` or `#{` that is not escaped.
std::size_t find_opening(std::string_view text, std::size_t from) {
  for (auto i = from; i + 1 < text.size(); ++i) {
    const bool opens = (text[i] == '$' || text[i] == '#') && text[i + 1] == '{';
    if (opens && (i == 0 || text[i - 1] != '\\')) return i;
  }
  return std::string_view::npos;
}

std::optional<Diagnostic> refuse_text(std::string_view text) {
  if (text.size() > kMaxTextBytes) {
    return Diagnostic{"The expression has more than " + std::to_string(kMaxTextBytes) +
                          " bytes; make it shorter.",
                      1};
  }
  if (!utf8::is_valid(text)) return Diagnostic{"The expression is not valid UTF-8.", 1};
  return std::nullopt;
}

/// Sorts the variables; their nodes follow.
Expression finish(Tree tree) {
  const auto names = tree.variables;
  std::ranges::sort(tree.variables);
  for (auto& node : tree.nodes) {
    if (node.kind != NodeKind::variable) continue;
    const auto found = std::ranges::lower_bound(tree.variables, names[node.index]);
    node.index = static_cast<std::uint32_t>(found - tree.variables.begin());
  }
  return Expression(std::make_shared<const Tree>(std::move(tree)));
}

NodeId add_text(Tree& tree, std::string text, std::size_t offset) {
  tree.texts.push_back(std::move(text));
  tree.literals.push_back(Datum::borrow(tree.texts.back()));
  return add_node(tree,
                  {.kind = NodeKind::literal,
                   .offset = static_cast<std::uint32_t>(offset),
                   .index = static_cast<std::uint32_t>(tree.literals.size() - 1)},
                  {});
}

/// Plain text between expressions: a backslash before `${` or `#{` is dropped.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto next = text.substr(i + 1, 2);
    if (text[i] == '\\' && (next == "${" || next == "#{")) continue;
    out += text[i];
  }
  return out;
}

Compiled compile_from(std::string_view text, std::size_t offset, Dialect dialect,
                      const Names& names = {}) {
  if (auto problem = refuse_text(text)) return std::unexpected(std::move(*problem));
  Tree tree{.text = std::string(text), .dialect = dialect};
  const auto parsed = parse_into(tree, offset, dialect, names);
  if (!parsed) return std::unexpected(parsed.error());
  if (parsed->end != text.size()) {
    return std::unexpected(Diagnostic{"\"}\" cannot stand here.", column_at(text, parsed->end)});
  }
  tree.root = parsed->root;
  return finish(std::move(tree));
}

Compiled compile_composite(std::string_view text) {
  if (auto problem = refuse_text(text)) return std::unexpected(std::move(*problem));
  Tree tree{.text = std::string(text), .dialect = Dialect::juel};
  std::vector<Edge> parts;
  const auto first = skip_blank(text);
  const auto end = without_trailing_blank(text).size();
  std::size_t at = 0;
  while (at < text.size()) {
    const auto opening = std::min(find_opening(text, at), text.size());
    if (opening > at)
      parts.push_back({add_text(tree, unescaped(text.substr(at, opening - at)), at)});
    if (opening == text.size()) break;
    const auto parsed = parse_into(tree, opening + 2, Dialect::juel, {});
    if (!parsed) return std::unexpected(parsed.error());
    if (parsed->end == text.size()) {
      return std::unexpected(
          Diagnostic{"The expression is not closed; add }.", column_at(text, opening)});
    }
    at = parsed->end + 1;
    // One expression and nothing else but blanks keeps the type of its value.
    if (opening == first && at == end) {
      tree.root = parsed->root;
      return finish(std::move(tree));
    }
    parts.push_back({parsed->root});
  }
  tree.root = add_node(tree, {.kind = NodeKind::composite}, parts);
  return finish(std::move(tree));
}

Compiled compile_text(std::string_view text) {
  if (auto problem = refuse_text(text)) return std::unexpected(std::move(*problem));
  Tree tree{.text = std::string(text)};
  tree.root = add_text(tree, unescaped(text), 0);
  return finish(std::move(tree));
}

bool has_feel_mark(std::string_view text) { return text.substr(skip_blank(text)).starts_with('='); }

/// Large values are of no use in an incident.
Value shortened(const Value& value) {
  constexpr std::size_t kMaxCharacters = 200;
  constexpr std::size_t kMaxBytes = 1000;
  if (const auto* text = value.as<std::string>()) {
    const auto end = utf8::offset_of(*text, kMaxCharacters);
    return end == text->size() ? value : Value(text->substr(0, end) + "...");
  }
  if (!value.is_array() && !value.is_object()) return value;
  const auto size = value.is_array() ? value.as<Array>()->size() : value.as<Object>()->size();
  if (size <= kMaxBytes && json::write(value).size() <= kMaxBytes) return value;
  return "(" + std::string(value.type_name()) + " of " + std::to_string(size) + ")";
}

} // namespace

Expression::Expression(std::shared_ptr<const Tree> tree) : tree_(std::move(tree)) {}

const std::string& Expression::text() const {
  static const std::string kNone;
  return tree_ ? tree_->text : kNone;
}

const std::vector<std::string>& Expression::variables() const {
  static const std::vector<std::string> kNone;
  return tree_ ? tree_->variables : kNone;
}

Compiled compile(std::string_view source, Dialect dialect) {
  return compile_from(source, 0, dialect);
}

bool is_expression(std::string_view text) {
  return has_feel_mark(text) || find_opening(text, 0) != std::string_view::npos;
}

Compiled compile_attribute(std::string_view text) {
  if (has_feel_mark(text)) return compile_from(text, skip_blank(text) + 1, Dialect::feel);
  if (is_expression(text)) return compile_composite(text);
  return compile_text(text);
}

Compiled compile_condition(std::string_view text) {
  return is_expression(text) ? compile_attribute(text) : compile_from(text, 0, Dialect::feel);
}

Compiled compile_feel(std::string_view source, const Names& names) {
  return compile_from(source, 0, Dialect::feel, names);
}

Compiled compile_unary_tests(std::string_view source, const Names& names) {
  if (auto problem = refuse_text(source)) return std::unexpected(std::move(*problem));
  Tree tree{.text = std::string(source)};
  const auto parsed = parse_tests_into(tree, names);
  if (!parsed) return std::unexpected(parsed.error());
  tree.root = parsed->root;
  return finish(std::move(tree));
}

Datum evaluate(const Expression& expression, const Variables& variables, Work& work,
               const Datum* input) {
  const auto& tree = expression.tree();
  if (!tree) return nullptr;
  const auto outer = work.set_text(tree->text);
  auto result = Evaluator(tree, variables, work, input).visit(tree->root);
  work.set_text(outer);
  return result;
}

std::expected<Evaluation, EvaluationError> evaluate(const Expression& expression,
                                                    const Scope& scope,
                                                    std::optional<Instant> now) {
  Work work(Limits{}, now);
  const auto result = evaluate(expression, scope, work);
  Evaluation evaluation;
  if (!work.failed()) {
    const auto& tree = expression.tree();
    if (tree) work.set_text(tree->text);
    const auto offset = tree ? tree->nodes[tree->root].offset : 0;
    evaluation.value = value_of(work, offset, result, kMaxResultDepth);
  }
  if (work.failed()) {
    return std::unexpected(
        EvaluationError{work.failure().reason, work.failure().column, seen_by(expression, scope)});
  }
  evaluation.warnings = work.warnings();
  return evaluation;
}

SeenVariables seen_by(const Expression& expression, const Scope& scope) {
  SeenVariables seen;
  for (const auto& name : expression.variables()) {
    if (const auto* value = scope.find(name)) seen.emplace_back(name, shortened(*value));
  }
  return seen;
}

} // namespace perdure::expr
