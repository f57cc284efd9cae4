// The primary dies and its synchronous replica takes over. The nodes know both addresses; they find
// the new primary by themselves, and nothing that was acknowledged is lost.
#include <gtest/gtest.h>

#include <chrono>
#include <iostream>

#include "cluster/client.h"
#include "cluster/cluster.h"
#include "cluster/load.h"
#include "cluster/verdict.h"
#include "crash/guard.h"
#include "crash/seed.h"

namespace perdure::cluster_test {
namespace {

constexpr int kInstances = 200;
constexpr std::chrono::seconds kLimit{300};

class FailoverTest : public ClusterTest {
protected:
  FailoverTest() : ClusterTest(2) {}

  /// From now on a commit waits until the replica has it on disk.
  void make_replica() {
    auto made = postgres().replica();
    ASSERT_TRUE(made) << made.error();
    replica_ = std::move(*made);
    Effects primary(postgres().url());
    ASSERT_TRUE(primary.rows("ALTER SYSTEM SET synchronous_standby_names = '*'"));
    ASSERT_TRUE(primary.rows("SELECT pg_reload_conf()"));
    while (primary.value("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") !=
           "1") {
      addresses_.wait_for_change(std::chrono::milliseconds(20));
      ASSERT_FALSE(HasFailure());
    }
  }

  [[nodiscard]] std::string url_of_both() {
    return "postgres://perdure@/postgres?host=" + postgres().folder() + "," + replica_->folder();
  }

  /// The replica only reads, which is not enough.
  void expect_told_to_come_again() {
    for (const auto& node : nodes_) {
      Client client(node->url());
      EXPECT_EQ(client.post("/process-instances", Object{{"process_def_id", "storm"}}).status, 503);
      EXPECT_EQ(client
                    .post("/external-tasks/fetch-and-lock",
                          Object{{"worker_id", "w"}, {"task_types", Array{"none"}}})
                    .status,
                503);
      EXPECT_EQ(client.get("/process-instances").status, 503);
      const auto ready = net::Client(node->url()).request("GET", "/readyz");
      ASSERT_TRUE(ready) << ready.error().message;
      EXPECT_EQ(ready->status, 503) << ready->body;
    }
  }

  std::unique_ptr<test::PostgresCluster> replica_;
};

TEST_F(FailoverTest, NothingAcknowledgedIsLostWithThePrimary) {
  const auto seed = crash_test::seed_of_this_run();
  ASSERT_NO_FATAL_FAILURE(make_replica());
  add_nodes(url_of_both());
  Effects watcher(url_of_both());
  watcher.create();
  Traffic traffic;
  Load load(addresses_, traffic,
            {.seed = seed, .instances = kInstances, .database_url = url_of_both()});
  const crash_test::Guard guard(
      kLimit, [&] { return load.describe(); }, [&] { kill_all_for_good(); });
  start_nodes();
  ASSERT_NO_FATAL_FAILURE(deploy(storm_model()));
  load.begin();
  load.wait_for_completed(watcher, kInstances / 4);
  postgres().kill(SIGKILL);
  expect_told_to_come_again();
  ASSERT_TRUE(replica_->promote());
  load.wait_for_completed(watcher, kInstances);
  load.finish();
  std::cout << load.describe() << std::endl;
  EXPECT_GT(traffic.unavailable, 0); // else nobody noticed
  expect_all_ready();
  stop_nodes();
  expect_everything_once(watcher, load, kInstances);
  expect_no_bugs();
  expect_clean(url_of_both());
}

} // namespace
} // namespace perdure::cluster_test
