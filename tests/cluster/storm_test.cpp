// Four nodes on one PostgreSQL under load, while every few seconds one is killed and one is frozen
// for longer than its leases, and the database is restarted once. Nothing is lost, nothing happens
// twice: each task has its effect once, by the attempt that the engine took.
//   PERDURE_SEED=N                repeats the choices of a run
//   PERDURE_STORM_INSTANCES=N     more or fewer than 2,000 instances
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>

#include "cluster/cluster.h"
#include "cluster/load.h"
#include "cluster/verdict.h"
#include "crash/guard.h"
#include "crash/seed.h"

namespace perdure::cluster_test {
namespace {

using std::chrono::milliseconds;
using Time = std::chrono::steady_clock::time_point;

constexpr std::size_t kNodes = 4;
constexpr int kUsualInstances = 2'000;
constexpr std::chrono::seconds kLimit{800};
/// Between two blows.
constexpr int kLeastPauseMs = 700;
constexpr int kMostPauseMs = 2'500;
/// How long a node is frozen: longer than any worker may hold a task.
constexpr int kLeastFrozenMs = kLockMs + 500;
constexpr int kMostFrozenMs = kLockMs + 2'500;
/// Once for longer than a transaction may rest: its claims and its session are taken away.
constexpr int kLongFrozenMs = 12'000;
constexpr milliseconds kLook{100};

int instances_of_this_run() {
  const char* chosen = std::getenv("PERDURE_STORM_INSTANCES");
  return chosen != nullptr ? std::atoi(chosen) : kUsualInstances;
}

class StormTest : public ClusterTest {
protected:
  StormTest() : ClusterTest(kNodes) {}

  [[nodiscard]] int completed() {
    if (const auto count = count_completed(*watcher_)) completed_ = *count;
    return completed_;
  }

  [[nodiscard]] Node& any_node(bool frozen) {
    std::vector<Node*> fit;
    for (const auto& node : nodes_) {
      if (node->is_frozen() == frozen) fit.push_back(node.get());
    }
    return *chance_.one_of(fit);
  }

  void kill_one() {
    auto& node = any_node(false);
    node.kill();
    node.start();
    ++kills_;
  }

  void freeze_one(Time now) {
    auto& node = any_node(false);
    node.freeze();
    const int long_ms = freezes_ == 1 ? kLongFrozenMs : 0;
    const int usual_ms = kLeastFrozenMs + chance_.below(kMostFrozenMs - kLeastFrozenMs);
    thaws_[&node] = now + milliseconds(std::max(long_ms, usual_ms));
    ++freezes_;
  }

  void thaw_those_due(Time now) {
    std::erase_if(thaws_, [&](const auto& entry) {
      if (entry.second > now) return false;
      entry.first->thaw();
      return true;
    });
  }

  void restart_database() {
    postgres().kill();
    ASSERT_TRUE(postgres().restart());
    ++restarts_;
  }

  void blow_until_finished(int instances) {
    auto next_blow = std::chrono::steady_clock::now();
    while (completed() < instances) {
      addresses_.wait_for_change(kLook);
      const auto now = std::chrono::steady_clock::now();
      thaw_those_due(now);
      if (restarts_ == 0 && completed_ > instances / 3) restart_database();
      if (now < next_blow) continue;
      next_blow = now + milliseconds(kLeastPauseMs + chance_.below(kMostPauseMs - kLeastPauseMs));
      // At most two are out of action at a time.
      if (thaws_.size() < 2 && chance_.hits(50)) {
        freeze_one(now);
      } else {
        kill_one();
      }
      ASSERT_FALSE(HasFailure());
    }
    thaw_those_due(Time::max());
  }

  const std::uint64_t seed_ = crash_test::seed_of_this_run();
  random::Chance chance_{seed_};
  std::unique_ptr<Effects> watcher_;
  std::map<Node*, Time> thaws_;
  int completed_ = 0;
  int kills_ = 0;
  int freezes_ = 0;
  int restarts_ = 0;
};

TEST_F(StormTest, EveryTaskHasItsEffectOnce) {
  const int instances = instances_of_this_run();
  Traffic traffic;
  watcher_ = std::make_unique<Effects>(postgres().url());
  watcher_->create();
  Load load(addresses_, traffic,
            {.seed = seed_, .instances = instances, .database_url = postgres().url()});
  const auto describe = [&] {
    return std::to_string(kills_) + " kills, " + std::to_string(freezes_) + " freezes, " +
           std::to_string(restarts_) + " restarts of the database, " + std::to_string(completed_) +
           " instances completed; " + load.describe();
  };
  const crash_test::Guard guard(kLimit, describe, [&] { kill_all_for_good(); });
  start_nodes();
  ASSERT_NO_FATAL_FAILURE(deploy(storm_model()));
  load.begin();
  blow_until_finished(instances);
  if (HasFailure()) addresses_.call_off();
  load.finish();
  std::cout << describe() << std::endl;
  ASSERT_FALSE(HasFailure());
  EXPECT_GT(kills_, 0);
  EXPECT_GT(freezes_, 0);
  EXPECT_EQ(restarts_, 1);
  EXPECT_GT(traffic.losses, 0); // else the blows met nobody

  expect_all_ready();
  stop_nodes();
  expect_everything_once(*watcher_, load, instances);
  expect_no_bugs();
  expect_clean(postgres().url());
}

} // namespace
} // namespace perdure::cluster_test
