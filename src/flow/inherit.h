// Inherit: what a run begins with of an earlier one, as its history keeps it until the run begins.
#pragma once

#include <vector>

#include "facts/event.h"
#include "perdure/result.h"
#include "perdure/value.h"

namespace perdure::flow {

/// An array with an object for each entry, members that say nothing left out.
[[nodiscard]] Value entries_value(const std::vector<facts::FlowEntry>& entries);

/// The other way round; an error when it is none that entries_value() wrote.
[[nodiscard]] Result<std::vector<facts::FlowEntry>> read_entries(const Value& value);

} // namespace perdure::flow
