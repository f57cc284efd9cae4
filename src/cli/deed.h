// Deeds: what commands that change something have in common.
#pragma once

#include <string>

#include "cli/api_client.h"
#include "cli/output.h"
#include "perdure/value.h"

namespace perdure::cli {

/// Adds who does it, for the audit: the name that the user is logged in with.
[[nodiscard]] Object with_actor(Object body);

/// Prints the sentence, or with --json the answer; or why it was not done.
[[nodiscard]] ExitCode report_deed(const Outcome<Value>& answer, Output& output,
                                   const std::string& sentence);

/// Prints the facts that a dry run answers: what would be written and is not.
ExitCode print_facts_to_be(const Value& answer, Output& output);

} // namespace perdure::cli
