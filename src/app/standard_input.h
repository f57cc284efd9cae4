// Standard input, line by line.
#pragma once

#include <optional>
#include <string>

namespace perdure::app {

/// The next line without its end; nullopt at the end of the input. A line longer than 16 MiB ends
/// there, so that endless input cannot fill the memory.
[[nodiscard]] std::optional<std::string> read_input_line();

} // namespace perdure::app
