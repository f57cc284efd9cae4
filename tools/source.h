// What tidy sees of a C++ file: code apart from comments and string literals, includes, functions.
// A scanner, not a parser: it knows quotes, comments, braces and parentheses, and that is enough.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::tidy {

/// One file of the tree. The path is relative to the repository's root and written with '/'.
struct SourceFile {
  std::string path;
  std::string text;
};

/// The text between the quotes of a string literal; escapes are left as written.
struct Literal {
  std::size_t line = 0; ///< where it starts, from 1
  std::string text;
};

struct Scan {
  std::string code; ///< comments and literal texts are spaces; same length and line ends
  std::vector<Literal> literals;
};

struct Include {
  std::size_t line = 0;
  std::string path;
  bool quoted = false; ///< "x.h" rather than <x.h>
};

/// A function body that is no part of another function; lambdas and local types belong to theirs.
struct Function {
  std::string name; ///< as declared, `Type::member`; for a test `TEST(Suite, Name)`
  std::size_t first_line = 0;
  std::size_t last_line = 0;
};

/// x_test.cpp, or a header for tests: test_x.h, x_for_tests.h.
[[nodiscard]] bool is_test_file(std::string_view path);
/// Lines without their line ends. The views live as long as the text.
[[nodiscard]] std::vector<std::string_view> split_lines(std::string_view text);
[[nodiscard]] std::string_view trim(std::string_view text);
/// The line number, from 1, of an offset into the text.
[[nodiscard]] std::size_t line_of(std::string_view text, std::size_t offset);
/// Where `word` stands with no letter, digit or '_' beside it, searched from `from`; npos if
/// nowhere.
[[nodiscard]] std::size_t find_word(std::string_view text, std::string_view word,
                                    std::size_t from = 0);

[[nodiscard]] Scan scan(std::string_view text);
[[nodiscard]] std::vector<Include> includes(std::string_view text, const Scan& scanned);
[[nodiscard]] std::vector<Function> functions(const Scan& scanned);

} // namespace perdure::tidy
