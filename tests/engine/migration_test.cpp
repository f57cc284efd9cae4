// Instances that go on with another version of their process.
#include "engine/fixture.h"

namespace perdure::engine {
namespace {

using facts::InstanceStatus;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// start -> `id` (a task of type work) -> Next (the same) -> end
std::string longer_model(std::string_view id) {
  const std::string name(id);
  return model("work", "<startEvent id=\"Start\"/>" + service(name, "work") +
                           service("Next", "work") + "<endEvent id=\"End\"/>" +
                           flow("Start", name) + flow(name, "Next") + flow("Next", "End"));
}

class Migration : public EngineTest {
protected:
  Answer<Migrated> migrate(Key id, facts::MigrateRequested request, bool dry_run = false) {
    return ask<Migrated>([&](auto reply) {
      engine().migrate(
          {.instance_id = id, .request = std::move(request), .dry_run = dry_run, .actor = "ada"},
          std::move(reply));
    });
  }
};

TEST_F(Migration, AWorkerKeepsItsLockAndTheInstanceGoesOnWithTheOtherVersion) {
  run();
  deploy(work_model());
  const auto id = start("work");
  const auto job = fetch_one("work");
  const auto newer = deploy(longer_model("Labour"));
  ASSERT_TRUE(migrate(id, {.version = 2, .mapping = {{"Work", "Labour"}}}));
  EXPECT_EQ(record(id).rows.instance.definition_id, newer);
  EXPECT_EQ(task(id).node_id, "Labour");
  EXPECT_EQ(task(id).state, facts::TaskState::locked);
  EXPECT_EQ(record(id).rows.steps.slots().front().row.node_id, "Work"); // the name it began with
  run(); // loaded from the rows alone
  ASSERT_TRUE(complete(job.task_id));
  EXPECT_EQ(fetch_one("work").node_id, "Next");
  EXPECT_THAT(attempt_states(id),
              ElementsAre(facts::AttemptState::succeeded, facts::AttemptState::started));
}

TEST_F(Migration, IsAuditedAndKeptAsARow) {
  run();
  const auto older = deploy(work_model());
  const auto id = start("work");
  const auto newer = deploy(longer_model("Labour"));
  ASSERT_TRUE(migrate(id, {.definition_id = newer, .mapping = {{"Work", "Labour"}}}));
  const auto rows = record(id);
  ASSERT_EQ(rows.rows.migrations.size(), 1U);
  const auto& row = rows.rows.migrations.slots().front().row;
  EXPECT_EQ(row.from_definition_id, older);
  EXPECT_EQ(row.to_definition_id, newer);
  EXPECT_EQ(row.mapping, Value(Object({{"Work", "Labour"}})));
  EXPECT_EQ(rows.history[static_cast<std::size_t>(row.sequence) - 1].event_type,
            "instance_migrated");
}

TEST_F(Migration, ADryRunTellsTheFactsAndChangesNothing) {
  run();
  const auto older = deploy(work_model());
  const auto id = start("work");
  deploy(longer_model("Labour"));
  const auto before = record(id).history.size();
  const facts::MigrateRequested request{.version = 2, .mapping = {{"Work", "Labour"}}};
  const auto tried = migrate(id, request, true);
  ASSERT_TRUE(tried);
  EXPECT_EQ(record(id).history.size(), before);
  EXPECT_EQ(record(id).rows.instance.definition_id, older);
  ASSERT_TRUE(migrate(id, request));
  const auto history = record(id).history;
  ASSERT_EQ(history.size(), before + tried->facts.size());
  for (std::size_t i = 0; i < tried->facts.size(); ++i) {
    EXPECT_EQ(*tried->facts[i].find("type"), Value(history[before + i].event_type));
  }
}

TEST_F(Migration, TellsEveryReasonWhyNot) {
  run();
  deploy(work_model());
  const auto other = deploy(timer_model());
  const auto id = start("work");
  deploy(longer_model("Labour"));
  const auto refused = migrate(id, {.version = 2, .mapping = {{"Nobody", "Labour"}}});
  ASSERT_EQ(outcome_of(refused), "refused BadMigration");
  ASSERT_THAT(refused.error().objections, SizeIs(2));
  EXPECT_EQ(refused.error().objections[0].element_id, "Nobody");
  EXPECT_EQ(refused.error().objections[1].element_id, "Work");
  EXPECT_EQ(outcome_of(migrate(id, {.version = 2}, true)), "refused BadMigration");
  EXPECT_EQ(outcome_of(migrate(id, {.version = 1})), "refused BadMigration");
  EXPECT_EQ(outcome_of(migrate(id, {.version = 7})), "not_found");
  EXPECT_EQ(outcome_of(migrate(id, {.definition_id = other})), "refused BadMigration");
  EXPECT_EQ(outcome_of(migrate(id, {.definition_id = 999'999})), "not_found");
  EXPECT_EQ(outcome_of(migrate(999'999, {.version = 2})), "not_found");
  EXPECT_EQ(outcome_of(migrate(id, {})), "invalid_input");
  EXPECT_EQ(outcome_of(migrate(id, {.definition_id = other, .version = 2})), "invalid_input");
  ASSERT_TRUE(cancel(id));
  EXPECT_EQ(outcome_of(migrate(id, {.version = 2})), "refused InstanceFinished");
}

TEST_F(Migration, APausedInstanceGoesOnAfterTheResume) {
  run();
  deploy(work_model());
  const auto id = start("work");
  deploy(longer_model("Work"));
  ASSERT_TRUE(ask<Done>([&](auto reply) {
    engine().pause({.instance_id = id, .reason = {}, .actor = {}}, std::move(reply));
  }));
  ASSERT_TRUE(migrate(id, {.version = 2}));
  EXPECT_EQ(status(id), InstanceStatus::paused);
  ASSERT_TRUE(ask<Done>(
      [&](auto reply) { engine().resume({.instance_id = id, .actor = {}}, std::move(reply)); }));
  ASSERT_TRUE(complete(fetch_one("work").task_id));
  ASSERT_TRUE(complete(fetch_one("work").task_id));
  EXPECT_EQ(status(id), InstanceStatus::completed);
}

TEST_F(Migration, WhatIsSentBesideItIsDecidedBeforeOrAfter) {
  run();
  deploy(work_model());
  const auto id = start("work");
  const auto job = fetch_one("work");
  deploy(longer_model("Labour"));
  auto [completed, completion] = promise_reply<Done>();
  auto [migrated, migration] = promise_reply<Migrated>();
  auto [extended, extension] = promise_reply<Instant>();
  engine().extend_lock({.task_id = job.task_id,
                        .instance_id = id,
                        .worker_id = "w1",
                        .lock_duration = Duration(60'000)},
                       std::move(extended));
  engine().migrate(
      {.instance_id = id, .request = {.version = 2, .mapping = {{"Work", "Labour"}}}, .actor = {}},
      std::move(migrated));
  engine().complete_task({.task_id = job.task_id,
                          .instance_id = id,
                          .worker_id = "w1",
                          .variables = {},
                          .idempotency = {},
                          .actor = {}},
                         std::move(completed));
  EXPECT_TRUE(take(extension));
  EXPECT_TRUE(take(migration));
  EXPECT_TRUE(take(completion));
  EXPECT_EQ(fetch_one("work").node_id, "Next");
}

} // namespace
} // namespace perdure::engine
