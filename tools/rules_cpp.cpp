// Rules for C++ files.
#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>

#include "rules.h"

namespace perdure::tidy {
namespace {

constexpr std::size_t kMaxFileLines = 800;
constexpr std::size_t kMaxFunctionLines = 70;

/// Words that a piece of the tree may not use, with the reason.
struct Ban {
  std::string_view rule;
  std::string_view word;
  std::string_view message;
};

constexpr std::array kBansAnywhere = {
    Ban{"using-std", "using namespace std;", "write std:: where it is used"},
    Ban{"sleep", "this_thread::sleep_for", "wait for the signal itself (condition, future, timer)"},
    Ban{"sleep", "this_thread::sleep_until",
        "wait for the signal itself (condition, future, timer)"},
    Ban{"sleep", "usleep", "wait for the signal itself (condition, future, timer)"},
    Ban{"sleep", "nanosleep", "wait for the signal itself (condition, future, timer)"},
};

constexpr std::array kBansInSource = {
    Ban{"clock", "system_clock::now", "ask the Clock that main hands in"},
    Ban{"clock", "gettimeofday", "ask the Clock that main hands in"},
    Ban{"clock", "time(nullptr)", "ask the Clock that main hands in"},
    Ban{"clock", "clock_gettime", "ask the Clock that main hands in"},
};

constexpr std::array kBansInPureRooms = {
    Ban{"clock", "steady_clock::now", "a pure room gets its time with the event"},
    Ban{"static", "thread_local", "a pure room keeps nothing between two calls"},
};

constexpr std::array kBansOfOutput = {
    Ban{"stdout", "std::cout", "only cli and app speak to the terminal; return the text or log"},
    Ban{"stdout", "printf", "only cli and app speak to the terminal; return the text or log"},
    Ban{"stdout", "puts", "only cli and app speak to the terminal; return the text or log"},
};

constexpr std::array kBansOfJson = {
    Ban{"json", "boost::json", "only base knows the JSON library; use base/json.h"},
};

/// One file with all that the rules want to know of it.
struct CppFile {
  const SourceFile& source;
  Scan scanned;
  std::vector<Include> included;
  std::string room; ///< first folder below src/, or empty
  bool is_test = false;
};

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  return std::ranges::any_of(starts,
                             [&](std::string_view start) { return text.starts_with(start); });
}

template <std::size_t size>
void check_bans(const CppFile& file, const std::array<Ban, size>& bans, Exceptions& exceptions,
                Findings& findings) {
  const std::string_view code = file.scanned.code;
  for (const Ban& ban : bans) {
    for (std::size_t at = find_word(code, ban.word); at != std::string_view::npos;
         at = find_word(code, ban.word, at + 1)) {
      if (exceptions.allows(ban.rule, file.source.path)) break;
      findings.push_back({file.source.path, line_of(code, at), std::string(ban.rule),
                          std::string(ban.word) + ": " + std::string(ban.message)});
    }
  }
}

/// `static` variables and `mutable` fields: a pure room has no memory of its own.
void check_memory(const CppFile& file, Findings& findings) {
  const std::string_view code = file.scanned.code;
  const auto report = [&](std::size_t at, const char* message) {
    findings.push_back({file.source.path, line_of(code, at), "static", message});
  };
  for (std::size_t at = find_word(code, "static"); at != std::string_view::npos;
       at = find_word(code, "static", at + 1)) {
    const std::string_view rest = code.substr(at + 6, code.find_first_of("(=;{", at) - at - 6);
    const std::size_t end = at + 6 + rest.size();
    const bool is_function = end < code.size() && code[end] == '(';
    const bool is_constant = find_word(rest, "constexpr") != std::string_view::npos ||
                             find_word(rest, "const") != std::string_view::npos;
    if (!is_function && !is_constant) {
      report(at, "a static variable in a pure room; keep the value in the state or pass it in");
    }
  }
  for (std::size_t at = find_word(code, "mutable"); at != std::string_view::npos;
       at = find_word(code, "mutable", at + 1)) {
    if (trim(code.substr(0, at)).ends_with(')')) continue; // a lambda that owns its captures
    report(at, "a mutable field in a pure room; make the function non-const or compute it afresh");
  }
}

bool looks_like_sql(std::string_view text) {
  const auto has = [&](std::string_view words) {
    return find_word(text, words) != std::string_view::npos;
  };
  const auto in_order = [&](std::string_view first, std::string_view second) {
    const std::size_t at = find_word(text, first);
    return at != std::string_view::npos && find_word(text, second, at) != std::string_view::npos;
  };
  return in_order("SELECT", "FROM") || has("INSERT INTO") || has("INSERT OR") ||
         in_order("UPDATE", "SET") || has("DELETE FROM") || has("CREATE TABLE") || has("PRAGMA") ||
         has("insert into") || has("delete from") || has("create table");
}

void check_sql_strings(const CppFile& file, Findings& findings) {
  for (const Literal& literal : file.scanned.literals) {
    if (!looks_like_sql(literal.text)) continue;
    findings.push_back({file.source.path, literal.line, "sql",
                        "SQL in a C++ string; name it in a .sql file below src/store/sql/queries"});
  }
}

/// The header that x.cpp implements or x_test.cpp tests, as a path of the tree: x.h beside it or in
/// include/perdure. Empty when there is none.
std::string own_header(const CppFile& file, const std::set<std::string>& paths) {
  const std::string& path = file.source.path;
  const std::string_view end = file.is_test ? "_test.cpp" : ".cpp";
  if (!path.ends_with(end)) return "";
  const std::string beside = path.substr(0, path.size() - end.size()) + ".h";
  const std::string front = "include/perdure/" + beside.substr(beside.rfind('/') + 1);
  if (paths.contains(beside)) return beside;
  return paths.contains(front) ? front : "";
}

/// A file says what it is for, unless it implements or tests a header that does.
void check_head(const CppFile& file, const std::string& own, Findings& findings) {
  const std::string& path = file.source.path;
  if (own.empty() && !file.source.text.starts_with("//")) {
    findings.push_back(
        {path, 1, "head-comment", "the file starts with a comment that says what it is for"});
  }
  if (path.ends_with(".h") && !file.scanned.code.contains("#pragma once")) {
    findings.push_back({path, 1, "pragma-once", "the header lacks #pragma once"});
  }
}

/// x.cpp includes its own x.h before anything else, which proves that the header stands alone.
void check_own_header(const CppFile& file, const std::string& own, Findings& findings) {
  if (own.empty() || file.is_test) return;
  if (!file.included.empty()) {
    const std::string& first = file.included.front().path;
    if (own == first || own.ends_with("/" + first)) return;
  }
  findings.push_back({file.source.path, file.included.empty() ? 1 : file.included.front().line,
                      "own-header", "the first include is the file's own header, " + own});
}

void check_sizes(const CppFile& file, Exceptions& exceptions, Findings& findings) {
  const std::string& path = file.source.path;
  exceptions.judge_size({path, 1, "file-length", ""}, "the file", "",
                        split_lines(file.source.text).size(), kMaxFileLines, findings);
  for (const Function& function : functions(file.scanned)) {
    exceptions.judge_size({path, function.first_line, "function-length", ""}, function.name,
                          function.name, function.last_line - function.first_line + 1,
                          kMaxFunctionLines, findings);
  }
}

} // namespace

