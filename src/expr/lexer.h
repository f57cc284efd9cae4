// Text into tokens, for both dialects: JUEL spellings (`&&`, `eq`) become the tokens of FEEL.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "expr/expression.h"

namespace perdure::expr {

enum class TokenKind : std::uint8_t {
  end,
  bad, ///< Lexer::problem() says why
  number,
  string,
  at_string, ///< @"..."
  name,
  // words
  kw_and,
  kw_or,
  kw_not,
  kw_empty,
  kw_if,
  kw_then,
  kw_else,
  kw_between,
  kw_in,
  kw_for,
  kw_return,
  kw_some,
  kw_every,
  kw_satisfies,
  kw_true,
  kw_false,
  kw_null,
  // marks
  left_paren,
  right_paren,
  left_bracket,
  right_bracket,
  left_brace,
  right_brace,
  comma,
  dot,
  dot_dot,
  colon,
  question,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  plus,
  minus,
  star,
  star_star,
  slash,
  percent,
  arrow,
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::uint32_t begin = 0; ///< byte offsets into the whole text
  std::uint32_t end = 0;
};

/// The 1-based column of a byte offset: characters, not bytes.
[[nodiscard]] int column_at(std::string_view text, std::size_t offset);

/// Whether the code point counts as blank in FEEL.
[[nodiscard]] bool is_blank(std::uint32_t code_point);
/// Whether a name may contain the code point.
[[nodiscard]] bool is_name_part(std::uint32_t code_point);

/// Reads tokens of valid UTF-8 where it is asked to: where a name ends is known to the parser only.
class Lexer {
public:
  Lexer(std::string_view text, Dialect dialect) : text_(text), dialect_(dialect) {}

  /// The token at or after that offset. JUEL ends at the first `}` outside a string, FEEL at the
  /// end of the text; the last token is `end` and stands there.
  [[nodiscard]] Token at(std::size_t offset);
  /// The first offset at or after `offset` that is neither blank nor comment.
  [[nodiscard]] std::size_t skip_blank(std::size_t offset);
  /// What is wrong with a bad token.
  [[nodiscard]] const Diagnostic& problem() const { return problem_; }

private:
  [[nodiscard]] bool is_juel() const { return dialect_ == Dialect::juel; }
  [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  [[nodiscard]] bool at_letter() const;

  Token token(TokenKind kind, std::size_t begin) const;
  Token fail(std::size_t offset, std::string message);
  bool skip_space();
  bool skip_comment();
  Token number();
  Token quoted(char quote, TokenKind kind);
  Token word();
  Token mark();
  Token stray();

  std::string_view text_;
  Dialect dialect_;
  std::size_t at_ = 0;
  bool is_comment_open_ = false;
  Diagnostic problem_;
};

/// What a string token means. Unknown escapes stay as written, so that "\d" needs no doubling.
[[nodiscard]] std::expected<std::string, Diagnostic> string_value(std::string_view text,
                                                                  const Token& token,
                                                                  Dialect dialect);

} // namespace perdure::expr
