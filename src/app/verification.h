// Verification: the report on stored runs and the code of a program, for people and for programs.
// `perdure flow verify PROGRAM` starts the program with a variable in its environment; its engine
// then reports instead of opening, and the program ends.
#pragma once

#include <optional>
#include <string>

#include "perdure/engine.h"
#include "perdure/value.h"

namespace perdure::app {

/// "fd:N": the report goes as JSON to that descriptor. "json" or "text": to standard output.
inline constexpr const char* kVerifyVariable = "PERDURE_VERIFY";
/// How many runs of each flow that have ended are looked at too.
inline constexpr const char* kVerifyEndedVariable = "PERDURE_VERIFY_ENDED";

/// An object {"runs", "misfits": [{"run_id", "flow", "version", "missing_version", "asked",
/// "recorded", "advice"}]}.
[[nodiscard]] Value to_value(const Verification& verification);
/// A line for each run that does not fit, then the sum.
[[nodiscard]] std::string verification_text(const Value& report);
[[nodiscard]] bool is_fit(const Value& report);

/// What the environment asks of an engine that is about to open.
struct VerifyRequest {
  std::string to;
  VerifyOptions options;
};
[[nodiscard]] std::optional<VerifyRequest> verify_request();
/// Writes the report, or why there is none, and ends the process: 0 when every run fits.
[[noreturn]] void end_with_report(const VerifyRequest& request,
                                  const Result<Verification>& verification);

} // namespace perdure::app
