// What a file says about itself before anything in it is compiled: whether it is a decision model,
// and which others it imports.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dmn/read.h"

namespace perdure::dmn {

struct Header {
  std::string model_namespace;
  std::vector<std::string> imports; ///< namespaces
};

/// nullopt when the document is no DMN of any version.
[[nodiscard]] std::optional<Header> read_header(std::string_view document);

/// Positions of the headers that `model` imports, at once or through others, in their order; of two
/// with the same namespace the first. Itself is not among them.
[[nodiscard]] std::vector<std::size_t> imports_of(std::span<const std::optional<Header>> headers,
                                                  std::size_t model);

} // namespace perdure::dmn
