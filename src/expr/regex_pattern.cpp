#include "expr/regex_pattern.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/utf8.h"

namespace perdure::expr {

namespace {

constexpr int kMaxNesting = 50;
constexpr std::uint32_t kLastCodePoint = 0x10FFFF;
constexpr std::uint32_t kEnd = 0xFFFFFFFF;

struct Span {
  std::uint32_t first, last;
};

struct Block {
  std::string_view name;
  Span span;
};

constexpr std::array kBlocks = std::to_array<Block>({
    {"BasicLatin", {0x0, 0x7F}},
    {"Latin-1Supplement", {0x80, 0xFF}},
    {"LatinExtended-A", {0x100, 0x17F}},
    {"LatinExtended-B", {0x180, 0x24F}},
    {"IPAExtensions", {0x250, 0x2AF}},
    {"SpacingModifierLetters", {0x2B0, 0x2FF}},
    {"CombiningDiacriticalMarks", {0x300, 0x36F}},
    {"Greek", {0x370, 0x3FF}},
    {"GreekandCoptic", {0x370, 0x3FF}},
    {"Cyrillic", {0x400, 0x4FF}},
    {"Armenian", {0x530, 0x58F}},
    {"Hebrew", {0x590, 0x5FF}},
    {"Arabic", {0x600, 0x6FF}},
    {"Devanagari", {0x900, 0x97F}},
    {"Bengali", {0x980, 0x9FF}},
    {"Tamil", {0xB80, 0xBFF}},
    {"Thai", {0xE00, 0xE7F}},
    {"Georgian", {0x10A0, 0x10FF}},
    {"HangulJamo", {0x1100, 0x11FF}},
    {"LatinExtendedAdditional", {0x1E00, 0x1EFF}},
    {"GreekExtended", {0x1F00, 0x1FFF}},
    {"GeneralPunctuation", {0x2000, 0x206F}},
    {"SuperscriptsandSubscripts", {0x2070, 0x209F}},
    {"CurrencySymbols", {0x20A0, 0x20CF}},
    {"LetterlikeSymbols", {0x2100, 0x214F}},
    {"NumberForms", {0x2150, 0x218F}},
    {"Arrows", {0x2190, 0x21FF}},
    {"MathematicalOperators", {0x2200, 0x22FF}},
    {"MiscellaneousTechnical", {0x2300, 0x23FF}},
    {"BoxDrawing", {0x2500, 0x257F}},
    {"GeometricShapes", {0x25A0, 0x25FF}},
    {"MiscellaneousSymbols", {0x2600, 0x26FF}},
    {"Dingbats", {0x2700, 0x27BF}},
    {"CJKSymbolsandPunctuation", {0x3000, 0x303F}},
    {"Hiragana", {0x3040, 0x309F}},
    {"Katakana", {0x30A0, 0x30FF}},
    {"CJKUnifiedIdeographs", {0x4E00, 0x9FFF}},
    {"HangulSyllables", {0xAC00, 0xD7AF}},
    {"PrivateUse", {0xE000, 0xF8FF}},
    {"AlphabeticPresentationForms", {0xFB00, 0xFB4F}},
    {"HalfwidthandFullwidthForms", {0xFF00, 0xFFEF}},
});

constexpr std::array<std::string_view, 38> kCategories = {
    "L",  "Lu", "Ll", "Lt", "Lm", "Lo", "M",  "Mn", "Mc", "Me", "N",  "Nd", "Nl",
    "No", "P",  "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Z",  "Zs", "Zl", "Zp",
    "S",  "Sm", "Sc", "Sk", "So", "C",  "Cc", "Cf", "Co", "Cn", "",   ""};

constexpr std::array kSpaces = std::to_array<Span>({{0x9, 0xA}, {0xD, 0xD}, {0x20, 0x20}});

constexpr std::array kNameStarts = std::to_array<Span>({
    {':', ':'},
    {'A', 'Z'},
    {'_', '_'},
    {'a', 'z'},
    {0xC0, 0xD6},
    {0xD8, 0xF6},
    {0xF8, 0x2FF},
    {0x370, 0x37D},
    {0x37F, 0x1FFF},
    {0x200C, 0x200D},
    {0x2070, 0x218F},
    {0x2C00, 0x2FEF},
    {0x3001, 0xD7FF},
    {0xF900, 0xFDCF},
    {0xFDF0, 0xFFFD},
    {0x10000, 0xEFFFF},
});

constexpr std::array kNameParts = std::to_array<Span>({
    {'-', '.'},
    {'0', ':'},
    {'A', 'Z'},
    {'_', '_'},
    {'a', 'z'},
    {0xB7, 0xB7},
    {0xC0, 0xD6},
    {0xD8, 0xF6},
    {0xF8, 0x37D},
    {0x37F, 0x1FFF},
    {0x200C, 0x200D},
    {0x203F, 0x2040},
    {0x2070, 0x218F},
    {0x2C00, 0x2FEF},
    {0x3001, 0xD7FF},
    {0xF900, 0xFDCF},
    {0xFDF0, 0xFFFD},
    {0x10000, 0xEFFFF},
});

std::string code(std::uint32_t code_point) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string hex;
  do {
    hex.insert(hex.begin(), kDigits[code_point % 16]);
    code_point /= 16;
  } while (code_point > 0);
  return "\\x{" + hex + "}";
}

std::string members(std::span<const Span> spans) {
  std::string out;
  for (const auto& [first, last] : spans)
    out += code(first) + "-" + code(last);
  return out;
}

/// All others. The spans are in order.
std::string others(std::span<const Span> spans) {
  std::vector<Span> gaps;
  std::uint32_t next = 0;
  for (const auto& [first, last] : spans) {
    if (first > next) gaps.push_back({next, first - 1});
    next = last + 1;
  }
  gaps.push_back({next, kLastCodePoint});
  return members(gaps);
}

class Translator {
public:
  Translator(std::string_view pattern, bool dot_matches_all)
      : rest_(pattern), dot_matches_all_(dot_matches_all) {}

