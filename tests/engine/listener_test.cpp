// Listeners as workers meet them: tasks like any other, each once, whatever engine is there.
#include "engine/fixture.h"

namespace perdure::engine {
namespace {

using facts::InstanceStatus;
using ::testing::ElementsAre;

std::string listening_model() {
  return model(
      "listening",
      R"(<extensionElements><zeebe:executionListeners>)"
      R"(<zeebe:executionListener eventType="start" type="open"/>)"
      R"(<zeebe:executionListener eventType="end" type="close"/>)"
      R"(</zeebe:executionListeners></extensionElements>)"
      R"(<startEvent id="Start"/>)" +
          flow("Start", "Work") +
          R"(<serviceTask id="Work"><extensionElements><zeebe:taskDefinition type="work"/>)"
          R"(<zeebe:taskHeaders><zeebe:header key="a" value="node"/>)"
          R"(<zeebe:header key="b" value="node"/></zeebe:taskHeaders><zeebe:executionListeners>)"
          R"(<zeebe:executionListener eventType="start" type="audit" retries="2">)"
          R"(<zeebe:taskHeaders><zeebe:header key="b" value="listener"/></zeebe:taskHeaders>)"
          R"(</zeebe:executionListener>)"
          R"(<zeebe:executionListener eventType="end" type="audit"/>)"
          R"(</zeebe:executionListeners></extensionElements></serviceTask>)" +
          flow("Work", "End") + R"(<endEvent id="End"/>)");
}

class Listeners : public EngineTest {
protected:
  void SetUp() override {
    run();
    deploy(listening_model());
  }
  /// The next engine knows only what the database says.
  Job fetch_after_restart(std::string_view type) {
    end();
    run();
    return fetch_one(std::string(type), "w1");
  }
};

TEST_F(Listeners, AreTasksWithAStepOfTheirOwn) {
  const auto id = start("listening", Object{{"n", 1}});
  const auto open = fetch_after_restart("open");
  EXPECT_EQ(open.node_id, "listening");
  EXPECT_EQ(open.listener, "start");
  EXPECT_EQ(outcome_of(complete(open.task_id, "w1", Value(Object{{"opened", true}}))), "");

  const auto before = fetch_after_restart("audit");
  EXPECT_EQ(before.listener, "start");
  EXPECT_EQ(before.retries, 2);
  EXPECT_EQ(before.headers, Value(Object{{"a", "node"}, {"b", "listener"}}));
  EXPECT_EQ(outcome_of(complete(before.task_id, "w1", Value(Object{{"own", 2}}))), "");

  const auto work = fetch_after_restart("work");
  EXPECT_EQ(work.listener, std::nullopt);
  EXPECT_EQ(work.headers, Value(Object{{"a", "node"}, {"b", "node"}}));
  EXPECT_EQ(*work.variables.find("own"), Value(2));
  EXPECT_EQ(outcome_of(complete(work.task_id)), "");

  const auto after = fetch_after_restart("audit");
  EXPECT_EQ(after.listener, "end");
  EXPECT_EQ(outcome_of(complete(after.task_id)), "");
  const auto close = fetch_after_restart("close");
  EXPECT_EQ(close.node_id, "listening");
  EXPECT_EQ(outcome_of(complete(close.task_id, "w1", Value(Object{{"closed", true}}))), "");
  EXPECT_EQ(status(id), InstanceStatus::completed);

  std::vector<std::string> steps;
  for (const auto& slot : record(id).rows.steps.slots())
    steps.push_back(slot.row.slug + " " + slot.row.name);
  EXPECT_THAT(steps, ElementsAre("listening:start:1 open", "Work:start:1 audit", "Work ",
                                 "Work:end:1 audit", "listening:end:1 close"));
  EXPECT_EQ(record(id).rows.scopes.slots().front().row.variables,
            Value(Object{{"n", 1}, {"opened", true}, {"closed", true}}));
  expect_sound();
}

TEST_F(Listeners, FailAndAreRetriedLikeAnyTask) {
  const auto id = start("listening");
  EXPECT_EQ(outcome_of(complete(fetch_one("open", "w1").task_id)), "");
  EXPECT_EQ(outcome_of(fail_task(fetch_one("audit", "w1").task_id)), "");
  advance(Duration(1'000));
  EXPECT_EQ(outcome_of(fail_task(fetch_one("audit", "w1").task_id)), "");
  ASSERT_EQ(incidents(id).size(), 1U);
  EXPECT_EQ(incidents(id).front().message,
            "No attempt is left for `Work:start:1` after attempt 2: mend the cause, then retry.");
  EXPECT_EQ(outcome_of(retry(id)), "");
  EXPECT_EQ(outcome_of(complete(fetch_after_restart("audit").task_id)), "");
  EXPECT_EQ(fetch_one("work", "w1").node_id, "Work");
  EXPECT_EQ(outcome_of(cancel(id)), "");
  EXPECT_EQ(status(id), InstanceStatus::cancelled);
  expect_sound();
}

} // namespace
} // namespace perdure::engine
