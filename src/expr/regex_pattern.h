// From the regular expressions of XPath (XML Schema, with anchors, groups and back-references) to
// those of the matcher: every character is spelled so that it means only what XPath gives it.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace perdure::expr {

/// The pattern for the matcher, or one sentence that says what is wrong. `flags` as for Regex.
[[nodiscard]] std::expected<std::string, std::string> translate_pattern(std::string_view pattern,
                                                                        std::string_view flags);

} // namespace perdure::expr
