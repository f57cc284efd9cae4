// The connection to the database is cut in the middle of a COMMIT: the node cannot know whether it
// was done. Whoever asked hears "try again", or that it is done; asked again, it is found done or
// is done now, and never twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <iostream>
#include <thread>

#include "cluster/client.h"
#include "cluster/cluster.h"
#include "cluster/load.h"
#include "cluster/proxy.h"
#include "cluster/verdict.h"
#include "crash/guard.h"
#include "crash/seed.h"

namespace perdure::cluster_test {
namespace {

using cli_test::at;
using cli_test::text_at;

constexpr std::chrono::seconds kLimit{300};
constexpr std::chrono::milliseconds kPause{20};

class CutTest : public ClusterTest {
protected:
  CutTest() : ClusterTest(1) {}

  void SetUp() override {
    ClusterTest::SetUp();
    if (IsSkipped()) return;
    proxy_ = std::make_unique<Proxy>(postgres().folder());
    watcher_ = std::make_unique<Effects>(postgres().url());
    add_nodes(proxy_->url());
    start_nodes();
    client_.emplace(nodes_.front()->url());
    ASSERT_NO_FATAL_FAILURE(deploy(cli_test::ask_model()));
    ASSERT_NO_FATAL_FAILURE(deploy(storm_model()));
  }

  void TearDown() override {
    if (IsSkipped()) return;
    client_.reset();
    stop_nodes();
    expect_no_bugs();
    expect_clean(postgres().url());
    nodes_.clear();
  }

  /// Sends it into a cut, and then again as a careful caller would; the second answer.
  Reply post_twice(Cut cut, const std::string& path, const Value& body,
                   const std::string& key = {}) {
    const int before = proxy_->cuts();
    proxy_->cut_next(cut);
    const auto first = client_->post(path, body, key);
    EXPECT_EQ(first.status, 503) << path;
    EXPECT_EQ(proxy_->cuts(), before + 1) << path;
    return client_->post_until_served(path, body, key);
  }

  std::string start(const std::string& process) { return client_->start(process); }

  /// A task of that type, locked by "w".
  Value fetch(const std::string& type, int lock_ms = 60'000, int wait_ms = 10'000) {
    const auto reply = client_->post_until_served("/external-tasks/fetch-and-lock",
                                                  Object{{"worker_id", "w"},
                                                         {"task_types", Array{type}},
                                                         {"lock_duration_ms", lock_ms},
                                                         {"wait_ms", wait_ms}});
    EXPECT_EQ(reply.status, 200);
    const auto tasks = at(reply.body, "tasks");
    return cli_test::size_of(tasks) == 0 ? Value() : at(tasks, 0);
  }

  static std::string path_of(const Value& task, const std::string& action) {
    return "/external-tasks/" + text_at(at(task, "id")) + "/" + action;
  }

  std::string count(const std::string& question) {
    return watcher_->value("SELECT count(*) FROM perdure." + question);
  }
  /// "1 interrupted, 2 succeeded"
  std::string attempts_of(const Value& task) {
    return watcher_->value(
        "SELECT coalesce(string_agg(number || ' ' || attempt.state, ', ' ORDER BY number), '') "
        "FROM perdure.step_attempt AS attempt JOIN perdure.external_task AS task USING "
        "(instance_id, step_id) WHERE task.id = " +
        text_at(at(task, "id")));
  }

