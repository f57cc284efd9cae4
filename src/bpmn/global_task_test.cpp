// Global tasks: a call activity that names one is that task, in its own place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "bpmn/model_for_tests.h"

namespace perdure::bpmn {
namespace {

using definition::NodeKind;
using for_tests::compiled;
using for_tests::file;
using for_tests::problems;
using testing::ElementsAre;

/// A global task in line 2, and in line 5 the call activity `c` that names `G`.
std::string calling(const std::string& global, const std::string& inside = "",
                    const std::string& attributes = "calledElement=\"G\"") {
  return file(global +
              "\n<bpmn:process id=\"p\" isExecutable=\"true\">\n\n<bpmn:callActivity id=\"c\" "
              "name=\"Call\" " +
              attributes + ">" + inside + "</bpmn:callActivity></bpmn:process>");
}

const definition::Node& node_of(const definition::DefinitionPtr& definition) {
  return definition->node(definition->find_node("c"));
}

TEST(GlobalTask, OfPeopleIsAUserTask) {
  const auto definition = compiled(calling(
      "<bpmn:globalUserTask id=\"G\" name=\"Ask\"><bpmn:extensionElements>"
      "<zeebe:assignmentDefinition assignee=\"=who\"/><zeebe:taskListeners><zeebe:taskListener "
      "eventType=\"creating\" type=\"made\"/></zeebe:taskListeners></bpmn:extensionElements>"
      "</bpmn:globalUserTask>",
      "<bpmn:extensionElements><zeebe:ioMapping><zeebe:input source=\"=boss\" target=\"who\"/>"
      "</zeebe:ioMapping><zeebe:executionListeners><zeebe:executionListener eventType=\"start\" "
      "type=\"first\"/></zeebe:executionListeners></bpmn:extensionElements>"
      "<bpmn:standardLoopCharacteristics loopMaximum=\"2\"/>"));
  ASSERT_TRUE(definition);
  const auto& node = node_of(definition);
  EXPECT_EQ(node.kind, NodeKind::user_task);
  EXPECT_EQ(node.name, "Call");
  EXPECT_EQ(node.user_task->assignee.text, "=who");
  EXPECT_FALSE(node.call);
  EXPECT_TRUE(node.loop);
  ASSERT_TRUE(node.data);
  EXPECT_EQ(node.data->inputs.size(), 1U);
  ASSERT_EQ(node.listeners.size(), 2U);
  EXPECT_EQ(node.listeners[0].worker.type.text, "first");
  EXPECT_EQ(node.listeners[1].worker.type.text, "made");
}

TEST(GlobalTask, EachKindIsWhatItSays) {
  const auto kind_of = [](const std::string& global, const std::string& attributes) {
    const auto definition = compiled(calling(global, "", attributes));
    return definition ? node_of(definition).kind : NodeKind::process;
  };
  const std::string plain = "calledElement=\"G\"";
  EXPECT_EQ(kind_of("<bpmn:globalTask id=\"G\"/>", plain), NodeKind::undefined_task);
  EXPECT_EQ(kind_of("<bpmn:globalManualTask id=\"G\"/>", plain), NodeKind::manual_task);
  EXPECT_EQ(kind_of("<bpmn:globalTask id=\"G\"/>", "calledElement=\"tns:G\""),
            NodeKind::undefined_task);
  EXPECT_EQ(kind_of("<bpmn:globalBusinessRuleTask id=\"G\"><bpmn:extensionElements>"
                    "<zeebe:taskDefinition type=\"rate\"/></bpmn:extensionElements>"
                    "</bpmn:globalBusinessRuleTask>",
                    plain),
            NodeKind::business_rule_task);
  const auto script = compiled(calling(
      "<bpmn:globalScriptTask id=\"G\" scriptLanguage=\"feel\" camunda:resultVariable=\"y\">"
      "<bpmn:script>x + 1</bpmn:script></bpmn:globalScriptTask>"));
  ASSERT_TRUE(script);
  EXPECT_EQ(node_of(script).kind, NodeKind::script_task);
  EXPECT_EQ(node_of(script).script->result_variable, "y");
}

TEST(GlobalTask, WhatNamesNoneCallsAProcess) {
  for (const std::string attributes :
       {"calledElement=\"other\"", "calledElement=\"${name}\"", "calledElement=\"tns:other\""}) {
    const auto definition = compiled(calling("<bpmn:globalTask id=\"G\"/>", "", attributes));
    ASSERT_TRUE(definition) << attributes;
    EXPECT_EQ(node_of(definition).kind, NodeKind::call_activity) << attributes;
  }
  const auto by_extension = compiled(calling(
      "<bpmn:globalTask id=\"G\"/>",
      "<bpmn:extensionElements><zeebe:calledElement processId=\"G\"/></bpmn:extensionElements>"));
  ASSERT_TRUE(by_extension);
  EXPECT_EQ(node_of(by_extension).kind, NodeKind::call_activity);
}

TEST(GlobalTask, FaultsAreThoseOfTheTask) {
  EXPECT_THAT(problems(calling("<bpmn:globalScriptTask id=\"G\"/>")),
              ElementsAre("missing_script 2:1 c"));
  EXPECT_THAT(problems(calling("<bpmn:globalBusinessRuleTask id=\"G\"/>")),
              ElementsAre("missing_worker_type 2:1 c"));
  EXPECT_THAT(problems(calling("<bpmn:globalUserTask id=\"G\"><bpmn:potentialOwner/>"
                               "</bpmn:globalUserTask>")),
              ElementsAre("unsupported_element 2:29 c"));
  EXPECT_THAT(problems(calling("<bpmn:globalTask id=\"G\"/>",
                               "<bpmn:extensionElements><camunda:in variables=\"all\"/>"
                               "</bpmn:extensionElements>")),
              ElementsAre(testing::StartsWith("bad_call_mapping 5:")));
  EXPECT_THAT(problems(calling("<bpmn:globalTask id=\"G\"/>", "",
                               "calledElement=\"G\" camunda:calledElementBinding=\"latest\"")),
              ElementsAre("bad_call_mapping 5:1 c"));
  const std::string mapping =
      "<bpmn:extensionElements><zeebe:ioMapping><zeebe:input source=\"=a\" target=\"b\"/>"
      "</zeebe:ioMapping></bpmn:extensionElements>";
  EXPECT_THAT(
      problems(calling("<bpmn:globalTask id=\"G\">" + mapping + "</bpmn:globalTask>", mapping)),
      ElementsAre("bad_mapping 5:1 c"));
}

} // namespace
} // namespace perdure::bpmn
