// Upper and lower case of the letters that European languages write.
#pragma once

#include <string>
#include <string_view>

namespace perdure::expr {

/// Of valid UTF-8.
[[nodiscard]] std::string in_upper_case(std::string_view text);
[[nodiscard]] std::string in_lower_case(std::string_view text);

} // namespace perdure::expr
