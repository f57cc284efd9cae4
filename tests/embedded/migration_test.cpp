// The front door for embedders: running instances go on with another version of their process.
#include <gtest/gtest.h>

#include <string>

#include "embedded/fixture.h"
#include "perdure/engine.h"

namespace perdure {
namespace {

std::string model(const std::string& task) {
  return R"(<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="test">
  <process id="work" isExecutable="true">
    <startEvent id="Start"/><sequenceFlow id="in" sourceRef="Start" targetRef=")" +
         task + R"("/>
    <userTask id=")" +
         task + R"("/><sequenceFlow id="out" sourceRef=")" + task + R"(" targetRef="End"/>
    <endEvent id="End"/>
  </process>
</definitions>)";
}

using EmbeddedMigration = test::EmbeddedTest;
PERDURE_ON_BOTH(EmbeddedMigration);

TEST_P(EmbeddedMigration, AnInstanceGoesOnWithAnotherVersionOrSaysWhyNot) {
  Engine engine(storage());
  ASSERT_TRUE(engine.deploy(model("Ask"), "work.bpmn"));
  const auto id = engine.start("work");
  ASSERT_TRUE(id);
  ASSERT_TRUE(engine.deploy(model("Question"), "work.bpmn"));
  const auto unmapped = engine.migrate(*id, 2);
  ASSERT_FALSE(unmapped);
  EXPECT_EQ(unmapped.error().code, ErrorCode::conflict);
  EXPECT_EQ(unmapped.error().message,
            "The instance is at `Ask`, which is not in the new version: map it to an element of "
            "its kind.");
  EXPECT_EQ(engine.migrate(*id, 7).error().code, ErrorCode::not_found);
  const MigrateOptions tried{.mapping = {{"Ask", "Question"}}, .dry_run = true};
  EXPECT_TRUE(engine.migrate(*id, 2, tried));
  EXPECT_FALSE(engine.migrate(*id, 2)) << "a dry run changes nothing";
  EXPECT_TRUE(engine.migrate(*id, 2, {.mapping = {{"Ask", "Question"}}}));
  EXPECT_EQ(engine.migrate(*id, 2).error().code, ErrorCode::conflict) << "it is there already";
}

} // namespace
} // namespace perdure
