// Digests: for idempotent requests, pinned definitions and migration checksums.
#pragma once

#include <string>
#include <string_view>

namespace perdure {

/// SHA-256 as 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

} // namespace perdure
