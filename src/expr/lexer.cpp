#include "expr/lexer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <utility>

#include "base/utf8.h"

namespace perdure::expr {

namespace {

using Spelling = std::pair<std::string_view, TokenKind>;

constexpr std::array kFeelWords = std::to_array<Spelling>({
    {"and", TokenKind::kw_and},
    {"or", TokenKind::kw_or},
    {"if", TokenKind::kw_if},
    {"then", TokenKind::kw_then},
    {"else", TokenKind::kw_else},
    {"between", TokenKind::kw_between},
    {"in", TokenKind::kw_in},
    {"for", TokenKind::kw_for},
    {"return", TokenKind::kw_return},
    {"some", TokenKind::kw_some},
    {"every", TokenKind::kw_every},
    {"satisfies", TokenKind::kw_satisfies},
    {"true", TokenKind::kw_true},
    {"false", TokenKind::kw_false},
    {"null", TokenKind::kw_null},
});

constexpr std::array kJuelWords = std::to_array<Spelling>({
    {"and", TokenKind::kw_and},
    {"or", TokenKind::kw_or},
    {"not", TokenKind::kw_not},
    {"empty", TokenKind::kw_empty},
    {"eq", TokenKind::equal},
    {"ne", TokenKind::not_equal},
    {"lt", TokenKind::less},
    {"le", TokenKind::less_equal},
    {"gt", TokenKind::greater},
    {"ge", TokenKind::greater_equal},
    {"div", TokenKind::slash},
    {"mod", TokenKind::percent},
    {"true", TokenKind::kw_true},
    {"false", TokenKind::kw_false},
    {"null", TokenKind::kw_null},
});

// Longer marks first.
constexpr std::array kFeelMarks = std::to_array<Spelling>({
    {"..", TokenKind::dot_dot},     {"**", TokenKind::star_star},
    {"->", TokenKind::arrow},       {"!=", TokenKind::not_equal},
    {"<=", TokenKind::less_equal},  {">=", TokenKind::greater_equal},
    {"(", TokenKind::left_paren},   {")", TokenKind::right_paren},
    {"[", TokenKind::left_bracket}, {"]", TokenKind::right_bracket},
    {"{", TokenKind::left_brace},   {"}", TokenKind::right_brace},
    {",", TokenKind::comma},        {".", TokenKind::dot},
    {":", TokenKind::colon},        {"?", TokenKind::question},
    {"=", TokenKind::equal},        {"<", TokenKind::less},
    {">", TokenKind::greater},      {"+", TokenKind::plus},
    {"-", TokenKind::minus},        {"*", TokenKind::star},
    {"/", TokenKind::slash},
});

constexpr std::array kJuelMarks = std::to_array<Spelling>({
    {"==", TokenKind::equal},        {"!=", TokenKind::not_equal},
    {"<=", TokenKind::less_equal},   {">=", TokenKind::greater_equal},
    {"&&", TokenKind::kw_and},       {"||", TokenKind::kw_or},
    {"!", TokenKind::kw_not},        {"(", TokenKind::left_paren},
    {")", TokenKind::right_paren},   {"[", TokenKind::left_bracket},
    {"]", TokenKind::right_bracket}, {",", TokenKind::comma},
    {".", TokenKind::dot},           {":", TokenKind::colon},
    {"?", TokenKind::question},      {"<", TokenKind::less},
    {">", TokenKind::greater},       {"+", TokenKind::plus},
    {"-", TokenKind::minus},         {"*", TokenKind::star},
    {"/", TokenKind::slash},         {"%", TokenKind::percent},
});

bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct CodePoints {
  std::uint32_t first, last;
};

constexpr std::array kBlanks = std::to_array<CodePoints>({
    {0x09, 0x0D},
    {0x20, 0x20},
    {0x85, 0x85},
    {0xA0, 0xA0},
    {0x1680, 0x1680},
    {0x180E, 0x180E},
    {0x2000, 0x200B},
    {0x2028, 0x2029},
    {0x202F, 0x202F},
    {0x205F, 0x205F},
    {0x3000, 0x3000},
    {0xFEFF, 0xFEFF},
});

/// The code point at the start of the text; 0 at its end.
std::uint32_t first_of(std::string_view text) { return text.empty() ? 0 : utf8::take(text); }

/// Decodes the inside of a FEEL string literal.
class Unescaper {
public:
  Unescaper(std::string_view text, std::size_t begin, std::size_t end)
      : text_(text), at_(begin), end_(end) {}

