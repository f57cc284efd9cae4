// The seed of a run: the environment variable PERDURE_SEED, else a fresh one; printed, so that a
// run can be repeated. Choices and moments are the same then; how threads interleave is not.
#pragma once

#include <cstdint>

namespace perdure::crash_test {

[[nodiscard]] std::uint64_t seed_of_this_run();

} // namespace perdure::crash_test
