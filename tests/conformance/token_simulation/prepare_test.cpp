#include "conformance/token_simulation/prepare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "xml/xml.h"

namespace perdure::conformance {
namespace {

using xml::Element;
using xml::Vocabulary;

std::string drawing(std::string_view inside, std::string_view around = "") {
  return "<definitions xmlns=\"http://www.omg.org/spec/BPMN/20100524/MODEL\">" +
         std::string(around) + "<process id=\"p\" isExecutable=\"false\">" + std::string(inside) +
         "</process></definitions>";
}

const Element* find(const Element& element, std::string_view id) {
  if (element.get("id") == id) return &element;
  for (const auto& child : element.children) {
    if (const auto* found = find(child, id)) return found;
  }
  return nullptr;
}

struct Done {
  Prepared prepared;
  Element root;
  [[nodiscard]] const Element& at(std::string_view id) const {
    static const Element kNothing;
    const auto* found = find(root, id);
    EXPECT_NE(found, nullptr) << id;
    return found ? *found : kNothing;
  }
};

Done done(const std::string& document, const Case& one = {}) {
  auto prepared = prepare(document, one);
  EXPECT_TRUE(prepared.has_value());
  auto root = xml::parse(prepared->document);
  EXPECT_TRUE(root.has_value()) << prepared->document;
  return {*std::move(prepared), *std::move(root)};
}

TEST(PrepareTest, ProcessesBecomeExecutable) {
  EXPECT_EQ(done(drawing("<task id=\"t\"/>")).at("p").get("isExecutable"), "true");
}

TEST(PrepareTest, ProcessesInWhichNothingCanBeginAreLeftOut) {
  const auto result = done(drawing(R"(<subProcess id="s" triggeredByEvent="true"/>)"));
  EXPECT_EQ(result.at("p").get("isExecutable"), "false");
  EXPECT_TRUE(result.prepared.drawing.processes.empty());
}

TEST(PrepareTest, EveryEventWithoutMessageGetsItsOwn) {
  const auto result = done(drawing(R"(
      <startEvent id="a"><messageEventDefinition/></startEvent>
      <receiveTask id="b"/>
      <boundaryEvent id="c" attachedToRef="b"/>)"));
  EXPECT_EQ(result.at("Message_of_a").get("name"), "message of a");
  EXPECT_EQ(result.at("b").get("messageRef"), "Message_of_b");
  EXPECT_EQ(result.prepared.drawing.messages.at("c"), "message of c");
  EXPECT_EQ(result.prepared.drawing.boundaries.at("c").host, "b");
}

TEST(PrepareTest, SignalsWithoutReferenceAreOne) {
  const auto result = done(drawing(R"(
      <endEvent id="a"><signalEventDefinition/></endEvent>
      <startEvent id="b"><signalEventDefinition/></startEvent>
      <startEvent id="c"><signalEventDefinition signalRef="own"/></startEvent>)",
                                   R"(<signal id="own" name="Own"/>)"));
  EXPECT_EQ(result.prepared.drawing.signals.at("a"), result.prepared.drawing.signals.at("b"));
  EXPECT_EQ(result.prepared.drawing.signals.at("c"), "Own");
}

TEST(PrepareTest, ThrowsGetACodeAndCatchesOfEverythingKeepNone) {
  const auto result = done(drawing(R"(
      <endEvent id="a"><errorEventDefinition id="thrown"/></endEvent>
      <startEvent id="b"><errorEventDefinition id="caught"/></startEvent>
      <endEvent id="c"><escalationEventDefinition id="known" escalationRef="e"/></endEvent>)",
                                   R"(<escalation id="e" name="E"/>)"));
  EXPECT_EQ(result.at("thrown").get("errorRef"), "error_of_a");
  EXPECT_EQ(result.at("error_of_a").get("errorCode"), "error_of_a");
  EXPECT_EQ(result.at("caught").find(Vocabulary::none, "errorRef"), nullptr);
  EXPECT_EQ(result.at("e").get("escalationCode"), "e");
}

TEST(PrepareTest, TimersWaitAndConditionsAreFalse) {
  const auto result = done(drawing(R"(
      <intermediateCatchEvent id="a"><timerEventDefinition id="t"/></intermediateCatchEvent>
      <intermediateCatchEvent id="b"><conditionalEventDefinition id="c"><condition/>
      </conditionalEventDefinition></intermediateCatchEvent>)"));
  EXPECT_EQ(result.at("t").children.front().text, "PT1H");
  const auto repeating = done(drawing(R"(<task id="x"/>
      <boundaryEvent id="a" attachedToRef="x" cancelActivity="false">
      <timerEventDefinition id="t"/></boundaryEvent>)"));
  EXPECT_EQ(repeating.at("t").children.front().text, "R/PT1H");
  EXPECT_EQ(result.at("c").children.size(), 1U);
  EXPECT_EQ(result.at("c").children.front().text, "=condition_b");
  EXPECT_EQ(*result.prepared.variables.find("condition_b"), Value(false));
}

TEST(PrepareTest, LinksWithoutNameAreOne) {
  const auto result = done(drawing(R"(
      <intermediateThrowEvent id="a"><linkEventDefinition id="x" name=""/></intermediateThrowEvent>
      <intermediateCatchEvent id="b"><linkEventDefinition id="y"/></intermediateCatchEvent>)"));
  EXPECT_EQ(result.at("x").get("name"), result.at("y").get("name"));
  EXPECT_NE(result.at("x").get("name"), "");
}

TEST(PrepareTest, ChosenGatewaysReadAVariable) {
  Case one;
  one.stimuli = {{.action = Action::choose_flow, .element = "g", .flows = {"f"}}};
  const auto result = done(drawing(R"(
      <exclusiveGateway id="g" default="d"/><task id="x"/>
      <sequenceFlow id="f" sourceRef="g" targetRef="x"/>
      <sequenceFlow id="d" sourceRef="g" targetRef="x"/>
      <sequenceFlow id="e" sourceRef="x" targetRef="g"/>)"),
                           one);
  EXPECT_EQ(result.at("f").children.front().text, "=list contains(choice_g, \"f\")");
  EXPECT_TRUE(result.at("d").children.empty());
  EXPECT_TRUE(result.at("e").children.empty());
}

TEST(PrepareTest, TasksAndSubProcessesThatWaitGetAUserTask) {
  Case one;
  one.stimuli = {{.action = Action::wait_at, .element = "t"},
                 {.action = Action::wait_at, .element = "s"}};
  const auto result =
      done(drawing(R"(<task id="t"/><subProcess id="s"><startEvent id="b"/></subProcess>)"), one);
  EXPECT_EQ(result.at("t").name, "userTask");
  EXPECT_EQ(result.at(wait_node("s")).name, "userTask");
  EXPECT_EQ(result.at("b").name, "intermediateThrowEvent");
  EXPECT_TRUE(result.prepared.drawing.hidden.contains(wait_node("s")));
  EXPECT_FALSE(result.prepared.drawing.hidden.contains("b"));
}

TEST(PrepareTest, KnowsWhatHandlersUndo) {
  const auto result = done(drawing(R"(
      <task id="a"/><boundaryEvent id="b" attachedToRef="a"><compensateEventDefinition/>
      </boundaryEvent><task id="h" isForCompensation="true"/>
      <association sourceRef="b" targetRef="h"/>
      <subProcess id="s"><subProcess id="e" triggeredByEvent="true"><startEvent id="x">
      <compensateEventDefinition/></startEvent></subProcess></subProcess>)"));
  EXPECT_EQ(result.prepared.drawing.undoes.at("h"), "a");
  EXPECT_EQ(result.prepared.drawing.undoes.at("e"), "s");
}

} // namespace
} // namespace perdure::conformance
