// flow_verify: replays what runs have recorded against the code of this program, without doing or
// writing anything, and tells which of them it does not fit.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/flow_host.h"
#include "flow/entry.h"
#include "store/store.h"

namespace perdure::engine {

/// A run that would rest on an incident, or that nobody could go on with.
struct FlowMisfit {
  Key instance_id = kNoKey;
  std::string flow;
  std::int64_t version = 1;
  std::optional<flow::Divergence> parting{}; ///< none: its version is not defined
};

struct FlowVerification {
  std::int64_t runs = 0; ///< that were looked at
  std::vector<FlowMisfit> misfits;
};

/// Looks at every run of these flows that has not ended, and at the last `ended` of each that have.
[[nodiscard]] Result<FlowVerification> verify_flows(store::Reader& reader,
                                                    std::span<const FlowCode> codes,
                                                    std::int64_t ended);

} // namespace perdure::engine
