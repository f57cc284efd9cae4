// Rules for text, Markdown and SQL.
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string>

#include "rules.h"

namespace perdure::tidy {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxColumns = 100;

/// Written in two halves, so that this file keeps its own rules.
constexpr std::array<std::string_view, 3> kUnfinished = {
    "TO"
    "DO",
    "FIX"
    "ME",
    "XX"
    "X"};
constexpr std::array<std::string_view, 3> kMachinePaths = {
    "/wo"
    "rk/",
    "/ro"
    "ot/",
    "/ho"
    "me/"};
constexpr std::array<std::string_view, 8> kRegistries = {
    "registry.npm"
    "js.org",
    "registry.yarn"
    "pkg.com",
    "deb.deb"
    "ian.org",
    "security.deb"
    "ian.org",
    "files.python"
    "hosted.org",
    "py"
    "pi.org/simple",
    "static.crates"
    ".io",
    "proxy.go"
    "lang.org"};

bool is_house_text(std::string_view path) {
  for (const std::string_view end : {".h", ".cpp", ".sql", ".cmake", "CMakeLists.txt", ".md"}) {
    if (path.ends_with(end)) return true;
  }
  return path.starts_with("scripts/") || path == ".ci/run" || path == "Makefile" ||
         path == "src/rooms.txt";
}

/// True when the character before `at` cannot be part of the same path or word.
bool starts_fresh(std::string_view line, std::size_t at) {
  if (at == 0) return true;
  const char before = line[at - 1];
  return std::isalnum(static_cast<unsigned char>(before)) == 0 && before != '_' && before != '.' &&
         before != '-' && before != '}';
}

void check_white_space(const SourceFile& file, Findings& findings) {
  std::size_t number = 0;
  for (const std::string_view line : split_lines(file.text)) {
    ++number;
    const auto report = [&](const char* message) {
      findings.push_back({file.path, number, "white-space", message});
    };
    if (line.ends_with('\r')) report("line ends in a carriage return; use plain line feeds");
    if (line.ends_with(' ') || line.ends_with('\t'))
      report("space at the end of the line; remove it");
    if (line.contains('\t') && file.path != "Makefile") report("a tab; use spaces");
  }
  if (!file.text.empty() && !file.text.ends_with('\n')) {
    findings.push_back(
        {file.path, number, "white-space", "the file does not end with a line feed"});
  }
  if (file.text.ends_with("\n\n")) {
    findings.push_back({file.path, number, "white-space", "empty lines at the end of the file"});
  }
}

void check_unfinished(const SourceFile& file, Findings& findings) {
  std::size_t number = 0;
  for (const std::string_view line : split_lines(file.text)) {
    ++number;
    for (const std::string_view mark : kUnfinished) {
      if (find_word(line, mark) == std::string_view::npos) continue;
      findings.push_back(
          {file.path, number, "unfinished",
           "a mark of unfinished work; do it, or write an issue and remove the mark"});
    }
  }
}

/// Without the comments of SQL, at the same offsets.
std::string sql_code(std::string_view text) {
  std::string code(text);
  bool quoted = false;
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (code[at] == '\'') quoted = !quoted;
    if (quoted || code.compare(at, 2, "--") != 0) continue;
    for (; at < code.size() && code[at] != '\n'; ++at)
      code[at] = ' ';
  }
  return code;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

/// The offset just past the ')' that closes the '(' at `open`.
std::size_t past_parenthesis(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at + 1;
  }
  return text.size();
}

/// The offset of the '(' that follows the word at `at`, or npos when another character does.
std::size_t parenthesis_after(std::string_view text, std::size_t at) {
  const std::size_t next = text.find_first_not_of(" \n", at);
  return next != std::string_view::npos && text[next] == '(' ? next : std::string_view::npos;
}

