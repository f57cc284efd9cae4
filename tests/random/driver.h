// Driver: does to one instance what workers, people, sweeps and operators may do, in an order drawn
// by lot, with failures, expired locks, repeated and wrong commands among them.
#pragma once

#include <string>
#include <vector>

#include "cases/machine.h"
#include "random/chance.h"
#include "random/random_model.h"

namespace perdure::random {

struct Run {
  facts::InstanceStatus status{};
  std::vector<std::string> completed_nodes; ///< one entry per completed step, sorted
  std::vector<std::string> problems;
  int events = 0;
  int migrations = 0;
};

struct Effort {
  int max_events = 4'000;
  std::int64_t max_moves = 50;
  bool may_cancel = false;         ///< or be set aside
  int migrates = 0;                ///< so often in a hundred to a version with other ids, and back
  bool saves = true;               ///< after each decision; else once, when all is over
  cases::Machine::Saving saving{}; ///< told of every change
};

[[nodiscard]] Run drive(const RandomModel& model, Chance& chance, const Effort& effort);

} // namespace perdure::random
