// Compile: how the engine has files read, since it knows no XML.
#pragma once

#include <cstddef>
#include <expected>
#include <functional>
#include <span>
#include <vector>

#include "definition/definition.h"
#include "definition/diagnostic.h"
#include "dmn/model.h"
#include "engine/commands.h"

namespace perdure::engine {

/// What one file holds: processes, or a decision model.
struct CompiledResource {
  std::vector<definition::DefinitionPtr> processes;
  dmn::ModelPtr model;              ///< nullptr: processes
  std::vector<std::size_t> imports; ///< of the model: positions of the files that it imports
};

struct Compiled {
  std::vector<CompiledResource> resources; ///< one for each file, in order
  std::vector<definition::Diagnostic> warnings;
};

/// All of the files or none: diagnostics name the file that they are about. Thread-safe.
using Compile = std::function<std::expected<Compiled, std::vector<definition::Diagnostic>>(
    std::span<const Resource> files)>;

} // namespace perdure::engine
