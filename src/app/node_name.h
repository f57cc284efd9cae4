// Node names: what tells this process from the others on a database. Worker ids of its handlers
// begin with it.
#pragma once

#include <string>
#include <string_view>

namespace perdure::app {

/// `base`, else the host's name, and a random part: containers may share host name and process id.
[[nodiscard]] std::string unique_node_name(std::string_view base = {});

} // namespace perdure::app
