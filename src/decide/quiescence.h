// How every decision ends.
#pragma once

#include "decide/draft.h"

namespace perdure::decide {

/// Lets ready tokens into their nodes until all rest or the bound is reached; then looks at the
/// gatherings.
void run_to_rest(Draft& draft);

} // namespace perdure::decide
