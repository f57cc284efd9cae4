// A text into a tree: recursive descent with precedence climbing for both dialects. Precedence,
// loosest first: `? :` (JUEL), or, and, comparison (JUEL: equality before order), + -, * / %, **
// (FEEL), unary, path, filter and call.
//
// Where a name ends depends on the names that are known there: they are matched longest first,
// those of the expression itself, those of the caller and those of the built-in functions.
#pragma once

#include <cstddef>
#include <expected>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expr/expression.h"
#include "expr/lexer.h"
#include "expr/names.h"
#include "expr/tree.h"

namespace perdure::expr {

/// Bounds on what compiles: a deeper or longer text is refused, so that evaluation needs no care.
inline constexpr std::size_t kMaxTextBytes = 64 * 1024;
inline constexpr int kMaxDepth = 200;

/// The root of what was read and the byte after it.
struct Parsed {
  NodeId root = 0;
  std::size_t end = 0;
};

/// Parses tree.text from `offset` to the end (FEEL) or to the closing brace (JUEL) and appends the
/// nodes.
[[nodiscard]] std::expected<Parsed, Diagnostic> parse_into(Tree& tree, std::size_t offset,
                                                           Dialect dialect, const Names& names);
/// As above, for unary tests.
[[nodiscard]] std::expected<Parsed, Diagnostic> parse_tests_into(Tree& tree, const Names& names);

/// Appends a node with its children.
NodeId add_node(Tree& tree, Node node, std::span<const Edge> edges);

/// Has one sticky problem: after the first one every token is the end, so that all loops finish by
/// themselves.
class Parser {
public:
  Parser(Tree& tree, std::size_t offset, Dialect dialect, const Names& names, bool has_input);

  std::expected<Parsed, Diagnostic> expression_alone();
  std::expected<Parsed, Diagnostic> tests_alone();

private:
  /// A name of the expression's own.
  struct Local {
    std::string key;      ///< normalised
    bool is_item = false; ///< of a filter: its entries are names too
    bool is_used = false;
  };
  /// Where a name ends and what it is.
  struct Match {
    enum class Kind { none, local, variable, member, function };
    Kind kind = Kind::none;
    std::string name; ///< as the one who gave it wrote it
    std::size_t end = 0;
    std::size_t local = 0;
  };
  /// Counts how deep expression(), joined(), unary() and type() are inside each other: every way
  /// down leads through one of them.
  class Descent {
  public:
    explicit Descent(Parser& parser);
    ~Descent();
    Descent(const Descent&) = delete;
    Descent& operator=(const Descent&) = delete;

  private:
    Parser& parser_;
  };
  /// Where to go back to when an attempt fails; the nodes it made stay, unused.
  struct Mark {
    Token now, before;
    std::size_t inputs = 0;
  };

  // parser_tokens.cpp
  [[nodiscard]] bool at(TokenKind kind) const { return now_.kind == kind; }
  [[nodiscard]] bool at_name(std::string_view word) const;
  [[nodiscard]] bool is_juel() const { return dialect_ == Dialect::juel; }
  [[nodiscard]] Token peek();
  Token take();
  bool take_if(TokenKind kind);
  void move_to(std::size_t offset);
  void expect(TokenKind kind, std::string_view what);
  [[nodiscard]] std::string_view spelled(const Token& token) const;
  NodeId fail(std::size_t offset, std::string message);
  NodeId unexpected_token();
  NodeId adjacent_words(const Token& token);
  NodeId add(NodeKind kind, std::size_t offset, std::span<const Edge> edges = {},
             std::size_t index = 0);
  NodeId too_deep(std::size_t offset);
  NodeId literal(std::size_t offset, Datum value);
  NodeId text_literal(std::size_t offset, std::string text);
  std::size_t add_name(std::string_view name);
  [[nodiscard]] Mark mark() const { return {now_, before_, inputs_}; }
  void back_to(const Mark& mark);

  // parser.cpp
  NodeId expression();
  NodeId ternary();
  NodeId joined(int level);
  NodeId chain(NodeId first, int level, NodeKind kind);
  NodeId between(NodeId value);
  NodeId membership(NodeId value);
  void parenthesised_tests(std::vector<Edge>& edges);
  [[nodiscard]] bool compares() const;
  NodeId comparison_test();
  Edge test(bool nested);
  NodeId tests(bool negatable);
  NodeId unary();
  NodeId prefixed();
  NodeId postfix(NodeId base);
  NodeId path(NodeId base);
  NodeId refuse_call();
  NodeId filter(NodeId base);
  NodeId primary();
  NodeId number();
  NodeId text();
  NodeId temporal();
  NodeId parenthesised();
  NodeId unary_range(std::size_t offset);
  NodeId bracketed();
  NodeId open_range();
  NodeId range(NodeId low, Operation low_end, std::size_t offset);
  NodeId context();
  NodeId choice();
  NodeId loop(NodeKind kind, TokenKind body_word, std::string_view body_spelling);
  NodeId domain();

  // parser_names.cpp
  [[nodiscard]] Match match(std::size_t offset, bool members) const;
  void match_key(const std::string& key, std::size_t end, bool members, Match& best) const;
  [[nodiscard]] bool may_go_on(const std::string& prefix, bool members) const;
  [[nodiscard]] bool is_in_filter() const;
  NodeId name();
  NodeId resolved(const Match& match, std::size_t offset);
  NodeId with_items(const std::string& name, std::size_t offset, NodeId otherwise,
                    std::size_t first);
  NodeId variable(const std::string& name, std::size_t offset);
  NodeId unknown_name();
  NodeId special_call(std::size_t offset, std::string_view function);
  NodeId built_in_call(std::size_t offset, std::string_view function);
  NodeId invocation(NodeId callee, std::size_t offset, const Function* fallback = nullptr);
  std::vector<Edge> arguments(std::vector<std::string>& names);
  std::string argument_name();
  std::string key(const std::vector<std::string>& before);
  std::string declared_name(TokenKind end_word);
  NodeId lambda();
  Parameter parameter();
  NodeId instance_of(NodeId value);
  TypeRef type();
  TypeRef generic_type(TypeKind kind);
  TypeRef context_type();
  TypeRef function_type();

  Tree& tree_;
  Lexer lexer_;
  Dialect dialect_;
  const Names& names_;
  Token now_;
  Token before_;
  bool has_input_;
  bool names_function_ = false; ///< the last local is the name of the function that comes next
  std::size_t inputs_ = 0;      ///< how often `?` was read
  int nesting_ = 0;
  bool is_range_end_ = false; ///< a `[` ends the range and does not begin a filter
  std::vector<int> depths_;   ///< of each node
  std::vector<Local> locals_;
  std::set<std::string, std::less<>> members_; ///< keys of the contexts that were read
  std::optional<Diagnostic> problem_;
};

} // namespace perdure::expr
