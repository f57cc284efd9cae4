// Text into tokens, for both dialects: JUEL spellings (`&&`, `eq`) become the tokens of FEEL.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "expr/expression.h"

namespace perdure::expr {

enum class TokenKind : std::uint8_t {
  end,
  number,
  string,
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
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::uint32_t begin = 0; ///< byte offsets into the whole text
  std::uint32_t end = 0;
};

/// The 1-based column of a byte offset: characters, not bytes.
[[nodiscard]] int column_at(std::string_view text, std::size_t offset);

/// Tokens of valid UTF-8 `text` from `offset` on. JUEL ends at the first `}` outside a string, FEEL
/// at the end of the text; the last token is `end` and stands there.
[[nodiscard]] std::expected<std::vector<Token>, Diagnostic> tokenize(std::string_view text,
                                                                     std::size_t offset,
                                                                     Dialect dialect);

/// What a string token means. Unknown escapes stay as written, so that "\d" needs no doubling.
[[nodiscard]] std::expected<std::string, Diagnostic> string_value(std::string_view text,
                                                                  const Token& token,
                                                                  Dialect dialect);

} // namespace perdure::expr
