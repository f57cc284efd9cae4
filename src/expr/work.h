// What an evaluation may spend, what time it is for it, and what it noticed on the way. One Work
// serves everything that one request evaluates: an expression, or a whole decision.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"

namespace perdure::expr {

enum class WarningKind : std::uint8_t {
  null_operand,     ///< an operator met a null
  unknown_name,     ///< no such variable, entry or property
  type_mismatch,    ///< a value of another type was needed
  out_of_range,     ///< a number, an index or a date beyond what is possible
  invalid_argument, ///< a function cannot take that value
  rule_violated,    ///< a decision model does not allow what came about
};

constexpr auto enum_names(WarningKind) {
  return std::to_array<std::string_view>({"null_operand", "unknown_name", "type_mismatch",
                                          "out_of_range", "invalid_argument", "rule_violated"});
}

/// Why a null came about.
struct Warning {
  std::string reason;
  int column = 1; ///< 1-based character in the text of the expression
  WarningKind kind = WarningKind::type_mismatch;
  friend bool operator==(const Warning&, const Warning&) = default;
};

struct Limits {
  std::size_t steps = 1'000'000; ///< nodes visited, items made, 64 bytes of text: one step each
  int depth = 1'000;             ///< expressions inside each other, through calls too
};

class Work {
public:
  static constexpr std::size_t kBytesPerStep = 64;
  static constexpr std::size_t kMaxWarnings = 20;

  Work() = default;
  /// `now` is what now() and today() say; without it they have no value.
  explicit Work(Limits limits, std::optional<Instant> now = std::nullopt)
      : steps_left_(limits.steps), depth_left_(limits.depth), now_(now) {}
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  /// Takes steps from the budget; false, and failed, when it is used up.
  bool spend(std::size_t steps, std::uint32_t offset) {
    if (steps > steps_left_) {
      fail("The expression takes too long; make it simpler or its data smaller.", offset);
    } else {
      steps_left_ -= steps;
    }
    return !failed();
  }
  [[nodiscard]] std::size_t steps_left() const { return steps_left_; }
  /// As spend(), for text of so many bytes.
  bool spend_bytes(std::size_t bytes, std::uint32_t offset) {
    return spend(1 + bytes / kBytesPerStep, offset);
  }

  /// One level deeper; false, and failed, when that is too deep. leave() in either case.
  bool enter(std::uint32_t offset) {
    if (--depth_left_ < 0)
      fail("The calls are nested too deep; does a function call itself?", offset);
    return !failed();
  }
  void leave() { ++depth_left_; }

  /// Remembers why a null came about; only the first few. `offset` is a byte of text().
  void warn(WarningKind kind, std::string reason, std::uint32_t offset);

  /// Ends the evaluation; the first reason counts.
  void fail(std::string reason, std::uint32_t offset);
  [[nodiscard]] bool failed() const { return failure_.has_value(); }
  /// Only when failed.
  [[nodiscard]] const Warning& failure() const { return *failure_; }
  [[nodiscard]] const std::vector<Warning>& warnings() const { return warnings_; }
  [[nodiscard]] std::optional<Instant> now() const { return now_; }

  /// The text that offsets speak of: of the expression being evaluated. Returns the one before.
  std::string_view set_text(std::string_view text) { return std::exchange(text_, text); }

private:
  std::size_t steps_left_ = Limits{}.steps;
  int depth_left_ = Limits{}.depth;
  std::optional<Instant> now_;
  std::string_view text_;
  std::vector<Warning> warnings_;
  std::optional<Warning> failure_;
};

} // namespace perdure::expr
