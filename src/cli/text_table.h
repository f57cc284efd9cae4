// TextTable: columns for people. Plain text, two spaces between columns, no lines drawn.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace perdure::cli {

enum class Align { left, right };

class TextTable {
public:
  struct Column {
    std::string title;
    Align align = Align::left;
  };

  explicit TextTable(std::vector<Column> columns);

  /// One cell a column. Control characters become spaces, so that data cannot move the cursor.
  void add(std::vector<std::string> cells);
  [[nodiscard]] bool empty() const { return rows_.empty(); }

  /// Title line and rows, each ended by a new line and without spaces at its end.
  [[nodiscard]] std::string text() const;

private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Text that a terminal may be shown: control characters become spaces.
[[nodiscard]] std::string printable(std::string_view text);

/// Cut to `width` code points, with "..." at the end when something was cut.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t width);

} // namespace perdure::cli
