// Explorer: takes every order of moves from outside, up to a bound of states. Two orders that come
// to the same state go on as one.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "random/chance.h"
#include "random/moves.h"
#include "random/random_model.h"

namespace perdure::random {

struct Bound {
  std::size_t max_states = 2'000;
  std::int64_t max_moves = 1'000; ///< of tokens in one decision
  bool cancels = true;            ///< each state is cancelled once as well, on a copy
};

struct Explored {
  std::size_t states = 0;
  std::size_t moves = 0;
  bool is_whole = true; ///< false: the bound was reached
  /// How it ended, as outcome_of() says, each with one order that leads there.
  std::map<std::string, std::string> ends;
  /// States in which nothing can happen any more but what an operator does, with one order each.
  std::map<std::string, std::string> stuck;
  std::vector<std::string> problems; ///< each with the order that leads there
};

[[nodiscard]] Explored explore(const RandomModel& model, const Surprises& surprises = {},
                               const Bound& bound = {});

/// One order drawn by lot, of at most so many moves; the saving is told of each decision. The
/// problems that it met, each with the order.
[[nodiscard]] std::vector<std::string> walk(const RandomModel& model, Chance& chance,
                                            const Surprises& surprises, int max_moves,
                                            cases::Machine::Saving saving = {});

} // namespace perdure::random
