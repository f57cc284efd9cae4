// Output: where a command writes. Answers go to `out`, everything else to `error`.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "perdure/value.h"

namespace perdure::cli {

class Output {
public:
  /// The files are not owned. `json`: answers for programs.
  Output(std::FILE* out, std::FILE* error, bool json);

  [[nodiscard]] bool json() const { return json_; }
  /// Whether `out` is a terminal that understands cursor movements.
  [[nodiscard]] bool is_terminal() const { return is_terminal_; }
  /// Columns of the terminal; 80 when unknown.
  [[nodiscard]] std::size_t width() const;

  /// Writes at once, also when `out` is a pipe.
  void print(std::string_view text);
  /// The answer of a command for programs: indented JSON and a new line.
  void print_json(const Value& value);
  /// "perdure: ..." and a new line.
  void complain(std::string_view message);

private:
  std::FILE* out_;
  std::FILE* error_;
  bool json_;
  bool is_terminal_;
};

/// A block of lines at the bottom of a terminal that is drawn again and again. On anything but a
/// terminal it draws nothing.
class LiveBlock {
public:
  explicit LiveBlock(Output& output) : output_(output) {}
  LiveBlock(const LiveBlock&) = delete;
  LiveBlock& operator=(const LiveBlock&) = delete;
  /// Removes what is still drawn.
  ~LiveBlock() { clear(); }

  /// Replaces the block. Lines that are wider than the terminal are cut: a wrapped line could not
  /// be replaced.
  void draw(std::string_view lines);
  void clear();
  /// Leaves what is drawn where it is; the next block begins below it.
  void keep() { drawn_lines_ = 0; }

private:
  Output& output_;
  std::size_t drawn_lines_ = 0;
};

} // namespace perdure::cli
