// What deploy, start and run have in common.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/api_client.h"
#include "cli/arguments.h"
#include "cli/output.h"

namespace perdure::cli {

/// Deploys the files together, all or none; answers with `definitions`, `decisions` and `warnings`.
[[nodiscard]] Outcome<Value> deploy_files(ApiClient& api, const std::vector<std::string>& paths);

/// Starts the latest version of a process, or the version with that key; answers with the instance.
[[nodiscard]] Outcome<Value> start_instance(ApiClient& api, const StartCommand& command);

void tell_warnings(const Value& deployed, Output& output);

} // namespace perdure::cli