  std::expected<std::string, std::string> run() {
    alternatives();
    if (!rest_.empty()) fail("a parenthesis is closed that was not opened");
    if (problem_) return std::unexpected("the regular expression is wrong: " + *problem_ + ".");
    return std::move(out_);
  }

private:
  void fail(std::string problem) {
    if (!problem_) problem_ = std::move(problem);
    rest_ = {};
  }

  [[nodiscard]] std::uint32_t peek() const {
    auto text = rest_;
    return text.empty() ? kEnd : utf8::take(text);
  }
  std::uint32_t take() { return rest_.empty() ? kEnd : utf8::take(rest_); }
  bool take_if(std::string_view mark) {
    if (!rest_.starts_with(mark)) return false;
    rest_.remove_prefix(mark.size());
    return true;
  }

  void alternatives() {
    if (++nesting_ > kMaxNesting) return fail("groups are nested too deep");
    while (!rest_.empty() && peek() != ')') {
      if (take_if("|")) {
        out_ += '|';
      } else {
        piece();
      }
    }
    --nesting_;
  }

  void piece() {
    const auto mark = peek();
    atom();
    const bool is_anchor = mark == '^' || mark == '$';
    if (!problem_ && quantifier() && is_anchor) fail("an anchor cannot be repeated");
  }

  bool quantifier() {
    if (take_if("*")) {
      out_ += '*';
    } else if (take_if("+")) {
      out_ += '+';
    } else if (take_if("?")) {
      out_ += '?';
    } else if (take_if("{")) {
      count();
    } else {
      return false;
    }
    if (take_if("?")) out_ += '?';
    return true;
  }

  std::optional<int> number() {
    int value = 0;
    std::size_t digits = 0;
    for (; peek() >= '0' && peek() <= '9' && digits < 5; ++digits)
      value = value * 10 + static_cast<int>(take() - '0');
    return digits > 0 && digits < 5 ? std::optional(value) : std::nullopt;
  }

  /// {n}, {n,} or {n,m}
  void count() {
    const auto least = number();
    if (!least) return fail("after { stands a number of up to four digits");
    out_ += "{" + std::to_string(*least);
    if (take_if(",")) {
      out_ += ',';
      if (peek() != '}') {
        const auto most = number();
        if (!most || *most < *least) return fail("a repetition ends before it begins");
        out_ += std::to_string(*most);
      }
    }
    if (!take_if("}")) return fail("a { is not closed");
    out_ += '}';
  }

  void atom() {
    const auto mark = take();
    switch (mark) {
      case '.': out_ += dot_matches_all_ ? "[\\x{0}-\\x{10FFFF}]" : "[^\\x{A}\\x{D}]"; return;
      case '^': out_ += '^'; return;
      case '$': out_ += '$'; return;
      case '(': return group();
      case '[': out_ += char_class(); return;
      case '\\': return escape();
      case '*':
      case '+':
      case '?':
      case '{': return fail("there is nothing to repeat");
      case '}':
      case ']': return fail("a bracket is closed that was not opened");
      default: out_ += code(mark);
    }
  }

  void group() {
    const bool is_captured = !take_if("?:");
    if (is_captured && peek() == '?') return fail("(? stands only before :");
    const auto index = is_captured ? ++groups_ : 0;
    out_ += is_captured ? "(" : "(?:";
    alternatives();
    if (!take_if(")")) return fail("a parenthesis is not closed");
    if (is_captured) closed_.push_back(index);
    out_ += ')';
  }

  /// After a backslash, outside a class.
  void escape() {
    if (peek() >= '1' && peek() <= '9') return back_reference();
    const auto set = escaped_members();
    if (set) out_ += "[" + *set + "]";
  }

  void back_reference() {
    std::size_t group = take() - '0';
    while (peek() >= '0' && peek() <= '9' && group * 10 + (peek() - '0') <= groups_)
      group = group * 10 + (take() - '0');
    if (std::ranges::find(closed_, group) == closed_.end()) {
      return fail("\\" + std::to_string(group) + " stands where no such group has ended");
    }
    out_ += "(?:\\" + std::to_string(group) + ")";
  }

