// CPU time of processes: unlike the time on the wall it hardly depends on who else is at work.
#pragma once

#include <sys/types.h>

namespace perdure::bench {

/// Seconds that this process has computed, all threads.
[[nodiscard]] double own_cpu_seconds();
/// The same of the living children of another process, together.
[[nodiscard]] double children_cpu_seconds(pid_t parent);

} // namespace perdure::bench
