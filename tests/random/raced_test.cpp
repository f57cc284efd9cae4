// Random models in which events race: every order of what can happen, up to a bound, and single
// orders of larger ones. A failure prints its seed: PERDURE_SEED=N runs that one alone;
// PERDURE_ROUNDS=N runs more.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "random/explorer.h"
#include "random/raced_model.h"
#include "random/seeds.h"

namespace perdure::random {
namespace {

const Surprises kConditions{
    .errors = {}, .escalations = {}, .settings = {Object{{"t", 30}}, Object{{"t", 10}}}};
const Surprises kAll{.errors = {"E", "Other"},
                     .escalations = {"Warn"},
                     .settings = {Object{{"t", 30}}, Object{{"t", 10}}},
                     .fails = true};

std::string report(std::uint64_t seed, const RandomModel& model, const std::string& problem) {
  return "PERDURE_SEED=" + std::to_string(seed) + "\n" + model.text + "start " + model.variables +
         "\n! " + problem;
}

/// Without errors every order ends, and every end is a completion.
TEST(RacedModels, EveryOrderComesToAnEnd) {
  const auto [first, count] = seeds(30);
  std::size_t states = 0;
  std::size_t moves = 0;
  std::uint64_t whole = 0;
  for (auto seed = first; seed < first + count; ++seed) {
    Chance chance(seed);
    const auto model = raced_model(chance, 1 + chance.below(2));
    const auto explored = explore(model, kConditions, {.max_states = 150});
    for (const auto& problem : explored.problems)
      FAIL() << report(seed, model, problem);
    for (const auto& [state, order] : explored.stuck)
      FAIL() << report(seed, model, "stuck after " + order + "\n" + state);
    for (const auto& [end, order] : explored.ends)
      ASSERT_TRUE(end.starts_with("completed")) << report(seed, model, end + " after " + order);
    if (explored.is_whole) {
      ASSERT_FALSE(explored.ends.empty()) << report(seed, model, "it has no end");
      ++whole;
    }
    states += explored.states;
    moves += explored.moves;
  }
  std::printf("seeds %llu to %llu: %zu states, %zu moves, %llu models to the last state\n",
              static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(first + count - 1), states, moves,
              static_cast<unsigned long long>(whole));
}

/// With errors, failures and tight bounds the invariants still hold in every state.
TEST(RacedModels, SurprisesKeepTheInvariants) {
  const auto [first, count] = seeds(30);
  std::size_t states = 0;
  for (auto seed = first; seed < first + count; ++seed) {
    Chance chance(seed);
    const auto model = raced_model(chance, 1 + chance.below(2));
    const auto explored =
        explore(model, kAll, {.max_states = 120, .max_moves = seed % 2 == 0 ? 1'000 : 2});
    for (const auto& problem : explored.problems)
      FAIL() << report(seed, model, problem);
    states += explored.states;
  }
  std::printf("seeds %llu to %llu: %zu states\n", static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(first + count - 1), states);
}

TEST(RacedModels, SingleOrdersOfLargeModels) {
  const auto [first, count] = seeds(60);
  for (auto seed = first; seed < first + count; ++seed) {
    Chance chance(seed);
    const auto model = raced_model(chance, 4 + chance.below(5));
    for (int order = 0; order < 2; ++order) {
      for (const auto& problem : walk(model, chance, order == 0 ? kConditions : kAll, 80))
        FAIL() << report(seed, model, problem);
    }
  }
}

} // namespace
} // namespace perdure::random
