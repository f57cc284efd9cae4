// Built-in functions of FEEL: one visible table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "expr/datum.h"
#include "expr/work.h"

namespace perdure::expr {

/// One call: its arguments, already evaluated, and where it stands.
struct Call {
  Work& work;
  std::span<const Datum> arguments;
  std::uint32_t offset;
  std::string_view name;

  /// Null, with a warning that begins with the name of the function.
  [[nodiscard]] Datum null_because(std::string_view reason) const;
};

struct Function {
  std::string_view name;
  std::size_t min_arguments;
  std::size_t max_arguments;
  Datum (*run)(const Call& call);
};

inline constexpr std::size_t kAnyNumber = static_cast<std::size_t>(-1);

[[nodiscard]] std::span<const Function> functions();

/// Position in functions(); nullopt for an unknown name.
[[nodiscard]] std::optional<std::uint32_t> find_function(std::string_view name);

} // namespace perdure::expr
