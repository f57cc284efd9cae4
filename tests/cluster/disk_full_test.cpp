// The disk of the database fills up. Whoever asks hears that, and when to come again; when there is
// space again the nodes go on by themselves, and nothing that was acknowledged is lost.
#include <gtest/gtest.h>
#include <pwd.h>
#include <sys/mount.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "cluster/client.h"
#include "cluster/cluster.h"
#include "cluster/load.h"
#include "cluster/verdict.h"
#include "crash/guard.h"
#include "crash/seed.h"

namespace perdure::cluster_test {
namespace {

constexpr int kInstances = 150;
constexpr int kRefusals = 20;
constexpr std::chrono::seconds kLimit{300};
constexpr std::chrono::milliseconds kPause{20};

/// A file system of its own, small and in memory; goes with its object.
class SmallDisk {
public:
  explicit SmallDisk(const std::string& megabytes) {
    const auto options = "mode=777,size=" + megabytes + "m";
    mounted_ = ::mount("tmpfs", path().c_str(), "tmpfs", 0, options.c_str()) == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(path().c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  [[nodiscard]] bool is_mounted() const { return mounted_; }
  [[nodiscard]] std::string path() const { return folder_.path(""); }
  /// Takes all the space that is left.
  void fill() const {
    std::ofstream file(ballast(), std::ios::binary);
    const std::string block(4'096, 'x');
    while (file.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
    }
  }
  /// Gives it back.
  void free() const { std::filesystem::remove(ballast()); }

private:
  [[nodiscard]] std::string ballast() const { return folder_.path("ballast"); }

  cli_test::TemporaryFolder folder_;
  bool mounted_ = false;
};

class DiskFullTest : public ClusterTest {
protected:
  DiskFullTest() : ClusterTest(2) {}

  void wait_until(const std::function<bool()>& holds) const {
    while (!holds() && !HasFailure())
      addresses_.wait_for_change(kPause);
  }

  void expect_told(const std::string& url) {
    const auto answer = net::Client(url).request(
        "POST", "/api/v1/process-instances", {{"Content-Type", "application/json"}},
        R"({"process_def_id":"storm","business_key":"no room"})");
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->status, 503) << answer->body;
    EXPECT_TRUE(answer->header("Retry-After"));
  }

  const std::uint64_t seed_ = crash_test::seed_of_this_run();
  Traffic traffic_;
};

/// Only the tables have no room: the server goes on and says so.
class FullTableSpaceTest : public DiskFullTest {
protected:
  void SetUp() override {
    DiskFullTest::SetUp();
    if (IsSkipped()) return;
    if (!disk_.is_mounted()) {
      GTEST_SKIP() << "Skipped: a file system cannot be mounted here; run the test as root.";
    }
    if (const auto* account = ::getpwnam("postgres")) {
      ASSERT_EQ(::chown(disk_.path().c_str(), account->pw_uid, account->pw_gid), 0);
    }
    Effects administrator(postgres().url());
    ASSERT_TRUE(administrator.rows("CREATE TABLESPACE small LOCATION '" + disk_.path() + "'"));
    ASSERT_TRUE(administrator.rows("ALTER DATABASE postgres SET default_tablespace = small"));
  }

  SmallDisk disk_{"48"};
};

TEST_F(FullTableSpaceTest, NothingIsLostAndTheNodesGoOnByThemselves) {
  Effects watcher(postgres().url());
  watcher.create();
  Load load(addresses_, traffic_,
            {.seed = seed_, .instances = kInstances, .database_url = postgres().url()});
  const crash_test::Guard guard(
      kLimit, [&] { return load.describe(); }, [&] { kill_all_for_good(); });
  start_nodes();
  ASSERT_NO_FATAL_FAILURE(deploy(storm_model()));
  load.begin();
  load.wait_for_completed(watcher, kInstances / 10);
  disk_.fill();
  wait_until([&] { return traffic_.unavailable >= kRefusals; });
  expect_told(nodes_[0]->url());
  EXPECT_NE(nodes_[0]->log_lines("disk of the database is full") +
                nodes_[1]->log_lines("disk of the database is full"),
            "");
  disk_.free();
  load.wait_for_completed(watcher, kInstances);
  load.finish();
  std::cout << load.describe() << std::endl;
  expect_all_ready();
  stop_nodes();
  expect_everything_once(watcher, load, kInstances);
  expect_no_bugs();
  expect_clean(postgres().url());
}

/// The log has no room: the server stops in panic, and somebody starts it again.
class FullServerTest : public DiskFullTest {
protected:
  void SetUp() override {
    if (!disk_.is_mounted()) {
      GTEST_SKIP() << "Skipped: a file system cannot be mounted here; run the test as root.";
    }
    auto started = test::PostgresCluster::start(
        {.parent = disk_.path(), .settings = {"min_wal_size=32MB", "max_wal_size=32MB"}});
    if (!started) GTEST_SKIP() << "Skipped: " << started.error();
    server_ = std::move(*started);
    add_nodes(server_->url());
  }

  void TearDown() override {
    nodes_.clear();
    server_.reset();
  }

  SmallDisk disk_{"256"};
  std::unique_ptr<test::PostgresCluster> server_;
};

TEST_F(FullServerTest, NothingIsLostAndTheNodesGoOnByThemselves) {
  Effects watcher(server_->url());
  watcher.create();
  Load load(addresses_, traffic_,
            {.seed = seed_, .instances = kInstances, .database_url = server_->url()});
  const crash_test::Guard guard(
      kLimit, [&] { return load.describe(); }, [&] { kill_all_for_good(); });
  start_nodes();
  ASSERT_NO_FATAL_FAILURE(deploy(storm_model()));
  load.begin();
  load.wait_for_completed(watcher, kInstances / 10);
  disk_.fill();
  wait_until([&] {
    // Moves on to log files that do not fit.
    static_cast<void>(watcher.rows("SELECT pg_switch_wal()"));
    return traffic_.unavailable >= kRefusals;
  });
  expect_told(nodes_[0]->url());
  disk_.free();
  server_->kill();
  ASSERT_TRUE(server_->restart());
  load.wait_for_completed(watcher, kInstances);
  load.finish();
  std::cout << load.describe() << std::endl;
  expect_all_ready();
  stop_nodes();
  expect_everything_once(watcher, load, kInstances);
  expect_no_bugs();
  expect_clean(server_->url());
}

} // namespace
} // namespace perdure::cluster_test