void check_in_lists(const SourceFile& file, Findings& findings) {
  const std::string sql = upper(sql_code(file.text));
  for (std::size_t at = find_word(sql, "CHECK"); at != std::string::npos;
       at = find_word(sql, "CHECK", at + 1)) {
    const std::size_t open = parenthesis_after(sql, at + 5);
    if (open == std::string::npos) continue;
    const std::string_view check =
        std::string_view(sql).substr(open, past_parenthesis(sql, open) - open);
    for (std::size_t in = find_word(check, "IN"); in != std::string_view::npos;
         in = find_word(check, "IN", in + 1)) {
      const std::size_t list = parenthesis_after(check, in + 2);
      if (list == std::string_view::npos) continue;
      const std::string_view items = check.substr(list, past_parenthesis(check, list) - list);
      if (std::ranges::count(items, ',') < 2) continue;
      findings.push_back(
          {file.path, line_of(sql, open + in), "check-in",
           "CHECK (... IN (...)) with more than two items makes an insert 2.7 times as "
           "slow on SQLite; write a chain of OR"});
    }
  }
}

void check_link(const SourceFile& file, std::size_t line, std::string target,
                const std::set<std::string>& paths, Findings& findings) {
  target = target.substr(0, target.find_first_of("# "));
  if (target.empty() || target.contains("://") || target.starts_with("mailto:")) return;
  const fs::path folder = fs::path(file.path).parent_path();
  std::string path = (folder / target).lexically_normal().generic_string();
  if (path.ends_with('/')) path.pop_back();
  if (path == "." || paths.contains(path)) return;
  const auto inside = paths.lower_bound(path + "/");
  if (inside != paths.end() && inside->starts_with(path + "/")) return;
  findings.push_back(
      {file.path, line, "link", "the link to " + target + " leads nowhere; correct it"});
}

} // namespace

void check_text(const SourceFile& file, Exceptions& exceptions, Findings& findings) {
  if (is_house_text(file.path)) {
    check_white_space(file, findings);
    if (!file.path.ends_with(".md")) check_unfinished(file, findings);
  }
  Findings found;
  std::size_t number = 0;
  for (const std::string_view line : split_lines(file.text)) {
    ++number;
    for (const std::string_view path : kMachinePaths) {
      const std::size_t at = line.find(path);
      if (at == std::string_view::npos || !starts_fresh(line, at)) continue;
      found.push_back({file.path, number, "machine-path",
                       "a path of one machine; write it relative to the repository"});
    }
    for (const std::string_view host : kRegistries) {
      if (!line.contains(host)) continue;
      found.push_back(
          {file.path, number, "registry",
           "names the host of a package registry; leave that to the machine's settings"});
    }
  }
  for (Finding& finding : found) {
    if (!exceptions.allows(finding.rule, file.path)) findings.push_back(std::move(finding));
  }
}

void check_markdown(const SourceFile& file, const std::set<std::string>& paths,
                    Findings& findings) {
  bool in_code = false;
  std::size_t number = 0;
  for (const std::string_view line : split_lines(file.text)) {
    ++number;
    if (trim(line).starts_with("```")) in_code = !in_code;
    if (in_code) continue;
    for (std::size_t at = line.find("]("); at != std::string_view::npos;
         at = line.find("](", at + 2)) {
      const std::size_t close = line.find(')', at);
      if (close == std::string_view::npos) continue;
      check_link(file, number, std::string(line.substr(at + 2, close - at - 2)), paths, findings);
    }
  }
}

void check_sql(const SourceFile& file, Findings& findings) {
  if (!file.text.starts_with("--")) {
    findings.push_back(
        {file.path, 1, "head-comment", "the file starts with a comment that says what it is for"});
  }
  check_line_length(file, findings);
  check_in_lists(file, findings);
}

void check_line_length(const SourceFile& file, Findings& findings) {
  std::size_t number = 0;
  for (const std::string_view line : split_lines(file.text)) {
    ++number;
    const auto columns = std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; });
    if (static_cast<std::size_t>(columns) <= kMaxColumns) continue;
    findings.push_back({file.path, number, "line-length",
                        std::to_string(columns) + " columns, more than " +
                            std::to_string(kMaxColumns) + "; break the line"});
  }
}

} // namespace perdure::tidy
