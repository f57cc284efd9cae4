// Schedules: when what is started again and again is started next.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "decide/start_triggers.h"
#include "perdure/result.h"

namespace perdure::decide {

/// The first time of a recurrence (expr::Recurrence) for a schedule that begins then. Errors:
/// invalid_input, also when there is none.
[[nodiscard]] Result<NextStart> first_start(const std::string& cycle, Instant opened_at);

/// The one after `last` that is later than `now`; nullopt when there is none.
[[nodiscard]] std::optional<NextStart> start_after(const std::string& cycle, Instant opened_at,
                                                   const NextStart& last, Instant now);

} // namespace perdure::decide