  /// What an escape stands for, as members of a class.
  std::optional<std::string> escaped_members() {
    const auto mark = take();
    switch (mark) {
      case 'n': return code('\n');
      case 'r': return code('\r');
      case 't': return code('\t');
      case 's': return members(kSpaces);
      case 'S': return others(kSpaces);
      case 'd': return "\\p{Nd}";
      case 'D': return "\\P{Nd}";
      case 'w': return "\\p{L}\\p{M}\\p{N}\\p{S}";
      case 'W': return "\\p{P}\\p{Z}\\p{C}";
      case 'i': return members(kNameStarts);
      case 'I': return others(kNameStarts);
      case 'c': return members(kNameParts);
      case 'C': return others(kNameParts);
      case 'p':
      case 'P': return property(mark == 'P');
      default: break;
    }
    if (mark < 0x80 && std::string_view("\\|.-^?*+{}()[]$").contains(static_cast<char>(mark))) {
      return code(mark);
    }
    fail("a backslash stands before a character that needs none");
    return std::nullopt;
  }

  std::optional<std::string> property(bool is_negated) {
    const auto end = rest_.find('}');
    if (!take_if("{") || end == std::string_view::npos) {
      fail("\\p needs a name in braces");
      return std::nullopt;
    }
    const auto name = rest_.substr(0, end - 1);
    rest_.remove_prefix(end);
    if (!name.empty() && std::ranges::find(kCategories, name) != kCategories.end()) {
      return std::string(is_negated ? "\\P{" : "\\p{") + std::string(name) + "}";
    }
    const auto block = std::ranges::find_if(kBlocks, [&](const Block& one) {
      return name.starts_with("Is") && one.name == name.substr(2);
    });
    if (block == kBlocks.end()) {
      fail("there is no category or block \"" + std::string(name) + "\"");
      return std::nullopt;
    }
    const std::array span = {block->span};
    return is_negated ? others(span) : members(span);
  }

  // --- classes: [a-z], [^a-z], [a-z-[aeiou]]

  std::string char_class() {
    if (++nesting_ > kMaxNesting) fail("classes are nested too deep");
    const bool is_negated = take_if("^");
    std::string items;
    std::string without;
    bool is_first = true;
    while (!rest_.empty() && (peek() != ']' || is_first)) {
      if (rest_.starts_with("-[") && !is_first) {
        take();
        take();
        without = "(?!" + char_class() + ")";
        break;
      }
      items += class_item(is_first);
      is_first = false;
    }
    if (!take_if("]")) fail("a [ is not closed");
    --nesting_;
    return without + (is_negated ? "[^" : "[") + items + "]";
  }

  std::string class_item(bool is_first) {
    bool is_set = false;
    const auto low = class_character(is_set, is_first);
    if (is_set) return set_;
    const bool is_range =
        rest_.starts_with("-") && !rest_.starts_with("-]") && !rest_.starts_with("-[");
    if (!is_range) return code(low);
    take();
    const auto high = class_character(is_set, false);
    if (is_set || high < low) {
      fail("a range of characters ends before it begins");
      return {};
    }
    return code(low) + "-" + code(high);
  }

  /// A single character; or a set, which then stands in set_.
  std::uint32_t class_character(bool& is_set, bool is_first) {
    const auto mark = take();
    if (mark == '[' || (mark == ']' && !problem_)) {
      fail(is_first ? "a class is empty" : "in a class, [ and ] need a backslash");
      return 0;
    }
    if (mark == kEnd) {
      fail("a [ is not closed");
      return 0;
    }
    if (mark != '\\') return mark;
    constexpr std::string_view kSets = "sSdDwWiIcCpP";
    const auto next = peek();
    is_set = next < 0x80 && kSets.contains(static_cast<char>(next));
    const auto escaped = escaped_members().value_or("");
    if (is_set) {
      set_ = escaped;
      return 0;
    }
    if (next == 'n') return '\n';
    if (next == 'r') return '\r';
    if (next == 't') return '\t';
    return next;
  }

  std::string_view rest_;
  bool dot_matches_all_;
  std::string out_;
  std::string set_;
  int nesting_ = 0;
  std::size_t groups_ = 0;
  std::vector<std::size_t> closed_;
  std::optional<std::string> problem_;
};

/// Without blanks, but for those in classes.
std::string without_blanks(std::string_view pattern) {
  std::string out;
  int classes = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    const bool is_blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (is_blank && classes == 0) continue;
    const bool is_escaped =
        !out.empty() && out.back() == '\\' && !(out.size() > 1 && out[out.size() - 2] == '\\');
    if (!is_escaped && c == '[') ++classes;
    if (!is_escaped && c == ']' && classes > 0) --classes;
    out += c;
  }
  return out;
}

std::string plain(std::string_view text) {
  std::string out;
  while (!text.empty())
    out += code(utf8::take(text));
  return out;
}

} // namespace

std::expected<std::string, std::string> translate_pattern(std::string_view pattern,
                                                          std::string_view flags) {
  if (flags.contains('q')) return plain(pattern);
  const auto stripped = flags.contains('x') ? without_blanks(pattern) : std::string(pattern);
  return Translator(stripped, flags.contains('s')).run();
}

} // namespace perdure::expr