  std::unique_ptr<Proxy> proxy_;
  std::unique_ptr<Effects> watcher_;
  std::optional<Client> client_;
};

constexpr Cut kCuts[] = {Cut::before_commit, Cut::after_commit};

std::string name_of(Cut cut) { return cut == Cut::before_commit ? "before" : "after"; }

TEST_F(CutTest, AStartIsFoundByItsIdempotencyKey) {
  for (const auto cut : kCuts) {
    const auto name = "order-" + name_of(cut);
    const Object order{{"process_def_id", "ask"}, {"business_key", name}};
    const auto again = post_twice(cut, "/process-instances", order, name);
    EXPECT_EQ(again.status, cut == Cut::before_commit ? 201 : 200);
    EXPECT_EQ(again.replayed, cut == Cut::after_commit);
    const auto id = text_at(at(again.body, "id"));
    EXPECT_EQ(text_at(at(client_->post("/process-instances", order, name).body, "id")), id);
    EXPECT_EQ(count("process_instance WHERE business_key = '" + name + "'"), "1");
    EXPECT_EQ(count("process_instance WHERE id = " + id), "1");
    EXPECT_EQ(count("idempotency_key WHERE key = '" + name + "'"), "1");
  }
}

TEST_F(CutTest, AStartIsFoundByItsBusinessKey) {
  for (const auto cut : kCuts) {
    const auto name = "unique-" + name_of(cut);
    const auto again = post_twice(
        cut, "/process-instances",
        Object{{"process_def_id", "ask"}, {"business_key", name}, {"unique_business_key", true}});
    const auto id = watcher_->value(
        "SELECT id FROM perdure.process_instance WHERE business_key = '" + name + "'");
    if (cut == Cut::before_commit) {
      EXPECT_EQ(again.status, 201);
      EXPECT_EQ(text_at(at(again.body, "id")), id);
    } else {
      EXPECT_EQ(again.violation, "BusinessKeyTaken");
      EXPECT_EQ(text_at(at(again.body, "existing_instance_id")), id);
    }
  }
}

TEST_F(CutTest, ACompletionIsDoneOnce) {
  for (const auto cut : kCuts) {
    for (const std::string key : {"", "key"}) {
      start("ask");
      const auto task = fetch("payment");
      const auto again =
          post_twice(cut, path_of(task, "complete"),
                     Object{{"worker_id", "w"}, {"variables", Object{{"paid", true}}}},
                     key.empty() ? key : key + text_at(at(task, "id")));
      if (cut == Cut::after_commit && key.empty()) {
        EXPECT_EQ(again.violation, "TokenFinalizedTwice");
      } else {
        EXPECT_EQ(again.status, 200);
      }
      EXPECT_EQ(attempts_of(task), "1 succeeded");
      const auto of_instance = " WHERE instance_id = " + text_at(at(task, "instance_id"));
      EXPECT_EQ(count("user_task" + of_instance), "1"); // the next step was opened once
      EXPECT_EQ(count("history_event" + of_instance + " AND event_type = 'attempt_succeeded'"),
                "1");
    }
  }
}

TEST_F(CutTest, AFailedAttemptIsCountedOnce) {
  for (const auto cut : kCuts) {
    start("ask");
    const auto task = fetch("payment");
    const auto again = post_twice(
        cut, path_of(task, "fail"),
        Object{{"worker_id", "w"}, {"attempt", 1}, {"error_name", "No"}, {"retry_delay_ms", 0}});
    if (cut == Cut::before_commit) {
      EXPECT_EQ(again.status, 200);
    } else {
      EXPECT_EQ(again.violation, "ExternalTaskLeaseConflict");
    }
    EXPECT_EQ(attempts_of(task), "1 failed");
    const auto second = fetch("payment");
    EXPECT_EQ(client_->post(path_of(second, "complete"), Object{{"worker_id", "w"}}).status, 200);
    EXPECT_EQ(attempts_of(task), "1 failed, 2 succeeded");
  }
}

TEST_F(CutTest, ALockThatNobodyHeardOfRunsOut) {
  for (const auto cut : kCuts) {
    start("ask");
    const int before = proxy_->cuts();
    proxy_->cut_next(cut);
    auto task = fetch("payment", 300, 300);
    EXPECT_EQ(proxy_->cuts(), before + 1);
    while (task.is_null())
      task = fetch("payment", 60'000, 1'000);
    EXPECT_EQ(client_->post(path_of(task, "complete"), Object{{"worker_id", "w"}}).status, 200);
    EXPECT_EQ(attempts_of(task),
              cut == Cut::before_commit ? "1 succeeded" : "1 interrupted, 2 succeeded");
  }
}

TEST_F(CutTest, ATimerFiresOnce) {
  for (const auto cut : kCuts) {
    const auto id = start("storm");
    const int before = proxy_->cuts();
    proxy_->cut_next(cut); // nothing else is written meanwhile
    const auto of_instance = " WHERE instance_id = " + id;
    while (count("timer" + of_instance + " AND status = 'fired'") != "1")
      addresses_.wait_for_change(kPause);
    EXPECT_EQ(proxy_->cuts(), before + 1);
    const auto task = fetch("notify");
    EXPECT_EQ(text_at(at(task, "instance_id")), id);
    EXPECT_EQ(count("history_event" + of_instance + " AND event_type = 'timer_fired'"), "1");
    EXPECT_EQ(count("external_task" + of_instance + " AND type = 'notify'"), "1");
    EXPECT_EQ(client_->post(path_of(task, "complete"), Object{{"worker_id", "w"}}).status, 200);
  }
}

TEST_F(CutTest, APersonsWordIsTakenOnce) {
  for (const auto cut : kCuts) {
    const auto id = start("ask");
    const auto task = fetch("payment");
    ASSERT_EQ(client_->post(path_of(task, "complete"), Object{{"worker_id", "w"}}).status, 200);
    const auto user_task =
        watcher_->value("SELECT id FROM perdure.user_task WHERE instance_id = " + id);
    const auto again =
        post_twice(cut, "/tasks/" + user_task + "/complete", Object{{"actor", "ada"}});
    EXPECT_EQ(again.status, cut == Cut::before_commit ? 200 : 409);
    EXPECT_EQ(count("timer WHERE instance_id = " + id), "1");
    EXPECT_EQ(count("audit_entry WHERE instance_id = " + id), "1");
    // Its timer is still to fire: that must not be the commit which the next round cuts.
    while (count("process_instance WHERE status = 'completed' AND id = " + id) != "1")
      addresses_.wait_for_change(kPause);
  }
}

TEST_F(CutTest, AnInstanceIsCancelledOnce) {
  for (const auto cut : kCuts) {
    const auto id = start("ask");
    const auto again = post_twice(cut, "/process-instances/" + id + "/cancel", Object{});
    EXPECT_EQ(again.status, cut == Cut::before_commit ? 200 : 409);
    EXPECT_EQ(count("process_instance WHERE status = 'cancelled' AND id = " + id), "1");
    EXPECT_EQ(count("audit_entry WHERE instance_id = " + id), "1");
  }
}

TEST_F(CutTest, AModelIsDeployedOnce) {
  for (const auto cut : kCuts) {
    const auto model = cli_test::ask_model() + "<!-- " + name_of(cut) + " -->\n";
    proxy_->cut_next(cut);
    EXPECT_EQ(client_->deploy(model).status, 503);
    int status = 503;
    while ((status = client_->deploy(model).status) == 503)
      addresses_.wait_for_change(kPause);
    EXPECT_EQ(status, 201);
    EXPECT_EQ(count("process_definition WHERE process_id = 'ask'"),
              cut == Cut::before_commit ? "2" : "3");
  }
}

/// Two nodes, the first one through the proxy.
class FrozenSenderTest : public ClusterTest {
protected:
  FrozenSenderTest() : ClusterTest(2) {}
};

TEST_F(FrozenSenderTest, ItsLocksAreTakenAwayAlsoWhenItStoppedInTheMiddle) {
  Proxy proxy(postgres().folder());
  nodes_[0] = std::make_unique<Node>(0, std::vector<std::string>{"--database", proxy.url()},
                                     folder().path("log0"), addresses_);
  start_nodes();
  ASSERT_NO_FATAL_FAILURE(deploy(cli_test::ask_model()));
  Client other(nodes_[1]->url());
  const auto id = other.start("ask");
  const auto fetched = other.post("/external-tasks/fetch-and-lock",
                                  Object{{"worker_id", "w"}, {"task_types", Array{"payment"}}});
  const auto path = "/external-tasks/" + text_at(at(fetched.body, "tasks", 0, "id"));
  proxy.freeze_next();
  std::jthread stuck([&] {
    // It is frozen, and then told that its session has ended.
    const auto reply =
        Client(nodes_[0]->url())
            .post(path + "/extend-lock", Object{{"worker_id", "w"}, {"lock_duration_ms", 90'000}});
    EXPECT_EQ(reply.status, 503);
  });
  Effects rows(postgres().url());
  while (rows.value("SELECT count(*) FROM pg_stat_activity WHERE state = 'active' "
                    "AND wait_event = 'ClientRead'") != "1") {
    addresses_.wait_for_change(kPause);
  }
  EXPECT_EQ(other.post(path + "/complete", Object{{"worker_id", "w"}}).status, 200);
  stuck.join();
  EXPECT_EQ(rows.value("SELECT count(*) FROM perdure.user_task WHERE instance_id = " + id), "1");
  // The frozen one goes on as well.
  static_cast<void>(
      Client(nodes_[0]->url())
          .post_until_served("/process-instances", Object{{"process_def_id", "ask"}}));
  expect_all_ready();
  stop_nodes();
  expect_no_bugs();
  expect_clean(postgres().url());
}

/// Every tenth transaction is cut, under load.
class CutByLotTest : public ClusterTest {
protected:
  CutByLotTest() : ClusterTest(2) {}
};

TEST_F(CutByLotTest, EveryTaskHasItsEffectOnce) {
  constexpr int kInstances = 150;
  const auto seed = crash_test::seed_of_this_run();
  Proxy proxy(postgres().folder());
  add_nodes(proxy.url());
  Effects watcher(postgres().url());
  watcher.create();
  Traffic traffic;
  Load load(addresses_, traffic,
            {.seed = seed, .instances = kInstances, .database_url = postgres().url()});
  const crash_test::Guard guard(
      kLimit, [&] { return std::to_string(proxy.cuts()) + " cuts; " + load.describe(); },
      [&] { kill_all_for_good(); });
  start_nodes();
  ASSERT_NO_FATAL_FAILURE(deploy(storm_model()));
  proxy.cut_by_lot(10, seed);
  load.begin();
  load.wait_for_completed(watcher, kInstances);
  load.finish();
  std::cout << proxy.cuts() << " cuts; " << load.describe() << std::endl;
  EXPECT_GT(proxy.cuts(), 10);
  EXPECT_GT(traffic.unavailable, 0);
  stop_nodes();
  expect_everything_once(watcher, load, kInstances);
  expect_no_bugs();
  expect_clean(postgres().url());
  nodes_.clear();
}

} // namespace
} // namespace perdure::cluster_test
