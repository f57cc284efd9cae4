// TestEngine (perdure/testing.h) on PostgreSQL: its clock is the test's there too, and it dies
// where the test wants.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perdure/testing.h"
#include "sharing/database.h"

namespace perdure::sharing {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

int& charged() {
  static int times = 0;
  return times;
}

Task<int> pay(Flow& flow, int amount) {
  co_await flow.sleep("window", 30 * 24h);
  co_return co_await flow.run("charge", [amount] {
    ++charged();
    return amount;
  });
}

std::vector<std::string> states(TestEngine& engine, std::int64_t run) {
  std::vector<std::string> lines;
  for (const auto& attempt : engine.attempts(run, "charge"))
    lines.push_back(attempt.state);
  return lines;
}

class TestEngineOnPostgres : public testing::TestWithParam<CrashPoint> {
protected:
  TestEngineOnPostgres() { charged() = 0; }
  Database database;
};

TEST_P(TestEngineOnPostgres, DiesAndIsTakenUp) {
  const auto point = GetParam();
  TestEngine engine({.storage = database.storage("node")});
  engine.define<pay>("pay");
  const auto run = engine.start("pay", 120);
  ASSERT_TRUE(run) << run.error().message;
  engine.crash_at_step("charge", point);
  engine.advance(30 * 24h);
  EXPECT_TRUE(engine.crashed());
  EXPECT_FALSE(engine.start("pay", 1)) << "nothing more gets into the database";
  engine.restart();
  engine.advance(2s);
  EXPECT_EQ(engine.result<int>(*run).value(), 120);
  const bool twice = point == CrashPoint::after_callback;
  EXPECT_EQ(charged(), twice ? 2 : 1);
  EXPECT_EQ(states(engine, *run), twice ? std::vector<std::string>({"interrupted", "succeeded"})
                                        : std::vector<std::string>({"succeeded"}));
  EXPECT_EQ(database.runs().size(), 1U);
  database.expect_done_once(*run);
}
INSTANTIATE_TEST_SUITE_P(, TestEngineOnPostgres,
                         testing::Values(CrashPoint::before_commit, CrashPoint::after_callback,
                                         CrashPoint::after_commit),
                         [](const auto& tested) {
                           switch (tested.param) {
                             case CrashPoint::before_commit: return "BeforeCommit";
                             case CrashPoint::after_callback: return "AfterCallback";
                             case CrashPoint::after_commit: break;
                           }
                           return "AfterCommit";
                         });

TEST_F(TestEngineOnPostgres, ItsTimeGoesOnWhereTheDatabaseHasSeenIt) {
  std::int64_t run = 0;
  {
    TestEngine engine({.storage = database.storage()});
    engine.define<pay>("pay");
    run = engine.start("pay", 7).value();
    engine.advance(20 * 24h);
    ASSERT_TRUE(engine.cancel(engine.start("pay", 8).value())); // so that the time is recorded
  }
  TestEngine engine({.storage = database.storage()});
  engine.define<pay>("pay");
  engine.advance(9 * 24h);
  EXPECT_EQ(charged(), 0);
  engine.advance(2 * 24h);
  EXPECT_EQ(charged(), 1);
  EXPECT_EQ(engine.result<int>(run).value(), 7);
}

} // namespace
} // namespace perdure::sharing
