// The name of whoever has a run of a flow: a process, or nobody since that process was lost. A run
// that had a host keeps one in the row, so that what the lost process may still say is refused.
#pragma once

#include <string>
#include <string_view>

namespace perdure::facts {

inline constexpr std::string_view kLostSuffix = "/lost";

/// Nobody, after that process.
[[nodiscard]] inline std::string nobody_after(std::string worker_id) {
  return std::move(worker_id.append(kLostSuffix));
}

[[nodiscard]] inline bool is_nobody(std::string_view host) { return host.ends_with(kLostSuffix); }

} // namespace perdure::facts