void check_cpp(const SourceFile& source, const std::set<std::string>& paths, const Rooms& rooms,
               Exceptions& exceptions, Findings& findings) {
  CppFile file{source, scan(source.text), {}, "", is_test_file(source.path)};
  file.included = includes(source.text, file.scanned);
  const bool in_source = source.path.starts_with("src/");
  if (in_source) file.room = source.path.substr(4, source.path.find('/', 4) - 4);

  check_line_length(source, findings);
  const std::string own = own_header(file, paths);
  check_head(file, own, findings);
  check_own_header(file, own, findings);
  check_sizes(file, exceptions, findings);
  check_bans(file, kBansAnywhere, exceptions, findings);
  if (in_source || source.path.starts_with("include/")) {
    check_includes(rooms, source, file.included, findings);
    if (file.room != "base") check_bans(file, kBansOfJson, exceptions, findings);
    if (file.is_test) return;
    check_sql_strings(file, findings);
    check_bans(file, kBansInSource, exceptions, findings);
    if (!starts_with_any(file.room, {"cli", "app"})) {
      check_bans(file, kBansOfOutput, exceptions, findings);
    }
    if (rooms.pure.contains(file.room)) {
      check_memory(file, findings);
      check_bans(file, kBansInPureRooms, exceptions, findings);
    }
  }
}

} // namespace perdure::tidy
