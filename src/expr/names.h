// Names with spaces and special characters: read piece by piece and compared in a normal form in
// which blanks count once, and not at all around + - * / . '
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace perdure::expr {

/// The normal form of a name.
[[nodiscard]] std::string normalised(std::string_view name);

/// Extends a possible name by one word or mark at a time.
class NameWalk {
public:
  NameWalk(std::string_view text, std::size_t offset) : text_(text), end_(offset) {}

  /// Takes the next piece; false when what follows cannot be part of a name.
  bool next();
  /// What was taken so far.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// The last piece taken.
  [[nodiscard]] std::string_view piece() const { return piece_; }
  /// The byte after it.
  [[nodiscard]] std::size_t end() const { return end_; }

private:
  std::string_view text_;
  std::size_t end_;
  std::string name_;
  std::string_view piece_;
  bool after_word_ = false;
};

} // namespace perdure::expr
