// The rows that a deployment becomes, as far as they are known before the database gives keys and
// versions.
#pragma once

#include <string>
#include <vector>

#include "base/time.h"
#include "engine/commands.h"
#include "engine/compile.h"
#include "store/deployment.h"

namespace perdure::engine {

/// SHA-256 over a decision model and what it imports, hex: that of the source alone when it imports
/// nothing. `imports` is a list of {file, source}.
[[nodiscard]] std::string model_digest(const std::string& source, const Value& imports);

[[nodiscard]] store::Deployment rows_of(const DeployCommand& command, const Compiled& compiled,
                                        Instant now);

/// Adds what starts the processes without being asked: messages, signals, timers. Returns what is
/// wrong with them.
[[nodiscard]] std::vector<definition::Diagnostic> add_starts(store::Deployment& deployment,
                                                             const DeployCommand& command,
                                                             const Compiled& compiled, Instant now);

} // namespace perdure::engine
