// Data of activities and events as it is read: mappings of every vocabulary, and what is refused.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bpmn/model_for_tests.h"

namespace perdure::bpmn {
namespace {

using definition::DataSpec;
using definition::MappingSource;
using for_tests::compiled;
using for_tests::problems;
using for_tests::process;

using Path = std::vector<std::string>;

std::string extended(const std::string& content) {
  return process("<bpmn:userTask id=\"t\"><bpmn:extensionElements>\n" + content +
                 "</bpmn:extensionElements></bpmn:userTask>");
}

const DataSpec& data_of(const definition::DefinitionPtr& definition, std::string_view id = "t") {
  return *definition->node(definition->find_node(id)).data;
}

TEST(Data, ZeebeMapsPathsAndKeepsTheResult) {
  const auto definition = compiled(
      extended(R"(<zeebe:ioMapping><zeebe:input source="=a + 1" target="x" />)"
               R"(<zeebe:input source="POST" target="request.method" />)"
               R"(<zeebe:output source="=result" target="order.total" /></zeebe:ioMapping>)"));
  ASSERT_TRUE(definition);
  const auto& data = data_of(definition);
  ASSERT_EQ(data.inputs.size(), 2U);
  EXPECT_EQ(data.inputs[0].target, Path{"x"});
  EXPECT_TRUE(data.inputs[0].source.text.expression);
  EXPECT_EQ(data.inputs[1].target, (Path{"request", "method"}));
  EXPECT_EQ(data.inputs[1].source.text.text, "POST");
  ASSERT_EQ(data.outputs.size(), 1U);
  EXPECT_EQ(data.outputs[0].target, (Path{"order", "total"}));
  EXPECT_TRUE(data.keeps_result);
  const auto only_in =
      compiled(extended(R"(<zeebe:ioMapping><zeebe:input source="=1" target="x" />)"
                        R"(</zeebe:ioMapping>)"));
  ASSERT_TRUE(only_in);
  EXPECT_FALSE(data_of(only_in).keeps_result);
}

TEST(Data, CamundaSevenHasTextListsAndMaps) {
  const auto definition = compiled(extended(
      R"(<camunda:inputOutput><camunda:inputParameter name="plain">Hello ${name}!)"
      R"(</camunda:inputParameter><camunda:inputParameter name="none" />)"
      R"(<camunda:inputParameter name="list"><camunda:list><camunda:value>1</camunda:value>)"
      R"(<camunda:value>${a}</camunda:value></camunda:list></camunda:inputParameter>)"
      R"(<camunda:inputParameter name="map"><camunda:map><camunda:entry key="k">v)"
      R"(</camunda:entry></camunda:map></camunda:inputParameter>)"
      R"(<camunda:outputParameter name="out">${list}</camunda:outputParameter>)"
      R"(</camunda:inputOutput>)"));
  ASSERT_TRUE(definition);
  const auto& data = data_of(definition);
  ASSERT_EQ(data.inputs.size(), 4U);
  EXPECT_TRUE(data.inputs[0].source.text.expression);
  EXPECT_TRUE(data.inputs[1].source.text.expression);
  EXPECT_EQ(data.inputs[2].source.form, MappingSource::Form::list);
  EXPECT_EQ(data.inputs[2].source.parts.size(), 2U);
  EXPECT_EQ(data.inputs[3].source.form, MappingSource::Form::object);
  EXPECT_EQ(data.inputs[3].source.parts.front().first, "k");
  EXPECT_EQ(data.outputs.size(), 1U);
  EXPECT_FALSE(data.keeps_result);
}

TEST(Data, StandardInputsOutputsAndAssociations) {
  const auto definition = compiled(process(
      R"(<bpmn:dataObject id="o1" /><bpmn:dataObjectReference id="r1" name="order")"
      R"( dataObjectRef="o1" /><bpmn:task id="t"><bpmn:ioSpecification>)"
      R"(<bpmn:dataInput id="i1" name="given" /><bpmn:dataInput id="i2" />)"
      R"(<bpmn:dataOutput id="d1" name="found" /><bpmn:inputSet /><bpmn:outputSet />)"
      R"(</bpmn:ioSpecification><bpmn:dataInputAssociation><bpmn:sourceRef>r1</bpmn:sourceRef>)"
      R"(<bpmn:targetRef>i1</bpmn:targetRef></bpmn:dataInputAssociation>)"
      R"(<bpmn:dataInputAssociation><bpmn:targetRef>i2</bpmn:targetRef><bpmn:assignment>)"
      R"(<bpmn:from>5</bpmn:from><bpmn:to>i2</bpmn:to></bpmn:assignment>)"
      R"(</bpmn:dataInputAssociation><bpmn:dataOutputAssociation>)"
      R"(<bpmn:sourceRef>d1</bpmn:sourceRef><bpmn:targetRef>r1</bpmn:targetRef>)"
      R"(<bpmn:transformation>=found.value</bpmn:transformation>)"
      R"(</bpmn:dataOutputAssociation></bpmn:task>)"));
  ASSERT_TRUE(definition);
  const auto& data = data_of(definition);
  EXPECT_EQ(data.locals, (std::vector<std::string>{"given", "i2", "found"}));
  ASSERT_EQ(data.inputs.size(), 2U);
  EXPECT_EQ(data.inputs[0].source.text.text, "order");
  EXPECT_EQ(data.inputs[0].target, Path{"given"});
  EXPECT_EQ(data.inputs[1].source.text.text, "5");
  EXPECT_EQ(data.inputs[1].target, Path{"i2"});
  ASSERT_EQ(data.outputs.size(), 1U);
  EXPECT_EQ(data.outputs[0].source.text.text, "=found.value");
  EXPECT_EQ(data.outputs[0].target, Path{"order"});
}

TEST(Data, DrawnArrowsHaveNoEffect) {
  const auto definition = compiled(process(
      R"(<bpmn:dataObject id="o1" /><bpmn:dataObjectReference id="r1" dataObjectRef="o1" />)"
      R"(<bpmn:task id="t"><bpmn:property id="p1" name="__targetRef_placeholder" />)"
      R"(<bpmn:dataInputAssociation><bpmn:sourceRef>r1</bpmn:sourceRef>)"
      R"(<bpmn:targetRef>p1</bpmn:targetRef></bpmn:dataInputAssociation>)"
      R"(<bpmn:dataOutputAssociation><bpmn:targetRef>r1</bpmn:targetRef>)"
      R"(</bpmn:dataOutputAssociation></bpmn:task>)"));
  ASSERT_TRUE(definition);
  EXPECT_FALSE(definition->node(definition->find_node("t")).data);
}

TEST(Data, DataObjectsBeginWithAValue) {
  const auto definition = compiled(
      process(R"(<bpmn:dataObject id="o1" name="total" perdure:value="=0" />)"
              R"(<bpmn:property id="p1" perdure:value="plain" /><bpmn:dataObject id="o2" />)"
              R"(<bpmn:subProcess id="t"><bpmn:task id="u" />)"
              R"(<bpmn:dataObject id="o3" perdure:value="=[1, 2]" /></bpmn:subProcess>)"));
  ASSERT_TRUE(definition);
  EXPECT_EQ(definition->scope(0).initial, (Object{{"total", 0}, {"p1", "plain"}}));
  EXPECT_EQ(definition->scope(1).initial, (Object{{"o3", Array{1, 2}}}));
}

struct Wrong {
  std::string content;
  std::vector<std::string> expected;
};

TEST(Data, WhatIsWrongIsNamedWithItsPlace) {
  const std::vector<Wrong> cases{
      {"<zeebe:ioMapping><zeebe:input target=\"x\" /></zeebe:ioMapping>", {"bad_mapping 4:18 t"}},
      {"<zeebe:ioMapping><zeebe:input source=\"=1\" target=\"a..b\" /></zeebe:ioMapping>",
       {"bad_mapping 4:18 t"}},
      {"<zeebe:ioMapping><zeebe:output source=\"=1 +\" target=\"x\" /></zeebe:ioMapping>",
       {"bad_expression 4:18 t"}},
      {"<zeebe:ioMapping><zeebe:other /></zeebe:ioMapping>", {"bad_mapping 4:18 t"}},
      {"<camunda:inputOutput><camunda:inputParameter>1</camunda:inputParameter>"
       "</camunda:inputOutput>",
       {"bad_mapping 4:22 t"}},
      {"<camunda:inputOutput><camunda:inputParameter name=\"x\">\n<camunda:script "
       "scriptFormat=\"groovy\">1</camunda:script></camunda:inputParameter></camunda:inputOutput>",
       {"bad_mapping 5:1 t"}},
      {"<camunda:inputOutput><camunda:outputParameter name=\"x\"><camunda:map>\n<camunda:entry>1"
       "</camunda:entry></camunda:map></camunda:outputParameter></camunda:inputOutput>",
       {"bad_mapping 5:1 t"}},
  };
  for (const auto& [content, expected] : cases)
    EXPECT_EQ(problems(extended(content)), expected) << content;
}

TEST(Data, OnlyActivitiesAndEventsHaveData) {
  const std::string mapping =
      "<bpmn:extensionElements>\n<zeebe:ioMapping><zeebe:input "
      "source=\"=1\" target=\"x\" /></zeebe:ioMapping>"
      "</bpmn:extensionElements>";
  EXPECT_EQ(
      problems(process("<bpmn:parallelGateway id=\"g\">" + mapping + "</bpmn:parallelGateway>")),
      std::vector<std::string>{"unsupported_extension 4:1 g"});
  EXPECT_EQ(problems(process("<bpmn:task id=\"t\">\n<zeebe:ioMapping /></bpmn:task>")),
            std::vector<std::string>{"unsupported_extension 4:1 t"});
  EXPECT_EQ(problems(process("<bpmn:task id=\"t\"><bpmn:dataInputAssociation><bpmn:assignment>"
                             "\n</bpmn:assignment></bpmn:dataInputAssociation></bpmn:task>")),
            std::vector<std::string>{"bad_mapping 3:46 t"});
  EXPECT_EQ(problems(process("<bpmn:dataObject id=\"d\" perdure:value=\"=a\" />"
                             "<bpmn:task id=\"t\" />")),
            std::vector<std::string>{"bad_expression 3:1 d"});
}

} // namespace
} // namespace perdure::bpmn
