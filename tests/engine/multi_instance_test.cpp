// Large multi-instances in the engine: opened over several commits, each bounded, whatever dies in
// between; workers see the item and their own inputs.
#include <algorithm>

#include "engine/fixture.h"

namespace perdure::engine {
namespace {

using facts::InstanceStatus;

/// `body` goes into the multi-instance task "Work" of type "work".
std::string repeated_model(std::string_view extensions, std::string_view attributes = "") {
  return model("items",
               "<serviceTask id=\"Work\"><extensionElements>"
               "<zeebe:taskDefinition type=\"work\" />" +
                   std::string(extensions) +
                   "</extensionElements><multiInstanceLoopCharacteristics " +
                   std::string(attributes) +
                   "><extensionElements><zeebe:loopCharacteristics "
                   "inputCollection=\"=items\" inputElement=\"item\" "
                   "outputCollection=\"results\" outputElement=\"=result\" />"
                   "</extensionElements></multiInstanceLoopCharacteristics>"
                   "</serviceTask>\n");
}

Value items(int count) {
  Array list;
  for (int i = 0; i < count; ++i)
    list.emplace_back(i);
  return Object{{"items", std::move(list)}};
}

class MultiInstance : public EngineTest {
protected:
  /// Each item once, however often the engine died.
  void expect_results(Key id, int count) {
    const auto rows = record(id).rows;
    const facts::Scope* root = nullptr;
    std::int64_t iterations = 0;
    for (const auto& slot : rows.scopes.slots()) {
      if (!slot.row.parent_id) root = &slot.row;
      if (slot.row.kind == facts::ScopeKind::iteration) ++iterations;
    }
    EXPECT_EQ(iterations, count);
    ASSERT_NE(root, nullptr);
    const auto* results = root->variables.find("results");
    ASSERT_NE(results, nullptr);
    const auto& list = *results->as<Array>();
    ASSERT_EQ(list.size(), static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
      EXPECT_EQ(list[static_cast<std::size_t>(i)], Value(i * 10)) << i;
  }
};

JobResult ten_times(const Job& job) {
  return Value(Object{{"result", *job.variables.find("item")->as<std::int64_t>() * 10}});
}

TEST_F(MultiInstance, ManyItemsComeOverSeveralCommits) {
  create({.policy = {.max_moves = 50}});
  engine().handle("work", ten_times);
  begin();
  deploy(repeated_model(""));
  const auto id = start("items", items(400));
  wait_until([&] { return status(id) == InstanceStatus::completed; });
  expect_results(id, 400);
  EXPECT_GE(engine().counters().batches, 16);
}

/// Dies at one commit after another while the items are opened and done.
class DyingItems : public MultiInstance, public ::testing::WithParamInterface<int> {};

TEST_P(DyingItems, EveryItemIsDoneOnce) {
  run();
  deploy(repeated_model(""));
  create({.policy = {.max_moves = 6}});
  engine().handle("work", ten_times);
  faults().dies_at_commit = GetParam();
  faults().dies_after_writing = GetParam() % 2 == 0;
  begin();
  auto sent = promise_reply<Started>();
  StartCommand command{.process_id = "items"};
  command.variables = items(20);
  engine().start_instance(std::move(command), std::move(sent.first));
  const auto started = take(sent.second);
  wait_until([&] { return faults().dead || engine().counters().instances_completed == 1; });
  crash();

  create({.policy = {.max_moves = 6}});
  engine().handle("work", ten_times);
  begin();
  settle();
  const auto found = instances();
  if (started) ASSERT_EQ(found.size(), 1U);
  for (const auto id : found) {
    wait_until([&] { return status(id) == InstanceStatus::completed; });
    expect_results(id, 20);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryCommit, DyingItems, ::testing::Range(1, 12));

TEST_F(MultiInstance, AnInstanceThatIsLoadedAgainGoesOnWhereItWas) {
  create({.cached_instances = 0});
  begin();
  deploy(repeated_model("", "isSequential=\"true\""));
  const auto id = start("items", items(3));
  for (int i = 0; i < 3; ++i) {
    const auto job = fetch_one("work");
    EXPECT_EQ(*job.variables.find("item"), Value(i));
    EXPECT_EQ(*job.variables.find("loopCounter"), Value(i + 1));
    EXPECT_EQ(outcome_of(complete(job.task_id, "w1", Object{{"result", i * 10}})), "");
  }
  EXPECT_EQ(status(id), InstanceStatus::completed);
  expect_results(id, 3);
}

TEST_F(MultiInstance, AWorkerSeesTheInputsOfItsTask) {
  create({.cached_instances = 0});
  begin();
  deploy(model("mapped",
               "<serviceTask id=\"Work\"><extensionElements>"
               "<zeebe:taskDefinition type=\"work\" /><zeebe:ioMapping>"
               "<zeebe:input source=\"=total * 2\" target=\"order.amount\" />"
               "<zeebe:output source=\"=receipt\" target=\"paid\" />"
               "</zeebe:ioMapping></extensionElements></serviceTask>\n"));
  const auto id = start("mapped", Object{{"total", 21}});
  const auto job = fetch_one("work");
  EXPECT_EQ(*job.variables.find("order"), Value(Object{{"amount", 42}}));
  EXPECT_EQ(outcome_of(complete(job.task_id, "w1", Object{{"receipt", "r1"}, {"noise", 1}})), "");
  EXPECT_EQ(status(id), InstanceStatus::completed);
  const auto rows = record(id).rows;
  for (const auto& slot : rows.scopes.slots()) {
    if (slot.row.parent_id) continue;
    EXPECT_EQ(slot.row.variables, Value(Object{{"total", 21}, {"paid", "r1"}}));
  }
}

} // namespace
} // namespace perdure::engine
