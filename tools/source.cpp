// The scanner behind tidy: blanks comments and literals, then finds function bodies by their
// braces.
#include "source.h"

#include <algorithm>
#include <cctype>

namespace perdure::tidy {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// Walks over the text once and blanks what is no code.
class Scanner {
public:
  explicit Scanner(std::string_view text) : text_(text) { result_.code = text; }

  Scan run() {
    while (at_ < text_.size()) {
      if (starts("//")) {
        blank_to(text_.find('\n', at_));
      } else if (starts("/*")) {
        const std::size_t end = text_.find("*/", at_ + 2);
        blank_to(end == std::string_view::npos ? end : end + 2);
      } else if (text_[at_] == '"') {
        if (at_ > 0 && text_[at_ - 1] == 'R') {
          raw_literal();
        } else {
          literal('"');
        }
      } else if (text_[at_] == '\'' && !is_digit_separator()) {
        literal('\'');
      } else {
        ++at_;
      }
    }
    return std::move(result_);
  }

private:
  [[nodiscard]] bool starts(std::string_view mark) const {
    return text_.substr(at_, mark.size()) == mark;
  }

  [[nodiscard]] bool is_digit_separator() const {
    return at_ > 0 && at_ + 1 < text_.size() &&
           std::isxdigit(static_cast<unsigned char>(text_[at_ - 1])) != 0 &&
           is_word(text_[at_ + 1]);
  }

  void blank_to(std::size_t end) {
    end = std::min(end, text_.size());
    for (; at_ < end; ++at_) {
      if (result_.code[at_] != '\n') result_.code[at_] = ' ';
    }
  }

  /// A literal that ends at the same quote; the cursor stands at the opening one.
  void literal(char quote) {
    const std::size_t start = ++at_;
    std::size_t end = start;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') {
      end += text_[end] == '\\' ? 2 : 1;
    }
    end = std::min(end, text_.size());
    if (quote == '"') keep(start, end);
    blank_to(end);
    ++at_;
  }

  void raw_literal() {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) return blank_to(open);
    const std::string close = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const std::size_t end = std::min(text_.find(close, open), text_.size());
    keep(open + 1, end);
    ++at_;
    blank_to(end + close.size() - 1);
    ++at_;
  }

  void keep(std::size_t start, std::size_t end) {
    result_.literals.push_back(
        {line_of(text_, start), std::string(text_.substr(start, end - start))});
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Scan result_;
};

/// Blanks preprocessor lines with their continuations: macros have braces of their own.
std::string without_preprocessor(std::string code) {
  bool inside = false;
  for (std::size_t at = 0; at < code.size();) {
    const std::size_t end = std::min(code.find('\n', at), code.size());
    const std::string_view line = trim(std::string_view(code).substr(at, end - at));
    const bool blank = inside || line.starts_with('#');
    inside = blank && line.ends_with('\\');
    if (blank)
      std::fill(code.begin() + static_cast<long>(at), code.begin() + static_cast<long>(end), ' ');
    at = end + 1;
  }
  return code;
}

/// The text before the first '(' outside template brackets, and whether there is such a '('.
struct Head {
  std::string before; ///< template brackets left out
  bool has_parenthesis = false;
  std::string arguments; ///< up to the matching ')'
};

Head read_head(std::string_view text) {
  Head head;
  int angle = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '<') ++angle;
    if (angle == 0 && c == '(') {
      head.has_parenthesis = true;
      head.arguments = text.substr(at, text.find(')', at) + 1 - at);
      break;
    }
    if (angle == 0) head.before += c;
    if (c == '>' && angle > 0) --angle;
  }
  return head;
}

enum class BlockKind {
  outer,    ///< namespace or type: functions may stand in it
  function, ///< the body of a function
  inner,    ///< any other pair of braces
};

BlockKind classify(const Head& head) {
  const auto has = [&](std::string_view word) {
    return find_word(head.before, word) != std::string::npos;
  };
  if (has("enum")) return BlockKind::inner;
  for (const std::string_view word : {"namespace", "class", "struct", "union", "extern"}) {
    if (has(word)) return BlockKind::outer;
  }
  return head.has_parenthesis ? BlockKind::function : BlockKind::inner;
}

std::string name_of(const Head& head) {
  const std::string_view before = trim(head.before);
  std::size_t start = before.size();
  while (start > 0 &&
         (is_word(before[start - 1]) || before[start - 1] == ':' || before[start - 1] == '~')) {
    --start;
  }
  std::string name(before.substr(start));
  const bool macro = name.size() > 2 && std::ranges::none_of(name, [](char c) {
                       return std::islower(static_cast<unsigned char>(c)) != 0;
                     });
  return macro ? name + head.arguments : name;
}

