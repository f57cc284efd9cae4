// The places where a house rule does not hold, one line each in tools/tidy_exceptions.txt. A limit
// is the present size, so the list can only shrink: a line that is no longer needed is itself a
// finding.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "finding.h"

namespace perdure::tidy {

class Exceptions {
public:
  /// Reads the file's text: `RULE PATH` or `RULE PATH [FUNCTION] LIMIT`, `#` starts a comment.
  Exceptions(std::string_view text, Findings& findings);

  /// True when the file need not obey the rule.
  [[nodiscard]] bool allows(std::string_view rule, std::string_view path);

  /// Reports a size over the limit, or over the file's own exception, or under that exception.
  void judge_size(const Finding& place, std::string_view what, std::string_view function,
                  std::size_t size, std::size_t limit, Findings& findings);

  /// Reports the lines that excused nothing. Call once, after every file.
  void report_unused(Findings& findings) const;

private:
  struct Entry {
    std::size_t line = 0;
    std::string rule;
    std::string path;
    std::string function;
    std::size_t limit = 0;
    bool used = false;
  };

  Entry* find(std::string_view rule, std::string_view path, std::string_view function);

  std::vector<Entry> entries_;
};

} // namespace perdure::tidy
