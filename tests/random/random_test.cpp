// Random models. A failure prints its seed: PERDURE_SEED=N runs that one alone; PERDURE_ROUNDS=N
// runs more.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "random/chance.h"
#include "random/driver.h"
#include "random/random_model.h"
#include "random/seeds.h"

namespace perdure::random {
namespace {

std::string report(std::uint64_t seed, const RandomModel& model, const Run& run) {
  std::string out = "PERDURE_SEED=" + std::to_string(seed) + "\n" + model.text + "start " +
                    model.variables + "\n";
  for (const auto& problem : run.problems)
    out += "! " + problem + "\n";
  return out;
}

TEST(RandomModels, SoundOnesComeToTheSameEndInEveryOrder) {
  const auto [first, count] = seeds(50);
  std::printf("seeds %llu to %llu\n", static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(first + count - 1));
  for (auto seed = first; seed < first + count; ++seed) {
    Chance chance(seed);
    const auto model = sound_model(chance);
    const auto expected = drive(model, chance, {});
    ASSERT_TRUE(expected.problems.empty()) << report(seed, model, expected);
    ASSERT_EQ(expected.status, facts::InstanceStatus::completed) << report(seed, model, expected);
    for (int order = 0; order < 2; ++order) {
      // On the second a tight bound and no saving: neither makes a difference.
      const Effort effort{.max_moves = order == 0 ? 50 : 2, .saves = order == 0};
      const auto run = drive(model, chance, effort);
      ASSERT_TRUE(run.problems.empty()) << report(seed, model, run);
      ASSERT_EQ(run.status, facts::InstanceStatus::completed) << report(seed, model, run);
      ASSERT_EQ(run.completed_nodes, expected.completed_nodes) << report(seed, model, run);
    }
  }
}

// A version with the same elements changes nothing, whatever they are called there and whenever an
// instance goes on with it.
TEST(RandomModels, SoundOnesComeToTheSameEndThroughMigrations) {
  const auto [first, count] = seeds(50);
  std::printf("seeds %llu to %llu\n", static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(first + count - 1));
  int migrations = 0;
  for (auto seed = first; seed < first + count; ++seed) {
    Chance chance(seed);
    const auto model = sound_model(chance);
    const auto expected = drive(model, chance, {});
    ASSERT_TRUE(expected.problems.empty()) << report(seed, model, expected);
    for (int order = 0; order < 2; ++order) {
      const auto run = drive(model, chance,
                             {.max_moves = order == 0 ? 50 : 3, .migrates = order == 0 ? 10 : 40});
      ASSERT_TRUE(run.problems.empty()) << report(seed, model, run);
      ASSERT_EQ(run.status, facts::InstanceStatus::completed) << report(seed, model, run);
      ASSERT_EQ(run.completed_nodes, expected.completed_nodes) << report(seed, model, run);
      migrations += run.migrations;
    }
  }
  EXPECT_GT(migrations, static_cast<int>(count));
}

TEST(RandomModels, AnyGraphKeepsTheInvariants) {
  const auto [first, count] = seeds(150);
  std::printf("seeds %llu to %llu\n", static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(first + count - 1));
  for (auto seed = first; seed < first + count; ++seed) {
    Chance chance(seed);
    const auto model = any_model(chance);
    const Effort effort{.max_events = 60,
                        .max_moves = 10,
                        .may_cancel = true,
                        .migrates = 5,
                        .saves = seed % 2 == 0};
    const auto run = drive(model, chance, effort);
    ASSERT_TRUE(run.problems.empty()) << report(seed, model, run);
  }
}

} // namespace
} // namespace perdure::random
