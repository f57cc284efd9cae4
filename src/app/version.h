// The version of this program.
#pragma once

#include <string_view>

namespace perdure::app {

/// "0.1.0", as CMake's project() says.
[[nodiscard]] std::string_view version();

} // namespace perdure::app
