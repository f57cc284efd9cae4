// Request targets and their encoding (RFC 3986, RFC 9112 section 3.2). Pure functions over bytes
// that a stranger sent.
#pragma once

#include <string>
#include <string_view>

#include "net/http.h"
#include "perdure/result.h"

namespace perdure::net {

/// A request target taken apart.
struct Target {
  std::string origin_form; ///< "/path?query" still encoded, or "*"
  std::string path;        ///< decoded
  Fields query;            ///< decoded, in order
};

/// Takes origin form, absolute form (scheme and authority are dropped) and "*". Refuses other
/// forms, broken percent escapes, NUL and bytes that are not UTF-8 once decoded: invalid_input.
[[nodiscard]] Result<Target> parse_target(std::string_view target);

/// Decodes %XX. Refuses broken escapes, NUL and invalid UTF-8: invalid_input.
[[nodiscard]] Result<std::string> percent_decode(std::string_view text);

/// "a=1&b=2" in order; a plus sign is a space; a name without "=" has an empty value.
[[nodiscard]] Result<Fields> parse_query(std::string_view text);

/// Encodes everything but unreserved characters: fit for one path segment or one query value.
[[nodiscard]] std::string percent_encode(std::string_view text);

} // namespace perdure::net
