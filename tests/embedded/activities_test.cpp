// The front door for embedders: what it adds to the engine behind it.
#include <gtest/gtest.h>

#include <string>

#include "embedded/fixture.h"
#include "perdure/engine.h"

namespace perdure {
namespace {

constexpr const char* kModel = R"(<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="test">
  <process id="free" isExecutable="true">
    <adHocSubProcess id="Free">
      <task id="A"/>
      <task id="B"/>
      <completionCondition>= count &gt; 1</completionCondition>
    </adHocSubProcess>
  </process>
</definitions>)";

using EmbeddedActivities = test::EmbeddedTest;
PERDURE_ON_BOTH(EmbeddedActivities);

TEST_P(EmbeddedActivities, ActivitiesOfAnAdHocSubProcessAreChosen) {
  Engine engine(storage());
  ASSERT_TRUE(engine.deploy(kModel, "free.bpmn"));
  const auto id = engine.start("free", Object{{"count", 0}});
  ASSERT_TRUE(id);
  EXPECT_TRUE(engine.choose_activities(*id, "Free", {"A"}));
  const auto wrong = engine.choose_activities(*id, "Free", {"C"});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message,
            "These activities cannot begin: `Free` has no activity `C` that nothing leads to.");
  const auto unknown = engine.choose_activities(*id, "Elsewhere", {"A"});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::not_found);
  EXPECT_TRUE(engine.choose_activities(*id, "Free", {"B"}, Object{{"count", 2}}));
  EXPECT_EQ(engine.instance(*id)->status, InstanceStatus::completed);
}

} // namespace
} // namespace perdure
