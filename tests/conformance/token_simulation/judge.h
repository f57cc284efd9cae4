// Runs one case and says what became of it.
#pragma once

#include <string>
#include <vector>

#include "conformance/token_simulation/corpus_case.h"

namespace perdure::conformance {

struct Verdict {
  bool passed = true;
  std::vector<std::string> reasons; ///< why it failed
  std::string expected;             ///< at the check that failed, as text
  std::string came;
};

/// Prepares and deploys the model, gives the stimuli and compares at every check.
[[nodiscard]] Verdict judge(const Case& one);

} // namespace perdure::conformance
