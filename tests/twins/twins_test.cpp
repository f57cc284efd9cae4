// The case tables and random models, decision by decision, on both databases.
//   PERDURE_SEED=N     one random model alone
//   PERDURE_ROUNDS=N   more of them
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "cases/case_file.h"
#include "random/driver.h"
#include "random/explorer.h"
#include "random/raced_model.h"
#include "random/seeds.h"
#include "store/postgres_cluster.h"
#include "twins/twins.h"

namespace perdure::twins_test {
namespace {

std::unique_ptr<test::PostgresCluster> server;

std::string fresh_schema() {
  static int count = 0;
  return "twin" + std::to_string(++count);
}

std::vector<std::filesystem::path> case_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(PERDURE_SOURCE_DIR "/tests/cases")) {
    if (entry.path().extension() == ".case") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

TEST(Twins, CasesLeaveTheSameRows) {
  std::int64_t commits = 0;
  const auto files = case_files();
  EXPECT_GT(files.size(), 40U);
  for (const auto& file : files) {
    SCOPED_TRACE(file.filename());
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    Twins twins(server->url(), fresh_schema());
    const auto ran =
        cases::run_case(text.str(), [&](const auto&... change) { twins.save(change...); });
    EXPECT_EQ(ran, text.str());
    if (twins.commits() > 0) twins.expect_same_record(twins.instance_id());
    commits += twins.commits();
    ASSERT_FALSE(HasFailure());
  }
  std::cout << files.size() << " cases, " << commits << " commits on each" << std::endl;
}

TEST(Twins, RandomModelsLeaveTheSameRows) {
  const auto [first, count] = random::seeds(24);
  std::cout << "seeds " << first << " to " << first + count - 1 << std::endl;
  std::int64_t commits = 0;
  for (auto seed = first; seed < first + count; ++seed) {
    random::Chance chance(seed);
    // Sound ones run to their end, any others as far as they come.
    const bool sound = seed % 2 == 0;
    const auto model = sound ? random::sound_model(chance) : random::any_model(chance);
    Twins twins(server->url(), fresh_schema());
    random::Effort effort;
    if (!sound) effort = {.max_events = 60, .max_moves = 10, .may_cancel = true};
    // Some save once, when all is over.
    effort.saves = seed % 8 > 1;
    // A migration is a change of its own.
    if (effort.saves) effort.migrates = 10;
    effort.saving = [&](const auto&... change) { twins.save(change...); };
    const auto run = random::drive(model, chance, effort);
    const auto report =
        "PERDURE_SEED=" + std::to_string(seed) + "\n" + model.text + "start " + model.variables;
    ASSERT_TRUE(run.problems.empty()) << report << "\n! " << run.problems.front();
    twins.expect_same_record(twins.instance_id());
    commits += twins.commits();
    ASSERT_FALSE(HasFailure()) << report;
  }
  std::cout << commits << " commits on each" << std::endl;
}

/// What could come after a crash: after each commit of an order both databases give back the state
/// that the next decision is made on.
TEST(Twins, RacedModelsCanBeTakenUpAfterAnyCommit) {
  const auto [first, count] = random::seeds(16);
  std::cout << "seeds " << first << " to " << first + count - 1 << std::endl;
  const random::Surprises surprises{.errors = {"E"},
                                    .escalations = {"Warn"},
                                    .settings = {Object{{"t", 30}}, Object{{"t", 10}}},
                                    .fails = true};
  std::int64_t commits = 0;
  for (auto seed = first; seed < first + count; ++seed) {
    random::Chance chance(seed);
    const auto model = random::raced_model(chance, 5);
    Twins twins(server->url(), fresh_schema());
    const auto problems = random::walk(model, chance, surprises, 40,
                                       [&](const auto&... change) { twins.save(change...); });
    const auto report =
        "PERDURE_SEED=" + std::to_string(seed) + "\n" + model.text + "start " + model.variables;
    ASSERT_TRUE(problems.empty()) << report << "\n! " << problems.front();
    twins.expect_same_record(twins.instance_id());
    commits += twins.commits();
    ASSERT_FALSE(HasFailure()) << report;
  }
  std::cout << commits << " commits on each" << std::endl;
}

} // namespace
} // namespace perdure::twins_test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // What survives a power cut is the matter of other tests.
  auto started = perdure::test::PostgresCluster::start({.parent = {}, .settings = {"fsync=off"}});
  if (!started) {
    std::cout << "Skipped: " << started.error() << ".\n";
    return 77; // ctest counts it as skipped
  }
  perdure::twins_test::server = std::move(*started);
  const int code = RUN_ALL_TESTS();
  perdure::twins_test::server.reset();
  return code;
}
