#include "app/standard_input.h"

#include <cstdio>

namespace perdure::app {

std::optional<std::string> read_input_line() {
  constexpr std::size_t kMaxBytes = 16 * 1024 * 1024;
  std::string line;
  for (int letter = std::getc(stdin); letter != EOF; letter = std::getc(stdin)) {
    if (letter == '\n') return line;
    line.push_back(static_cast<char>(letter));
    if (line.size() == kMaxBytes) return line;
  }
  if (line.empty()) return std::nullopt;
  return line;
}

} // namespace perdure::app
