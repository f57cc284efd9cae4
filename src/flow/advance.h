// advance: what the code of a flow did and was told, entry by entry, as facts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flow/draft.h"

namespace perdure::flow {

/// Each entry as facts, in order.
void take_all(Draft& draft, const std::vector<facts::FlowEntry>& entries,
              const std::string& worker_id);

/// A refusal when the process has not seen what has happened: it is to forget the run and to build
/// it anew.
[[nodiscard]] std::optional<facts::Refusal> advance(Draft& draft, const facts::FlowAdvanced& event);

/// Whether the process may speak for the run: it has it, or nobody has and it knows all of it.
[[nodiscard]] std::optional<facts::Refusal> check_host(const Draft& draft,
                                                       const std::string& worker_id,
                                                       std::int64_t version);

/// What the step called is to end.
void cancel_call(Draft& draft, const facts::StepRecord& step);

/// Ends the run, whatever is open, and tells who called it.
void end_run(Draft& draft, facts::FlowEnded end, std::string_view outcome,
             const std::string& error_name);

} // namespace perdure::flow
