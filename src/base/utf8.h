// UTF-8: validity and counting by code point. Text in Values is always valid UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace perdure::utf8 {

/// Whether every byte belongs to a well-formed sequence (RFC 3629: no surrogates, no overlong
/// forms).
[[nodiscard]] bool is_valid(std::string_view text);

/// Code points in valid text.
[[nodiscard]] std::size_t length(std::string_view text);

/// Byte offset of the code point with that 0-based index; the size of the text when it is past the
/// end.
[[nodiscard]] std::size_t offset_of(std::string_view text, std::size_t index);

/// Appends one code point; the caller knows that it is a scalar value.
void append(std::string& out, std::uint32_t code_point);

/// Reads the code point at the start of valid, non-empty text and removes it.
[[nodiscard]] std::uint32_t take(std::string_view& text);

} // namespace perdure::utf8