  std::expected<std::string, Diagnostic> run() {
    while (at_ < end_) {
      if (text_[at_] != '\\') {
        out_ += text_[at_++];
      } else if (!escape()) {
        return std::unexpected(Diagnostic{
            "\\u needs four hexadecimal digits (\\U six) of a character.", column_at(text_, at_)});
      }
    }
    return std::move(out_);
  }

private:
  bool escape() {
    static constexpr std::string_view kMarks = "\"'\\/nrtbf";
    static constexpr std::string_view kMeanings = "\"'\\/\n\r\t\b\f";
    const char mark = text_[at_ + 1];
    if (const auto index = kMarks.find(mark); index != std::string_view::npos) {
      out_ += kMeanings[index];
      at_ += 2;
      return true;
    }
    if (mark == 'u' || mark == 'U') return code_point(mark == 'u' ? 4 : 6);
    out_ += '\\';
    ++at_;
    return true;
  }

  std::optional<std::uint32_t> hex(std::size_t from, std::size_t width) {
    if (from + width > end_) return std::nullopt;
    std::uint32_t number = 0;
    const auto* first = text_.data() + from;
    const auto [last, error] = std::from_chars(first, first + width, number, 16);
    if (error != std::errc{} || last != first + width) return std::nullopt;
    return number;
  }

  bool code_point(std::size_t width) {
    auto number = hex(at_ + 2, width);
    if (!number) return false;
    auto next = at_ + 2 + width;
    if (*number >= 0xD800 && *number < 0xDC00 && width == 4 && text_.substr(next, 2) == "\\u") {
      const auto low = hex(next + 2, 4);
      if (!low || *low < 0xDC00 || *low > 0xDFFF) return false;
      number = 0x10000 + ((*number - 0xD800) << 10) + (*low - 0xDC00);
      next += 6;
    }
    if ((*number >= 0xD800 && *number < 0xE000) || *number > 0x10FFFF) return false;
    utf8::append(out_, *number);
    at_ = next;
    return true;
  }

