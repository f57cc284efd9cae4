// What deploy, start and run have in common.
#pragma once

#include <optional>
#include <string>

#include "cli/api_client.h"
#include "cli/arguments.h"
#include "cli/output.h"

namespace perdure::cli {

/// Deploys the file; answers with `definitions` and `warnings`.
[[nodiscard]] Outcome<Value> deploy_file(ApiClient& api, const std::string& path);

/// Starts the latest version of a process, or the version with that key; answers with the instance.
[[nodiscard]] Outcome<Value> start_instance(ApiClient& api, const StartCommand& command);

void tell_warnings(const Value& deployed, Output& output);

} // namespace perdure::cli
