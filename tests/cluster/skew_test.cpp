// Three nodes whose clocks are minutes apart. Only the database's clock counts: no timer fires
// early or late, no lease is taken away too soon or kept too long, and no row tells a wrong time.
#include <gtest/gtest.h>

#include <chrono>

#include "base/time.h"
#include "cluster/client.h"
#include "cluster/cluster.h"
#include "cluster/load.h"

namespace perdure::cluster_test {
namespace {

using cli_test::at;
using cli_test::size_of;
using cli_test::text_at;

/// In seconds: behind, right, ahead.
constexpr int kOffsets[] = {-300, 0, 420};
constexpr int kLongLockMs = 60'000;
constexpr int kShortLockMs = 300;

class SkewTest : public ClusterTest {
protected:
  SkewTest() : ClusterTest(std::size(kOffsets)) {}

  void SetUp() override {
    ClusterTest::SetUp();
    if (IsSkipped()) return;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      nodes_[i]->set_environment({"LD_PRELOAD=" PERDURE_SKEWED_CLOCK,
                                  "PERDURE_TEST_CLOCK_OFFSET=" + std::to_string(kOffsets[i])});
    }
    start_nodes();
    for (const auto& node : nodes_)
      clients_.emplace_back(node->url());
    ASSERT_NO_FATAL_FAILURE(deploy(storm_model()));
    rows_ = std::make_unique<Effects>(postgres().url());
  }

  Value fetch(std::size_t node, const std::string& type, int lock_ms, int wait_ms) {
    const auto reply = clients_[node].post("/external-tasks/fetch-and-lock",
                                           Object{{"worker_id", "at " + std::to_string(node)},
                                                  {"task_types", Array{type}},
                                                  {"lock_duration_ms", lock_ms},
                                                  {"wait_ms", wait_ms}});
    EXPECT_EQ(reply.status, 200);
    const auto tasks = at(reply.body, "tasks");
    return size_of(tasks) == 0 ? Value() : at(tasks, 0);
  }

  void complete(std::size_t node, const Value& task) {
    const auto path = "/external-tasks/" + text_at(at(task, "id")) + "/complete";
    EXPECT_EQ(clients_[node].post(path, Object{{"worker_id", "at " + std::to_string(node)}}).status,
              200);
  }

  void expect_true(const std::string& condition) {
    EXPECT_EQ(rows_->value("SELECT " + condition), "t") << condition;
  }

  std::vector<Client> clients_;
  std::unique_ptr<Effects> rows_;
};

TEST_F(SkewTest, ClocksOfNodesAreWrong) {
  // Their logs tell the time of their machine, which proves that the others prove anything.
  const auto now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const auto line = nodes_[i]->log_lines("started");
    const auto told = parse_instant(line.substr(0, line.find(' ')));
    ASSERT_TRUE(told) << line;
    EXPECT_LT(std::chrono::abs(*told - now - std::chrono::seconds(kOffsets[i])),
              std::chrono::minutes(1));
  }
}

TEST_F(SkewTest, ALeaseLastsAsLongAsItWasAskedFor) {
  static_cast<void>(clients_[1].start("storm"));
  // Taken at the node that is behind: the others must not think that it is over.
  const auto kept = fetch(0, "charge", kLongLockMs, 5'000);
  ASSERT_FALSE(kept.is_null());
  EXPECT_TRUE(fetch(2, "charge", kLongLockMs, 1'500).is_null());
  expect_true(
      "lock_expires_at BETWEEN clock_timestamp() AND clock_timestamp() + interval '60 s' "
      "FROM perdure.external_task WHERE type = 'charge'");
  complete(0, kept);
  // Taken at the node that is ahead: the others must not wait for minutes.
  ASSERT_FALSE(fetch(2, "pack", kShortLockMs, 5'000).is_null());
  const auto again = fetch(0, "pack", kLongLockMs, 20'000);
  ASSERT_FALSE(again.is_null());
  EXPECT_EQ(at(again, "attempt"), Value(2));
  complete(0, again);
}

TEST_F(SkewTest, ATimerFiresWhenItIsDue) {
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    const auto id = clients_[node].start("storm");
    // Whichever node fires it, and whichever gives the task that comes after it.
    const auto task = fetch((node + 1) % nodes_.size(), "notify", kLongLockMs, 20'000);
    ASSERT_FALSE(task.is_null());
    EXPECT_EQ(text_at(at(task, "instance_id")), id);
    expect_true(
        "(payload->>'lateness_ms')::bigint BETWEEN 0 AND 20000 FROM perdure.history_event "
        "WHERE event_type = 'timer_fired' AND instance_id = " +
        id);
    expect_true(
        "timer.due_at = instance.created_at + interval '1 s' FROM perdure.timer AS timer "
        "JOIN perdure.process_instance AS instance ON instance.id = timer.instance_id "
        "WHERE instance.id = " +
        id);
  }
  expect_true(
      "max(abs(extract(epoch FROM occurred_at - clock_timestamp()))) < 60 "
      "FROM perdure.history_event");
  expect_true(
      "max(abs(extract(epoch FROM deployed_at - clock_timestamp()))) < 60 "
      "FROM perdure.process_definition");
  stop_nodes();
  expect_no_bugs();
  expect_clean(postgres().url());
}

} // namespace
} // namespace perdure::cluster_test
