// The partial order that the corpus demands of the events of one case: start and end of a run, and
// the taking of a flow. Everything that these rules leave open may come in any order.
#pragma once

#include <string>
#include <vector>

#include "conformance/token_simulation/corpus_case.h"
#include "conformance/token_simulation/prepare.h"

namespace perdure::conformance {

enum class MomentKind { start, end, taken };

/// Something that happens once: a run starts or ends, or a flow is taken.
struct Moment {
  MomentKind kind{};
  int index = -1; ///< of the run, or of the flow
};

struct Constraint {
  Moment before;
  Moment after;
  bool strict = true;    ///< false: both may be one step of the engine
  std::string_view rule; ///< in words
};

/// Every rule that holds for these runs, in no particular order.
[[nodiscard]] std::vector<Constraint> constraints_of(const Expected& expected,
                                                     const Drawing& drawing);

} // namespace perdure::conformance
