// What an evaluation may spend, and what it noticed on the way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace perdure::expr {

class Work {
public:
  static constexpr std::size_t kMaxSteps = 1'000'000;
  static constexpr std::size_t kBytesPerStep = 64;
  static constexpr std::size_t kMaxWarnings = 20;

  struct Note {
    std::string reason;
    std::uint32_t offset = 0; ///< byte in the text
  };

  /// Takes steps from the budget; false, and failed, when it is used up.
  bool spend(std::size_t steps, std::uint32_t offset) {
    if (steps > steps_left_) {
      fail("The expression takes too long; make it simpler or its data smaller.", offset);
    } else {
      steps_left_ -= steps;
    }
    return !failed();
  }
  /// As spend(), for text of so many bytes.
  bool spend_bytes(std::size_t bytes, std::uint32_t offset) {
    return spend(1 + bytes / kBytesPerStep, offset);
  }

  /// Remembers why a null came about; only the first few.
  void warn(std::string reason, std::uint32_t offset) {
    if (warnings_.size() < kMaxWarnings) warnings_.push_back({std::move(reason), offset});
  }

  /// Ends the evaluation; the first reason counts.
  void fail(std::string reason, std::uint32_t offset) {
    if (!failure_) failure_ = Note{std::move(reason), offset};
  }
  [[nodiscard]] bool failed() const { return failure_.has_value(); }
  [[nodiscard]] const Note& failure() const { return *failure_; }
  [[nodiscard]] const std::vector<Note>& warnings() const { return warnings_; }

private:
  std::size_t steps_left_ = kMaxSteps;
  std::vector<Note> warnings_;
  std::optional<Note> failure_;
};

} // namespace perdure::expr
