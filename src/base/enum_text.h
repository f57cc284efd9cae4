// Closed sets as text: one constexpr array per enum, spelled as in the CHECK constraint and the
// JSON. An enum E takes part by declaring `constexpr auto enum_names(E) ->
// std::array<std::string_view, N>` in its namespace, in the order of its enumerators starting at 0.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

namespace perdure {

template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E e) { enum_names(e).size(); };

template <NamedEnum E>
[[nodiscard]] constexpr std::string_view name_of(E value) {
  return enum_names(value)[static_cast<std::size_t>(value)];
}

template <NamedEnum E>
[[nodiscard]] constexpr std::optional<E> enum_from(std::string_view text) {
  const auto names = enum_names(E{});
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == text) return static_cast<E>(i);
  }
  return std::nullopt;
}

} // namespace perdure
