// Many instances from several threads, with handlers that succeed, fail and give up by lot:
// whatever the order, every task is done once and every history folds to its rows.
#include <map>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>

#include "engine/fixture.h"

namespace perdure::engine {
namespace {

using facts::AttemptState;
using facts::InstanceStatus;

constexpr int kThreads = 4;
constexpr int kPerThread = 40;

Key task_of(const store::InstanceRecord& all, Key step_id) {
  for (const auto& slot : all.rows.external_tasks.slots()) {
    if (slot.row.step_id == step_id) return slot.row.id;
  }
  return kNoKey;
}

class Load : public EngineTest {
protected:
  /// Succeeds, fails, throws or gives up for good, by instance, task and attempt.
  JobResult work(const Job& job) {
    {
      const std::lock_guard lock(mutex_);
      ++runs_[{job.task_id, job.attempt}];
    }
    const auto lot = *job.variables.find("lot")->as<std::int64_t>();
    const auto number = lot + static_cast<std::int64_t>(job.node_id[0]) * 7 + job.attempt * 13;
    std::minstd_rand chance(static_cast<unsigned>(number));
    chance.discard(5);
    const auto draw = chance() % 10;
    if (draw < 6 || mended_) {
      const std::lock_guard lock(mutex_);
      ++successes_[job.task_id];
      return Value(Object{{job.node_id, job.attempt}});
    }
    if (draw < 8) return std::unexpected(JobFailure{.error_name = "Busy", .message = "Later."});
    if (draw < 9) throw std::runtime_error("Oh.");
    return std::unexpected(JobFailure{.error_name = "Never", .message = "No.", .retryable = false});
  }

  std::mutex mutex_;
  std::map<std::pair<Key, std::int64_t>, int> runs_;
  std::map<Key, int> successes_;
  std::atomic<bool> mended_{false};
};

TEST_F(Load, EveryTaskIsDoneOnce) {
  // No waiting between attempts: the clock stands still.
  create({.handler_threads = 4, .policy = {.backoff_initial = Duration(0)}});
  for (const auto* type : {"payment", "stock", "shipping"})
    engine().handle(type, [this](const Job& job) { return work(job); });
  begin();
  deploy(order_model());
  std::vector<Key> ids(kThreads * kPerThread);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (auto i = t; i < ids.size(); i += kThreads)
          ids[i] = start("order", Object{{"amount", static_cast<std::int64_t>(i)},
                                         {"lot", static_cast<std::int64_t>(i * 101)}});
      });
    }
  }
  const auto all_rest = [&] {
    return watcher().count(kNoKey, "instance_completed") +
               watcher().count(kNoKey, "incident_opened") >=
           static_cast<int>(ids.size());
  };
  wait_until(all_rest);
  EXPECT_GT(watcher().count(kNoKey, "incident_opened"), 0);
  EXPECT_GT(watcher().count(kNoKey, "attempt_failed"), 0);
  mended_ = true;
  for (const auto id : ids) {
    if (status(id) == InstanceStatus::running) EXPECT_EQ(outcome_of(retry(id)), "");
  }
  watcher().await(kNoKey, "instance_completed", static_cast<int>(ids.size()));

  for (const auto& [attempt, runs] : runs_)
    EXPECT_EQ(runs, 1) << "task " << attempt.first << " attempt " << attempt.second;
  EXPECT_EQ(successes_.size(), ids.size() * 3);
  for (const auto& [task_id, successes] : successes_)
    EXPECT_EQ(successes, 1) << task_id;
  for (const auto id : ids) {
    const auto all = record(id);
    EXPECT_EQ(all.rows.instance.status, InstanceStatus::completed);
    EXPECT_EQ(all.rows.steps.size(), 3U);
    for (const auto& slot : all.rows.attempts.slots())
      EXPECT_EQ((runs_[{task_of(all, slot.row.step_id), slot.row.number}]), 1);
    EXPECT_EQ(std::ranges::count(attempt_states(id), AttemptState::succeeded), 3);
  }
  EXPECT_EQ(log().text(), "");
}

} // namespace
} // namespace perdure::engine
