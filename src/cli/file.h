// Files as whole texts.
#pragma once

#include <string>

#include "perdure/result.h"

namespace perdure::cli {

/// The bytes of a file, "-" for standard input. Errors: not_found, invalid_input when it is no file
/// or has more than 64 MiB, unavailable when it cannot be read.
[[nodiscard]] Result<std::string> read_file(const std::string& path);

/// The part after the last slash.
[[nodiscard]] std::string file_name(const std::string& path);

/// The text as one word of a shell's command line: in quotes when it needs them.
[[nodiscard]] std::string shell_quoted(const std::string& text);

} // namespace perdure::cli
