// Steps of an instance as lines for people. One row a step, however many attempts it took.
#pragma once

#include <optional>
#include <string>

#include "base/time.h"
#include "perdure/value.h"

namespace perdure::cli {

/// "ok", "..", "!!" and the like: three columns that say how a step stands, without colour.
[[nodiscard]] std::string status_mark(const Value& step);
/// From the first start to the end; nullopt while it has not ended.
[[nodiscard]] std::optional<Duration> step_duration(const Value& step);
/// The name; the node's id when it has none; with the number of the visit from the second on.
[[nodiscard]] std::string step_name(const Value& step);
/// "charge-payment: completed after 3 attempts in 1.2 s", "approve: waits for a person". One line,
/// without a new line.
[[nodiscard]] std::string step_line(const Value& step);
/// All steps as a tree, in order, each under its parent.
[[nodiscard]] std::string step_tree(const Array& steps);
/// All steps as a table: step, type, status, attempts, duration.
[[nodiscard]] std::string step_table(const Array& steps);

} // namespace perdure::cli
