// What operators do with running instances: hold them, set variables, move tokens by hand.
#include "engine/fixture.h"

namespace perdure::engine {
namespace {

using facts::InstanceStatus;
using facts::ModificationKind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Operations : public EngineTest {
protected:
  Answer<Done> pause(Key id) {
    return ask<Done>([&](auto reply) {
      engine().pause({.instance_id = id, .reason = "closed", .actor = "ada"}, std::move(reply));
    });
  }
  Answer<Done> resume(Key id) {
    return ask<Done>([&](auto reply) { engine().resume({.instance_id = id}, std::move(reply)); });
  }
  Answer<Modified> modify(Key id, std::vector<facts::Modification> changes, bool dry_run = false) {
    return ask<Modified>([&](auto reply) {
      engine().modify({.instance_id = id,
                       .request = {.modifications = std::move(changes), .variables = {}},
                       .dry_run = dry_run},
                      std::move(reply));
    });
  }
};

TEST_F(Operations, APausedInstanceHandsOutNoTaskAndAResumedOneDoes) {
  run();
  deploy(work_model());
  const auto id = start("work");
  ASSERT_TRUE(pause(id));
  EXPECT_EQ(status(id), InstanceStatus::paused);
  EXPECT_THAT(fetch("work"), IsEmpty());
  run(); // what is held is held after a restart
  EXPECT_THAT(fetch("work"), IsEmpty());
  auto parked = park({.worker_id = "w1", .task_types = {"work"}, .wait = Duration(60'000)});
  EXPECT_EQ(outcome_of(pause(id)), "refused InstancePaused");
  ASSERT_TRUE(resume(id));
  EXPECT_EQ(outcome_of(resume(id)), "refused TokenInvalidTransition");
  const auto jobs = take(parked);
  ASSERT_TRUE(jobs);
  ASSERT_THAT(*jobs, SizeIs(1));
  ASSERT_TRUE(complete(jobs->front().task_id));
  EXPECT_EQ(status(id), InstanceStatus::completed);
}

TEST_F(Operations, AWorkerKeepsItsLockThroughAPause) {
  run();
  deploy(work_model());
  const auto id = start("work");
  const auto job = fetch_one("work");
  ASSERT_TRUE(pause(id));
  EXPECT_EQ(outcome_of(complete(job.task_id)), "refused InstancePaused");
  advance(Duration(60'000)); // the lock is over, and nobody takes it away
  settle();
  EXPECT_EQ(task(id).state, facts::TaskState::locked);
  ASSERT_TRUE(resume(id));
  ASSERT_TRUE(complete(job.task_id));
  EXPECT_THAT(attempt_states(id), ElementsAre(facts::AttemptState::succeeded));
}

TEST_F(Operations, ATimerThatIsDueWaitsForTheResume) {
  run();
  deploy(timer_model());
  const auto id = start("nap");
  ASSERT_TRUE(pause(id));
  const auto other = start("nap");
  advance(Duration(10'000));
  watcher().await(other, "instance_completed"); // what is held does not hold up others
  EXPECT_EQ(status(id), InstanceStatus::paused);
  ASSERT_TRUE(resume(id));
  watcher().await(id, "instance_completed");
}

TEST_F(Operations, TokensThatAnOperatorPlacedGoOnAfterTheResume) {
  run();
  deploy(work_model());
  const auto id = start("work");
  ASSERT_TRUE(pause(id));
  ASSERT_TRUE(modify(id, {{.kind = ModificationKind::start_before, .node_id = "End"},
                          {.kind = ModificationKind::cancel, .node_id = "Work"}}));
  EXPECT_EQ(status(id), InstanceStatus::paused);
  ASSERT_TRUE(resume(id));
  watcher().await(id, "instance_completed");
}

TEST_F(Operations, ADryRunTellsTheFactsAndChangesNothing) {
  run();
  deploy(work_model());
  const auto id = start("work");
  const auto before = record(id).history.size();
  const std::vector<facts::Modification> changes{
      {.kind = ModificationKind::cancel, .node_id = "Work"},
      {.kind = ModificationKind::start_before, .node_id = "Work"}};
  const auto tried = modify(id, changes, true);
  ASSERT_TRUE(tried);
  EXPECT_EQ(record(id).history.size(), before);
  ASSERT_TRUE(modify(id, changes));
  const auto history = record(id).history;
  ASSERT_EQ(history.size(), before + tried->facts.size());
  for (std::size_t i = 0; i < tried->facts.size(); ++i) {
    EXPECT_EQ(*tried->facts[i].find("type"), Value(history[before + i].event_type));
  }
  EXPECT_EQ(outcome_of(modify(id, {{.kind = ModificationKind::cancel, .node_id = "none"}}, true)),
            "refused BadModification");
}

TEST_F(Operations, VariablesAreSetForWhatComesNext) {
  run();
  deploy(work_model());
  const auto id = start("work", Object{{"amount", 1}});
  const auto set = [&](Value variables) {
    return ask<Done>([&](auto reply) {
      engine().set_variables({.instance_id = id, .variables = std::move(variables)},
                             std::move(reply));
    });
  };
  ASSERT_TRUE(set(Object{{"amount", 2}, {"note", "by hand"}}));
  EXPECT_EQ(fetch_one("work").variables, Value(Object({{"amount", 2}, {"note", "by hand"}})));
  EXPECT_EQ(outcome_of(set(Object{})), "refused BadVariables");
  EXPECT_EQ(outcome_of(set(Array{})), "refused BadVariables");
}

} // namespace
} // namespace perdure::engine
