// Regular expressions as XPath has them, on a bounded matcher. A pattern that looks for trouble
// gets an error, never a long wait.
#pragma once

#include <cstddef>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::expr {

class Regex {
public:
  template <class T>
  using Outcome = std::expected<T, std::string>; ///< the reason: one sentence

  /// Pays for work; false when the budget is used up.
  using Spend = std::function<bool(std::size_t steps)>;

  /// Flags: any of i (case does not matter), s (a dot matches line ends), m (^ and $ match at line
  /// ends), x (blanks in the pattern mean nothing), q (the pattern is plain text).
  [[nodiscard]] static Outcome<Regex> compile(std::string_view pattern, std::string_view flags,
                                              const Spend& spend);

  [[nodiscard]] Outcome<bool> is_found_in(std::string_view text, const Spend& spend) const;
  /// `$1` stands for a group, `\$` and `\\` for the characters.
  [[nodiscard]] Outcome<std::string> replace(std::string_view text, std::string_view replacement,
                                             const Spend& spend) const;
  /// What stands between the matches.
  [[nodiscard]] Outcome<std::vector<std::string_view>> split(std::string_view text,
                                                             const Spend& spend) const;
  /// The matches.
  [[nodiscard]] Outcome<std::vector<std::string_view>> all_in(std::string_view text,
                                                              const Spend& spend) const;

private:
  struct Program; // the library's own type, known to regex.cpp

  /// Groups of one match; those that took no part are empty. The first is the whole match.
  using Groups = std::vector<std::string_view>;

  explicit Regex(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

  /// Calls `visit` for every match from left to right. An error when the pattern matches the empty
  /// text, as XPath has it, and when it takes too long.
  [[nodiscard]] Outcome<bool> for_each(std::string_view text, const Spend& spend,
                                       const std::function<void(const Groups&)>& visit) const;

  std::shared_ptr<const Program> program_;
};

} // namespace perdure::expr
