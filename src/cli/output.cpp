#include "cli/output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "base/json.h"
#include "cli/text_table.h"

namespace perdure::cli {

namespace {

constexpr std::size_t kDefaultWidth = 80;

bool moves_cursor(std::FILE* file) {
  if (::isatty(::fileno(file)) == 0) return false;
  const char* kind = std::getenv("TERM");
  return kind != nullptr && *kind != '\0' && std::strcmp(kind, "dumb") != 0;
}

} // namespace

Output::Output(std::FILE* out, std::FILE* error, bool json)
    : out_(out), error_(error), json_(json), is_terminal_(moves_cursor(out)) {}

std::size_t Output::width() const {
  winsize size{};
  if (::ioctl(::fileno(out_), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kDefaultWidth;
  return size.ws_col;
}

void Output::print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), out_);
  std::fflush(out_);
}

void Output::print_json(const Value& value) { print(json::write_pretty(value) + "\n"); }

void Output::complain(std::string_view message) {
  std::fflush(out_);
  const std::string line = "perdure: " + std::string(message) + "\n";
  std::fwrite(line.data(), 1, line.size(), error_);
  std::fflush(error_);
}

void LiveBlock::draw(std::string_view lines) {
  if (!output_.is_terminal()) return;
  const std::size_t width = output_.width();
  clear();
  std::string text;
  while (!lines.empty()) {
    const auto end = std::min(lines.find('\n'), lines.size());
    text += shortened(lines.substr(0, end), width - 1) + "\n";
    lines.remove_prefix(std::min(end + 1, lines.size()));
    ++drawn_lines_;
  }
  output_.print(text);
}

void LiveBlock::clear() {
  if (drawn_lines_ == 0) return;
  output_.print("\x1b[" + std::to_string(drawn_lines_) + "A\x1b[J"); // up, then erase to the end
  drawn_lines_ = 0;
}

} // namespace perdure::cli
