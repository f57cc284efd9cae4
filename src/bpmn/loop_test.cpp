// Loop markers as they are read: every way to say how often, and every way to say it wrong.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bpmn/model_for_tests.h"

namespace perdure::bpmn {
namespace {

using definition::LoopKind;
using for_tests::compiled;
using for_tests::file;
using for_tests::problems;
using for_tests::process;

/// A process whose task `t` has the marker; `more` stands beside the task.
std::string with_marker(const std::string& marker, const std::string& more = "") {
  return process("<bpmn:userTask id=\"t\">\n" + marker + "\n</bpmn:userTask>\n" + more);
}

const definition::LoopSpec& loop_of(const definition::DefinitionPtr& definition) {
  return *definition->node(definition->find_node("t")).loop;
}

TEST(Loop, ZeebeSaysCollectionItemAndOutputs) {
  const auto definition = compiled(with_marker(
      R"(<bpmn:multiInstanceLoopCharacteristics isSequential="true"><bpmn:extensionElements>)"
      R"(<zeebe:loopCharacteristics inputCollection="=items" inputElement="item")"
      R"( outputCollection="results" outputElement="=out.sum" /></bpmn:extensionElements>)"
      R"(<bpmn:completionCondition>=numberOfCompletedInstances &gt; 2</bpmn:completionCondition>)"
      R"(</bpmn:multiInstanceLoopCharacteristics>)"));
  ASSERT_TRUE(definition);
  const auto& loop = loop_of(definition);
  EXPECT_EQ(loop.kind, LoopKind::sequential);
  EXPECT_EQ(loop.collection->text(), "=items");
  EXPECT_EQ(loop.element_variable, "item");
  EXPECT_EQ(loop.output_collection, "results");
  EXPECT_EQ(loop.output_variable, "out");
  EXPECT_EQ(loop.completion->text(), "=numberOfCompletedInstances > 2");
  EXPECT_EQ(loop.first_counter, 1);
}

TEST(Loop, AnOutputThatIsNoNameHasNoVariableOfItsOwn) {
  const auto definition = compiled(with_marker(
      R"(<bpmn:multiInstanceLoopCharacteristics><bpmn:extensionElements>)"
      R"(<zeebe:loopCharacteristics inputCollection="=items" inputElement="item")"
      R"( outputCollection="results" outputElement="={a: out}" /></bpmn:extensionElements>)"
      R"(</bpmn:multiInstanceLoopCharacteristics>)"));
  ASSERT_TRUE(definition);
  EXPECT_EQ(loop_of(definition).output_variable, "");
  EXPECT_EQ(loop_of(definition).kind, LoopKind::parallel);
}

TEST(Loop, CamundaSevenCountsFromZero) {
  const auto definition = compiled(with_marker(
      R"(<bpmn:multiInstanceLoopCharacteristics camunda:collection="${reviewers}")"
      R"( camunda:elementVariable="reviewer" camunda:asyncBefore="true">)"
      R"(<bpmn:completionCondition>${nrOfCompletedInstances == 1}</bpmn:completionCondition>)"
      R"(</bpmn:multiInstanceLoopCharacteristics>)"));
  ASSERT_TRUE(definition);
  EXPECT_EQ(loop_of(definition).collection->text(), "${reviewers}");
  EXPECT_EQ(loop_of(definition).element_variable, "reviewer");
  EXPECT_EQ(loop_of(definition).first_counter, 0);
  const auto plain = compiled(
      with_marker(R"(<bpmn:multiInstanceLoopCharacteristics camunda:collection="reviewers" />)"));
  ASSERT_TRUE(plain);
  EXPECT_EQ(loop_of(plain).collection->variables(), std::vector<std::string>{"reviewers"});
}

TEST(Loop, CardinalityIsANumberOrAnExpression) {
  for (const std::string text : {"3", "${n}", "=n", "n"}) {
    const auto definition = compiled(
        with_marker("<bpmn:multiInstanceLoopCharacteristics><bpmn:loopCardinality>" + text +
                    "</bpmn:loopCardinality></bpmn:multiInstanceLoopCharacteristics>"));
    ASSERT_TRUE(definition) << text;
    EXPECT_EQ(loop_of(definition).cardinality.text, text);
    EXPECT_EQ(loop_of(definition).cardinality.expression.has_value(), text != "3");
  }
}

TEST(Loop, StandardDataReferencesAreVariables) {
  const auto definition = compiled(
      with_marker(R"(<bpmn:multiInstanceLoopCharacteristics>)"
                  R"(<bpmn:loopDataInputRef>ref</bpmn:loopDataInputRef>)"
                  R"(<bpmn:loopDataOutputRef>out</bpmn:loopDataOutputRef>)"
                  R"(<bpmn:inputDataItem id="i1" name="item" /><bpmn:outputDataItem id="sum" />)"
                  R"(</bpmn:multiInstanceLoopCharacteristics>)",
                  R"(<bpmn:dataObject id="o1" /><bpmn:dataObjectReference id="ref" name="orders")"
                  R"( dataObjectRef="o1" /><bpmn:dataObject id="out" name="sums" />)"));
  ASSERT_TRUE(definition);
  const auto& loop = loop_of(definition);
  EXPECT_EQ(loop.collection->text(), "orders");
  EXPECT_EQ(loop.element_variable, "item");
  EXPECT_EQ(loop.output_collection, "sums");
  EXPECT_EQ(loop.output_variable, "sum");
}

TEST(Loop, StandardLoopHasConditionAndMaximum) {
  const auto definition = compiled(with_marker(
      R"(<bpmn:standardLoopCharacteristics testBefore="true" loopMaximum="5">)"
      R"(<bpmn:loopCondition>again</bpmn:loopCondition></bpmn:standardLoopCharacteristics>)"));
  ASSERT_TRUE(definition);
  const auto& loop = loop_of(definition);
  EXPECT_EQ(loop.kind, LoopKind::standard);
  EXPECT_TRUE(loop.test_before);
  EXPECT_EQ(loop.maximum, 5);
  EXPECT_EQ(loop.condition->text(), "again");
}

TEST(Loop, BehaviorThrowsEvents) {
  const std::string head = R"(<bpmn:signal id="s" name="Ready" />)"
                           R"(<bpmn:signalEventDefinition id="sd" signalRef="s" />)"
                           R"(<bpmn:process id="p" isExecutable="true"><bpmn:task id="t">)";
  const auto one = compiled(file(
      head + R"(<bpmn:multiInstanceLoopCharacteristics behavior="One" oneBehaviorEventRef="sd">)"
             R"(<bpmn:loopCardinality>2</bpmn:loopCardinality>)"
             R"(</bpmn:multiInstanceLoopCharacteristics></bpmn:task></bpmn:process>)"));
  ASSERT_TRUE(one);
  ASSERT_EQ(loop_of(one).thrown.size(), 1U);
  EXPECT_TRUE(loop_of(one).thrown.front().once);
  EXPECT_EQ(loop_of(one).thrown.front().event.name.text, "Ready");
  const auto complex = compiled(file(
      head + R"(<bpmn:multiInstanceLoopCharacteristics behavior="Complex">)"
             R"(<bpmn:loopCardinality>2</bpmn:loopCardinality><bpmn:complexBehaviorDefinition>)"
             R"(<bpmn:condition>=nrOfCompletedInstances = 1</bpmn:condition><bpmn:event>)"
             R"(<bpmn:signalEventDefinition signalRef="s" /></bpmn:event>)"
             R"(</bpmn:complexBehaviorDefinition></bpmn:multiInstanceLoopCharacteristics>)"
             R"(</bpmn:task></bpmn:process>)"));
  ASSERT_TRUE(complex);
  ASSERT_EQ(loop_of(complex).thrown.size(), 1U);
  EXPECT_TRUE(loop_of(complex).thrown.front().condition);
}

TEST(Loop, OfASubProcess) {
  const auto definition = compiled(process(
      R"(<bpmn:subProcess id="t"><bpmn:multiInstanceLoopCharacteristics>)"
      R"(<bpmn:loopCardinality>2</bpmn:loopCardinality></bpmn:multiInstanceLoopCharacteristics>)"
      R"(<bpmn:task id="u" /></bpmn:subProcess>)"));
  ASSERT_TRUE(definition);
  EXPECT_EQ(loop_of(definition).cardinality.text, "2");
}

struct Wrong {
  std::string marker;
  std::vector<std::string> expected;
};

TEST(Loop, WhatIsWrongIsNamedWithItsPlace) {
  const std::string multi = "<bpmn:multiInstanceLoopCharacteristics";
  const std::string end = "</bpmn:multiInstanceLoopCharacteristics>";
  const std::string two = "<bpmn:loopCardinality>2</bpmn:loopCardinality>";
  const std::vector<Wrong> cases{
      {multi + " />", {"bad_loop 4:1 t"}},
      {"<bpmn:standardLoopCharacteristics />", {"bad_loop 4:1 t"}},
      {"<bpmn:standardLoopCharacteristics loopMaximum=\"-1\" />", {"bad_loop 4:1 t"}},
      {multi + ">" + two + end + "\n<bpmn:standardLoopCharacteristics loopMaximum=\"1\" />",
       {"bad_loop 5:1 t"}},
      {multi + ">\n<bpmn:loopCardinality>=1 +</bpmn:loopCardinality>" + end,
       {"bad_expression 5:1 t"}},
      {multi + " behavior=\"Some\">" + two + end, {"bad_loop 4:1 t"}},
      {multi + " behavior=\"None\" noneBehaviorEventRef=\"x\">" + two + end,
       {"unknown_event_reference 4:1 t"}},
      {multi + ">" + two + "\n<bpmn:outputDataItem id=\"o\" />" + end, {"bad_loop 5:1 t"}},
      {multi + " camunda:class=\"x\">" + two + end, {"unsupported_extension 4:1 t"}},
      {multi + " behavior=\"Complex\">" + two +
           "\n<bpmn:complexBehaviorDefinition><bpmn:condition>=true</bpmn:condition>"
           "<bpmn:event>\n<bpmn:errorEventDefinition /></bpmn:event>"
           "</bpmn:complexBehaviorDefinition>" +
           end,
       {"event_not_allowed 6:1 t"}},
      {multi +
           "><bpmn:extensionElements>\n<zeebe:loopCharacteristics inputCollection=\"=a\""
           " outputCollection=\"b\" /></bpmn:extensionElements>" +
           end,
       {"bad_loop 5:1 t"}},
  };
  for (const auto& [marker, expected] : cases)
    EXPECT_EQ(problems(with_marker(marker)), expected) << marker;
}

TEST(Loop, OnlyActivitiesAreRepeated) {
  const std::string marker = "<bpmn:standardLoopCharacteristics loopMaximum=\"1\" />";
  EXPECT_EQ(problems(process("<bpmn:startEvent id=\"s\">\n" + marker + "</bpmn:startEvent>")),
            std::vector<std::string>{"unsupported_element 4:1 s"});
  EXPECT_EQ(problems(process("<bpmn:task id=\"t\" />\n" + marker)),
            std::vector<std::string>{"unsupported_element 4:1 p"});
}

} // namespace
} // namespace perdure::bpmn
