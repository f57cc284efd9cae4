#include "cli/text_table.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/utf8.h"

namespace perdure::cli {

namespace {

void append_cell(std::string& line, const std::string& cell, std::size_t width, Align align) {
  const std::string padding(width - utf8::length(cell), ' ');
  if (align == Align::right) line += padding;
  line += cell;
  if (align == Align::left) line += padding;
}

} // namespace

TextTable::TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

void TextTable::add(std::vector<std::string> cells) {
  PERDURE_CHECK(cells.size() == columns_.size());
  for (auto& cell : cells)
    cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths;
  std::vector<std::string> titles;
  for (const auto& column : columns_) {
    titles.push_back(column.title);
    widths.push_back(utf8::length(column.title));
  }
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], utf8::length(row[i]));
    }
  }
  std::string result;
  const auto append_row = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) line += "  ";
      append_cell(line, cells[i], widths[i], columns_[i].align);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + "\n";
  };
  append_row(titles);
  for (const auto& row : rows_)
    append_row(row);
  return result;
}

std::string printable(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) c = ' ';
  }
  // The controls U+0080 to U+009F: the second byte of C2 80 .. C2 9F becomes that of a no-break
  // space.
  for (std::size_t i = 0; i + 1 < result.size(); ++i) {
    const auto next = static_cast<unsigned char>(result[i + 1]);
    if (result[i] == '\xC2' && next < 0xA0) result[i + 1] = '\xA0';
  }
  return result;
}

std::string shortened(std::string_view text, std::size_t width) {
  if (utf8::length(text) <= width) return std::string(text);
  if (width <= 3) return std::string(width, '.');
  return std::string(text.substr(0, utf8::offset_of(text, width - 3))) + "...";
}

} // namespace perdure::cli
