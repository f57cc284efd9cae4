#include "bpmn/decision_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bpmn/read.h"

namespace perdure::bpmn {
namespace {

using definition::BindingKind;
using definition::ResultMapping;
using testing::HasSubstr;

std::string model(const std::string& task) {
  return R"(<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
  xmlns:zeebe="http://camunda.org/schema/zeebe/1.0"
  xmlns:camunda="http://camunda.org/schema/1.0/bpmn"><process id="p" isExecutable="true">
  <startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="t"/>)" +
         task + "</process></definitions>";
}

std::string called(const std::string& attributes, const std::string& tag = "businessRuleTask") {
  return "<" + tag + " id=\"t\"><extensionElements><zeebe:calledDecision " + attributes +
         "/></extensionElements></" + tag + ">";
}

std::string task(const std::string& attributes, const std::string& content = "") {
  return "<businessRuleTask id=\"t\" " + attributes + ">" + content + "</businessRuleTask>";
}

definition::Node node_of(const std::string& task_text) {
  const auto read = bpmn::read(model(task_text), "p.bpmn");
  if (!read) {
    ADD_FAILURE() << definition::to_text(read.error().front());
    return {};
  }
  const auto& definition = *read->processes.front().definition;
  return definition.node(definition.find_node("t"));
}

std::string refusal(const std::string& task_text) {
  const auto read = bpmn::read(model(task_text), "p.bpmn");
  if (read) return "";
  const auto& first = read.error().front();
  EXPECT_EQ(first.element_id, "t");
  return first.code + ": " + first.message;
}

TEST(DecisionReader, ReadsWhatCamunda8Says) {
  auto node = node_of(called(R"(decisionId="dish" resultVariable="menu")"));
  ASSERT_TRUE(node.decision);
  EXPECT_FALSE(node.worker);
  EXPECT_EQ(node.decision->decision_id.text, "dish");
  EXPECT_EQ(node.decision->result_variable, "menu");
  EXPECT_EQ(node.decision->binding.kind, BindingKind::latest);
  EXPECT_EQ(node.decision->mapping, ResultMapping::whole);
  node = node_of(called(R"(decisionId="=kind" resultVariable="menu" bindingType="deployment")"));
  EXPECT_TRUE(node.decision->decision_id.expression);
  EXPECT_EQ(node.decision->binding.kind, BindingKind::deployment);
  node = node_of(
      called(R"(decisionId="d" resultVariable="m" bindingType="versionTag" versionTag="v1")"));
  EXPECT_EQ(node.decision->binding.kind, BindingKind::version_tag);
  EXPECT_EQ(node.decision->binding.version.text, "v1");
}

TEST(DecisionReader, ReadsWhatCamunda7Says) {
  auto node = node_of(task(R"(camunda:decisionRef="dish")"));
  ASSERT_TRUE(node.decision);
  EXPECT_EQ(node.decision->mapping, ResultMapping::result_list);
  EXPECT_EQ(node.decision->result_variable, "");
  node = node_of(task(R"(camunda:decisionRef="${kind}" camunda:decisionRefBinding="version"
    camunda:decisionRefVersion="3" camunda:mapDecisionResult="singleEntry"
    camunda:resultVariable="menu")"));
  EXPECT_TRUE(node.decision->decision_id.expression);
  EXPECT_EQ(node.decision->binding.kind, BindingKind::version);
  EXPECT_EQ(node.decision->binding.version.text, "3");
  EXPECT_EQ(node.decision->mapping, ResultMapping::single_entry);
  EXPECT_EQ(node.decision->result_variable, "menu");
}

TEST(DecisionReader, AWorkerMayDecideInstead) {
  const auto node = node_of(task(R"(camunda:type="external" camunda:topic="rate")"));
  EXPECT_FALSE(node.decision);
  ASSERT_TRUE(node.worker);
  EXPECT_EQ(node.worker->type.text, "rate");
}

TEST(DecisionReader, RefusesWhatIsNotSaidInFull) {
  EXPECT_THAT(refusal(called(R"(resultVariable="menu")")), HasSubstr("bad_decision: The called "
                                                                     "decision has no id"));
  EXPECT_THAT(refusal(called(R"(decisionId="d")")), HasSubstr("has no result variable"));
  EXPECT_THAT(refusal(called(R"(decisionId="d" resultVariable="m" bindingType="newest")")),
              HasSubstr("the binding `newest`"));
  EXPECT_THAT(refusal(called(R"(decisionId="d" resultVariable="m" bindingType="versionTag")")),
              HasSubstr("bound to a version tag but says none"));
  EXPECT_THAT(refusal(task(R"(camunda:decisionRef="d" camunda:decisionRefBinding="version")")),
              HasSubstr("bound to a version but says none"));
  EXPECT_THAT(refusal(task(R"(camunda:decisionRef="d" camunda:mapDecisionResult="all")")),
              HasSubstr("the result mapping `all`"));
  EXPECT_THAT(refusal(task(R"(camunda:decisionRef="d" camunda:topic="x" camunda:type="external")")),
              HasSubstr("ambiguous_worker_type: The task names both a worker and a decision"));
  EXPECT_THAT(refusal(task("")), HasSubstr("missing_worker_type"));
  EXPECT_THAT(refusal(task(R"(camunda:decisionRef="d" camunda:decisionRefTenantId="t")")),
              HasSubstr("unsupported_extension"));
}

TEST(DecisionReader, OtherTasksCallNoDecision) {
  EXPECT_THAT(refusal(called(R"(decisionId="d" resultVariable="m")", "serviceTask")),
              HasSubstr("make it a business rule task"));
}

TEST(DecisionReader, ABadExpressionIsFound) {
  EXPECT_THAT(refusal(called(R"(decisionId="=1 +" resultVariable="m")")),
              HasSubstr("bad_expression: The expression of the decision id"));
}

} // namespace
} // namespace perdure::bpmn
