// Moves: what can happen to one instance from outside, now or later: work done, failed or ended by
// an error, people, messages, signals, timers, calls that end.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cases/machine.h"

namespace perdure::random {

/// What may happen beside the expected.
struct Surprises {
  std::vector<std::string> errors;      ///< codes that a worker may report instead of a result
  std::vector<std::string> escalations; ///< codes that worker and person may report
  std::vector<Object> settings;         ///< variables that somebody may set while conditions wait
  bool fails = false;                   ///< a worker may use up all attempts
};

struct Move {
  std::string what; ///< for people: `complete a`, `timer t`
  std::function<void(cases::Machine&)> make;
};

/// Every move that the state allows. Each is accepted, or the machine has a problem.
[[nodiscard]] std::vector<Move> moves_of(const cases::Machine& machine, const Surprises& surprises);

/// The state without keys and times: two that only differ in the names of their rows are the same.
/// The steps that are completed belong to it.
[[nodiscard]] std::string shape_of(const cases::Machine& machine);

/// `completed: a, b, b`: how the instance stands, and the nodes of its completed steps.
[[nodiscard]] std::string outcome_of(const cases::Machine& machine);

} // namespace perdure::random
