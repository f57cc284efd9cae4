// Base64 (RFC 4648, section 4, with padding): bytes as text in JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perdure {

[[nodiscard]] std::string base64_text(std::span<const std::byte> bytes);
/// nullopt when the text is not exactly what base64_text could have made.
[[nodiscard]] std::optional<std::vector<std::byte>> parse_base64(std::string_view text);

} // namespace perdure
