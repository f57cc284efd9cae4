// Runs one case and says what became of it.
#pragma once

#include <string>
#include <vector>

#include "conformance/token_simulation/corpus_case.h"

namespace perdure::conformance {

struct Verdict {
  enum class Kind { passed, failed, skipped };
  Kind kind = Kind::passed;
  std::vector<std::string> reasons; ///< why it failed or was skipped
  std::string expected;             ///< at the check that failed, as text
  std::string came;
};

/// Prepares and deploys the model, gives the stimuli and compares at every check.
[[nodiscard]] Verdict judge(const Case& one);

/// Why the corpus itself takes the case to be beyond BPMN; empty when it does not.
[[nodiscard]] std::string beyond_the_standard(const Case& one);

} // namespace perdure::conformance
