// In-process workers are killed together with their engine: what they had begun goes on.
#include <gtest/gtest.h>
#include <signal.h>

#include <iostream>

#include "cli/program.h"
#include "crash/guard.h"
#include "crash/seed.h"
#include "random/chance.h"

namespace perdure::crash_test {
namespace {

using cli_test::at;
using cli_test::size_of;
using cli_test::text_at;

constexpr int kKills = 10;
constexpr int kMostMs = 800;
constexpr int kMostRounds = 20;
constexpr int kOrdersARun = 10;
constexpr std::chrono::seconds kLimit{300};

class DemoCrashTest : public testing::Test {
protected:
  cli_test::Ended on_data(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--data", folder_.path("data")});
    return cli_test::perdure(std::move(arguments));
  }

  Value instances(std::vector<std::string> options) const {
    options.insert(options.begin(), {"ps", "--json", "--limit", "1000"});
    const auto listed = on_data(std::move(options));
    EXPECT_EQ(listed.code, 0) << listed.error;
    return at(listed.json(), "items");
  }

  /// Each is killed at some moment of its ten orders.
  void kill_demos() {
    for (int i = 0; i < kKills; ++i) {
      cli_test::Running demo({"demo", "--port", "0", "--data", folder_.path("data")},
                             folder_.path("log"));
      ASSERT_NE(demo.line_with("Perdure demo"), "");
      (void)demo.speaks_within(chance_.below(kMostMs));
      demo.signal(SIGKILL);
      ASSERT_EQ(demo.wait(), 128 + SIGKILL);
    }
  }

  /// Kills use attempts up: what has none left is retried, as an operator would.
  void retry_stuck() {
    const auto stuck = instances({"--incidents"});
    for (int i = 0; i < static_cast<int>(size_of(stuck)); ++i) {
      const auto retried = on_data({"retry", text_at(at(stuck, i, "id")), "--retries", "3"});
      EXPECT_EQ(retried.code, 0) << retried.error;
      ++retried_;
    }
  }

  void check_order(const Value& instance) const {
    const auto id = text_at(at(instance, "id"));
    EXPECT_EQ(text_at(at(instance, "status")), "completed") << id;
    const auto shown = on_data({"show", id, "--json"});
    ASSERT_EQ(shown.code, 0) << shown.error;
    const auto steps = at(shown.json(), "steps");
    EXPECT_GE(size_of(steps), 5U) << id;
    for (int i = 0; i < static_cast<int>(size_of(steps)); ++i) {
      EXPECT_EQ(text_at(at(steps, i, "status")), "completed") << id;
      const auto attempts = at(steps, i, "attempts");
      const auto count = static_cast<int>(size_of(attempts));
      EXPECT_EQ(at(steps, i, "attempt_count"), Value(count)) << id;
      for (int a = 0; a < count; ++a) {
        EXPECT_EQ(at(attempts, a, "number"), Value(a + 1)) << id;
        EXPECT_EQ(text_at(at(attempts, a, "state")) == "succeeded", a + 1 == count) << id;
      }
    }
  }

  random::Chance chance_{seed_of_this_run()};
  cli_test::TemporaryFolder folder_;
  int retried_ = 0;
};

TEST_F(DemoCrashTest, OrdersOfKilledRunsAreCompletedByLaterOnes) {
  int rounds = 0;
  const Guard guard(
      kLimit, [&] { return "round " + std::to_string(rounds) + " of the demo"; }, [] {});
  ASSERT_NO_FATAL_FAILURE(kill_demos());
  EXPECT_EQ(on_data({"check"}).code, 0);
  const auto left = size_of(instances({"--status", "running"}));
  EXPECT_GT(left, 0U); // else the kills came too late
  do {
    retry_stuck();
    const auto demo = on_data({"demo", "--exit", "--port", "0"});
    ASSERT_EQ(demo.code, 0) << demo.error;
    ASSERT_LT(++rounds, kMostRounds);
  } while (size_of(instances({"--status", "running"})) > 0);

  const auto all = instances({});
  std::cout << size_of(all) << " orders, " << left << " left by " << kKills << " kills, "
            << retried_ << " incidents retried, " << rounds << " runs to the end" << std::endl;
  EXPECT_GE(size_of(all), static_cast<std::size_t>(rounds * kOrdersARun));
  for (int i = 0; i < static_cast<int>(size_of(all)); ++i)
    check_order(at(all, i));
  const auto checked = on_data({"check"});
  EXPECT_EQ(checked.code, 0) << checked.out << checked.error;
}

} // namespace
} // namespace perdure::crash_test
