// Reads the files of a deployment: processes and decision models, each by its own reader, and what
// must hold between them.
#pragma once

#include <expected>
#include <span>
#include <vector>

#include "engine/compile.h"

namespace perdure::app {

/// A file is a decision model when its name ends in `.dmn` or its content is DMN, else of
/// processes. Pure; safe on any bytes.
[[nodiscard]] std::expected<engine::Compiled, std::vector<definition::Diagnostic>> compile(
    std::span<const engine::Resource> files);

} // namespace perdure::app
