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
    {"..", TokenKind::dot_dot},
    {"**", TokenKind::star_star},
    {"!=", TokenKind::not_equal},
    {"<=", TokenKind::less_equal},
    {">=", TokenKind::greater_equal},
    {"(", TokenKind::left_paren},
    {")", TokenKind::right_paren},
    {"[", TokenKind::left_bracket},
    {"]", TokenKind::right_bracket},
    {"{", TokenKind::left_brace},
    {"}", TokenKind::right_brace},
    {",", TokenKind::comma},
    {".", TokenKind::dot},
    {":", TokenKind::colon},
    {"=", TokenKind::equal},
    {"<", TokenKind::less},
    {">", TokenKind::greater},
    {"+", TokenKind::plus},
    {"-", TokenKind::minus},
    {"*", TokenKind::star},
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

constexpr std::string_view kNoBreakSpace = "\xC2\xA0";

class Lexer {
public:
  Lexer(std::string_view text, std::size_t offset, Dialect dialect)
      : text_(text), at_(offset), dialect_(dialect) {}

  std::expected<std::vector<Token>, Diagnostic> run() {
    while (!problem_) {
      skip_blank();
      if (at_ >= text_.size() || (is_juel() && text_[at_] == '}')) break;
      next();
    }
    if (problem_) return std::unexpected(std::move(*problem_));
    add(TokenKind::end, at_);
    return std::move(tokens_);
  }

private:
  [[nodiscard]] bool is_juel() const { return dialect_ == Dialect::juel; }
  [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  [[nodiscard]] bool at_letter() const {
    const char c = peek();
    if (rest().starts_with(kNoBreakSpace)) return false;
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80 || (c == '$' && is_juel());
  }

  void add(TokenKind kind, std::size_t begin) {
    tokens_.push_back({kind, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)});
  }

  void fail(std::size_t offset, std::string message) {
    problem_ = Diagnostic{std::move(message), column_at(text_, offset)};
  }

  void skip_blank() {
    while (at_ < text_.size() && !problem_) {
      if (std::string_view(" \t\r\n").find(peek()) != std::string_view::npos) {
        ++at_;
      } else if (rest().starts_with(kNoBreakSpace)) {
        at_ += kNoBreakSpace.size();
      } else if (!is_juel() && rest().starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (!is_juel() && rest().starts_with("/*")) {
        skip_block_comment();
      } else {
        return;
      }
    }
  }

  void skip_block_comment() {
    const auto close = text_.find("*/", at_ + 2);
    if (close == std::string_view::npos) return fail(at_, "The comment is not closed; add */.");
    at_ = close + 2;
  }

  void next() {
    const char c = peek();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (c == '"' || (c == '\'' && is_juel())) return quoted(c, TokenKind::string);
    if (c == '`' && !is_juel()) return quoted(c, TokenKind::name);
    if (at_letter()) return word();
    mark();
  }

  void number() {
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
    if (at_letter()) {
      return fail(at_,
                  "A number is followed by a letter; put an operator or a space between them.");
    }
    add(TokenKind::number, begin);
  }

  void quoted(char quote, TokenKind kind) {
    const auto begin = at_++;
    while (at_ < text_.size() && peek() != quote) {
      at_ += peek() == '\\' && quote != '`' ? 2 : 1;
    }
    if (at_ >= text_.size()) {
      return fail(begin,
                  std::string("The text that starts here is not closed; add ") + quote + ".");
    }
    ++at_;
    if (kind == TokenKind::name && at_ - begin <= 2) return fail(begin, "The name is empty.");
    add(kind, begin);
  }

  void word() {
    const auto begin = at_;
    while (at_letter() || is_digit(peek()))
      ++at_;
    const auto spelled = text_.substr(begin, at_ - begin);
    const auto words = is_juel() ? std::span<const Spelling>(kJuelWords) : kFeelWords;
    const auto found = std::ranges::find(words, spelled, &Spelling::first);
    add(found == words.end() ? TokenKind::name : found->second, begin);
  }

  void mark() {
    if (!is_juel() && rest().starts_with("==")) {
      return fail(at_, "Equality is written = in FEEL, not ==.");
    }
    const auto marks = is_juel() ? std::span<const Spelling>(kJuelMarks) : kFeelMarks;
    const auto found = std::ranges::find_if(
        marks, [this](const Spelling& one) { return rest().starts_with(one.first); });
    if (found == marks.end()) return stray();
    const auto begin = at_;
    at_ += found->first.size();
    add(found->second, begin);
  }

  /// Says what to write instead of a mark that belongs to another language.
  void stray() {
    if (peek() == '@') return fail(at_, "Literals with @ (dates and durations) are not supported.");
    if (is_juel()) {
      if (peek() == '=') return fail(at_, "Equality is written ==, not =.");
      return fail(at_, "This character has no meaning in ${...}; remove it.");
    }
    if (peek() == '\'') return fail(at_, "Text is written in double quotes, not single ones.");
    if (rest().starts_with("&&")) return fail(at_, "Write and instead of &&.");
    if (rest().starts_with("||")) return fail(at_, "Write or instead of ||.");
    if (peek() == '!') return fail(at_, "Write not(...) instead of !.");
    if (peek() == '%') return fail(at_, "Write modulo(a, b) instead of %.");
    fail(at_, "This character has no meaning in FEEL; remove it.");
  }

  std::string_view text_;
  std::size_t at_;
  Dialect dialect_;
  std::vector<Token> tokens_;
  std::optional<Diagnostic> problem_;
};

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

int column_at(std::string_view text, std::size_t offset) {
  return static_cast<int>(utf8::length(text.substr(0, offset))) + 1;
}

std::expected<std::vector<Token>, Diagnostic> tokenize(std::string_view text, std::size_t offset,
                                                       Dialect dialect) {
  return Lexer(text, offset, dialect).run();
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
