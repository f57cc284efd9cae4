// Compares what an engine did with what the corpus expects: counts, outcomes, a one-to-one mapping
// of runs, and the mandatory order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/token_simulation/corpus_case.h"
#include "conformance/token_simulation/prepare.h"

namespace perdure::conformance {

/// A run of one node, as an engine recorded it. Positions grow with time over all instances; -1
/// stands for no index and for what has not happened.
struct ObservedRun {
  std::string element;
  bool root = false;
  int in = -1;
  std::vector<int> via;
  int gateway = -1;
  int started = 0; ///< index of the stimulus
  int ended = -1;
  Outcome outcome = Outcome::active; ///< never `threw`
  std::int64_t start_at = -1;
  std::int64_t end_at = -1;
};

struct ObservedFlow {
  std::string flow;
  int from = -1;
  int to = -1;
  int during = 0;
  std::int64_t taken_at = -1;
};

struct Observed {
  std::vector<ObservedRun> runs;
  std::vector<ObservedFlow> flows;
};

/// What differs, in the first of the four stages that finds anything; empty when all agrees.
[[nodiscard]] std::vector<std::string> compare(const Expected& expected, const Observed& observed,
                                               const Drawing& drawing);

/// The comparison for a case that has a race: only counts and end states.
[[nodiscard]] std::vector<std::string> compare_bounds(const Bounds& bounds,
                                                      const Observed& observed,
                                                      const Drawing& drawing);

/// Both as text, for people who look for the reason.
[[nodiscard]] std::string describe(const Expected& expected);
[[nodiscard]] std::string describe(const Observed& observed);

} // namespace perdure::conformance