  std::string_view text_;
  std::size_t at_;
  std::size_t end_;
  std::string out_;
};

} // namespace

bool is_blank(std::uint32_t code_point) {
  return std::ranges::any_of(kBlanks, [&](const CodePoints& blanks) {
    return code_point >= blanks.first && code_point <= blanks.last;
  });
}

bool is_name_part(std::uint32_t code_point) {
  if (code_point >= 0x80) return !is_blank(code_point);
  const auto c = static_cast<char>(code_point);
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

bool Lexer::at_letter() const {
  if (peek() == '$' && is_juel()) return true;
  return !is_digit(peek()) && is_name_part(first_of(rest()));
}

Token Lexer::token(TokenKind kind, std::size_t begin) const {
  return {kind, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)};
}

Token Lexer::fail(std::size_t offset, std::string message) {
  problem_ = Diagnostic{std::move(message), column_at(text_, offset)};
  return token(TokenKind::bad, offset);
}

bool Lexer::skip_space() {
  auto text = rest();
  if (text.empty() || !is_blank(utf8::take(text))) return false;
  at_ = text_.size() - text.size();
  return true;
}

bool Lexer::skip_comment() {
  if (is_juel()) return false;
  if (rest().starts_with("//")) {
    at_ = std::min(text_.find('\n', at_), text_.size());
    return true;
  }
  if (!rest().starts_with("/*")) return false;
  const auto close = text_.find("*/", at_ + 2);
  is_comment_open_ = close == std::string_view::npos;
  if (is_comment_open_) return false;
  at_ = close + 2;
  return true;
}

std::size_t Lexer::skip_blank(std::size_t offset) {
  at_ = offset;
  while (skip_space() || skip_comment()) {
  }
  return at_;
}

Token Lexer::at(std::size_t offset) {
  is_comment_open_ = false;
  at_ = skip_blank(offset);
  if (is_comment_open_) return fail(at_, "The comment is not closed; add */.");
  const char c = peek();
  if (at_ >= text_.size() || (is_juel() && c == '}')) return token(TokenKind::end, at_);
  if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
  if (c == '"' || (c == '\'' && is_juel())) return quoted(c, TokenKind::string);
  if (c == '`' && !is_juel()) return quoted(c, TokenKind::name);
  if (c == '@' && peek(1) == '"' && !is_juel()) {
    ++at_;
    auto literal = quoted('"', TokenKind::at_string);
    --literal.begin;
    return literal;
  }
  return at_letter() ? word() : mark();
}

Token Lexer::number() {
  const auto begin = at_;
  const auto digits = [this] {
    while (is_digit(peek()))
      ++at_;
  };
  digits();
  if (peek() == '.' && is_digit(peek(1))) {
    ++at_;
    digits();
  }
  if (peek() == 'e' || peek() == 'E') {
    const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if (is_digit(peek(1 + sign))) {
      at_ += 1 + sign;
      digits();
    }
  }
  if (!at_letter()) return token(TokenKind::number, begin);
  return fail(at_, "A number is followed by a letter; put an operator or a space between them.");
}

Token Lexer::quoted(char quote, TokenKind kind) {
  const auto begin = at_++;
  while (at_ < text_.size() && peek() != quote) {
    at_ += peek() == '\\' && quote != '`' ? 2 : 1;
  }
  if (at_ >= text_.size()) {
    at_ = text_.size();
    return fail(begin, std::string("The text that starts here is not closed; add ") + quote + ".");
  }
  ++at_;
  if (kind == TokenKind::name && at_ - begin <= 2) return fail(begin, "The name is empty.");
  return token(kind, begin);
}

Token Lexer::word() {
  const auto begin = at_;
  while (at_letter() || is_digit(peek())) {
    auto text = rest();
    static_cast<void>(utf8::take(text));
    at_ = text_.size() - text.size();
  }
  const auto spelled = text_.substr(begin, at_ - begin);
  const auto words = is_juel() ? std::span<const Spelling>(kJuelWords) : kFeelWords;
  const auto found = std::ranges::find(words, spelled, &Spelling::first);
  return token(found == words.end() ? TokenKind::name : found->second, begin);
}

Token Lexer::mark() {
  if (!is_juel() && rest().starts_with("==")) {
    return fail(at_, "Equality is written = in FEEL, not ==.");
  }
  const auto marks = is_juel() ? std::span<const Spelling>(kJuelMarks) : kFeelMarks;
  const auto found = std::ranges::find_if(
      marks, [this](const Spelling& one) { return rest().starts_with(one.first); });
  if (found == marks.end()) return stray();
  const auto begin = at_;
  at_ += found->first.size();
  return token(found->second, begin);
}

/// Says what to write instead of a mark that belongs to another language.
Token Lexer::stray() {
  if (is_juel()) {
    if (peek() == '=') return fail(at_, "Equality is written ==, not =.");
    return fail(at_, "This character has no meaning in ${...}; remove it.");
  }
  if (peek() == '@') return fail(at_, "A date, time or duration is written @\"...\".");
  if (peek() == '\'') return fail(at_, "Text is written in double quotes, not single ones.");
  if (rest().starts_with("&&")) return fail(at_, "Write and instead of &&.");
  if (rest().starts_with("||")) return fail(at_, "Write or instead of ||.");
  if (peek() == '!') return fail(at_, "Write not(...) instead of !.");
  if (peek() == '%') return fail(at_, "Write modulo(a, b) instead of %.");
  return fail(at_, "This character has no meaning in FEEL; remove it.");
}

int column_at(std::string_view text, std::size_t offset) {
  return static_cast<int>(utf8::length(text.substr(0, offset))) + 1;
}

std::expected<std::string, Diagnostic> string_value(std::string_view text, const Token& token,
                                                    Dialect dialect) {
  if (dialect == Dialect::feel) return Unescaper(text, token.begin + 1, token.end - 1).run();
  std::string out;
  for (auto i = token.begin + 1; i + 1 < token.end; ++i) {
    const bool escaped = text[i] == '\\' && std::string_view("\\'\"").contains(text[i + 1]);
    if (escaped) ++i;
    out += text[i];
  }
  return out;
}

} // namespace perdure::expr