struct Block {
  BlockKind kind = BlockKind::inner;
  Function function;
};

/// Follows braces; remembers where the declaration before the next brace started.
class FunctionFinder {
public:
  explicit FunctionFinder(const std::string& code) : code_(code) {}

  std::vector<Function> run() {
    for (at_ = 0; at_ < code_.size(); ++at_) {
      switch (code_[at_]) {
        case '\n': ++line_; break;
        case '(': ++parentheses_; break;
        case ')': --parentheses_; break;
        case ';':
          if (parentheses_ == 0) head_ = at_ + 1;
          break;
        case ':':
          if (is_access_label()) head_ = at_ + 1;
          break;
        case '{': open(); break;
        case '}': close(); break;
        default: break;
      }
    }
    return std::move(found_);
  }

private:
  [[nodiscard]] std::string_view head() const {
    return trim(std::string_view(code_).substr(head_, at_ - head_));
  }

  [[nodiscard]] bool is_access_label() const {
    const std::string_view text = head();
    return text == "public" || text == "private" || text == "protected";
  }

  void open() {
    Block block;
    const bool outside = blocks_.empty() || blocks_.back().kind == BlockKind::outer;
    if (outside && parentheses_ == 0) {
      const Head parts = read_head(head());
      block.kind = classify(parts);
      if (block.kind == BlockKind::function) {
        block.function.name = name_of(parts);
        const std::string_view text = head();
        const auto start = static_cast<std::size_t>(text.data() - code_.data());
        block.function.first_line = line_of(code_, start);
      }
    }
    if (block.kind == BlockKind::outer) head_ = at_ + 1;
    blocks_.push_back(std::move(block));
  }

  void close() {
    if (blocks_.empty()) return;
    Block block = std::move(blocks_.back());
    blocks_.pop_back();
    const bool outside = blocks_.empty() || blocks_.back().kind == BlockKind::outer;
    if (!outside || parentheses_ != 0) return;
    const std::size_t next = code_.find_first_not_of(" \t\n", at_ + 1);
    const char following = next == std::string::npos ? ';' : code_[next];
    // `Type(int a) : a_{a}, b_{} {`: an initialiser; the declaration goes on to the body.
    if (following == ',' || following == '{') return;
    head_ = at_ + 1;
    if (block.kind != BlockKind::function) return;
    block.function.last_line = line_;
    found_.push_back(std::move(block.function));
  }

  const std::string& code_;
  std::size_t at_ = 0;
  std::size_t head_ = 0;
  std::size_t line_ = 1;
  int parentheses_ = 0;
  std::vector<Block> blocks_;
  std::vector<Function> found_;
};

} // namespace

bool is_test_file(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.ends_with("_test.cpp") || name.ends_with("_for_tests.h") ||
         (name.starts_with("test_") && name.ends_with(".h"));
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_space(text.back()))
    text.remove_suffix(1);
  return text;
}

std::size_t line_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  return 1 + static_cast<std::size_t>(std::ranges::count(before, '\n'));
}

std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) {
  for (std::size_t at = text.find(word, from); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool left = at == 0 || !is_word(text[at - 1]) || !is_word(word.front());
    const bool right = end == text.size() || !is_word(text[end]) || !is_word(word.back());
    if (left && right) return at;
  }
  return std::string_view::npos;
}

Scan scan(std::string_view text) { return Scanner(text).run(); }

std::vector<Include> includes(std::string_view text, const Scan& scanned) {
  std::vector<Include> found;
  const std::vector<std::string_view> lines = split_lines(text);
  const std::vector<std::string_view> code = split_lines(scanned.code);
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (!trim(code[at]).starts_with("#include")) continue;
    const std::size_t open = lines[at].find_first_of("<\"");
    if (open == std::string_view::npos) continue;
    const bool quoted = lines[at][open] == '"';
    const std::size_t close = lines[at].find(quoted ? '"' : '>', open + 1);
    if (close == std::string_view::npos) continue;
    found.push_back({at + 1, std::string(lines[at].substr(open + 1, close - open - 1)), quoted});
  }
  return found;
}

std::vector<Function> functions(const Scan& scanned) {
  const std::string code = without_preprocessor(scanned.code);
  return FunctionFinder(code).run();
}

} // namespace perdure::tidy
