// Listeners as they are read: which there are, in which order, and every way to say them wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/enum_text.h"
#include "bpmn/model_for_tests.h"

namespace perdure::bpmn {
namespace {

using for_tests::compiled;
using for_tests::file;
using for_tests::problems;
using for_tests::process;
using testing::ElementsAre;
using testing::IsEmpty;

std::string execution(const std::string& listeners) {
  return "<bpmn:extensionElements><zeebe:executionListeners>\n" + listeners +
         "\n</zeebe:executionListeners></bpmn:extensionElements>";
}

/// One listener of that moment, in line 4 of a process whose only element is given.
std::string listener(const std::string& moment) {
  return execution("<zeebe:executionListener eventType=\"" + moment + "\" type=\"audit\"/>");
}

std::vector<std::string> listeners_of(const definition::DefinitionPtr& definition,
                                      std::string_view id) {
  std::vector<std::string> texts;
  if (!definition) return texts;
  for (const auto& each : definition->node(definition->find_node(id)).listeners)
    texts.push_back(std::string(name_of(each.phase)) + " " + each.worker.type.text);
  return texts;
}

std::string message_of(const std::string& elements) {
  const auto deployment = read(process(elements), "m.bpmn");
  return deployment ? "" : deployment.error().front().message;
}

TEST(Listeners, StandByPhaseAndInEachInTheirOrder) {
  const auto definition = compiled(
      process("<bpmn:userTask id=\"t\"><bpmn:extensionElements><zeebe:executionListeners>"
              "<zeebe:executionListener eventType=\"end\" type=\"last\"/>"
              "<zeebe:executionListener eventType=\"start\" type=\"first\" retries=\"5\">"
              "<zeebe:taskHeaders><zeebe:header key=\"k\" value=\"v\"/></zeebe:taskHeaders>"
              "</zeebe:executionListener>"
              "<zeebe:executionListener eventType=\"start\" type=\"=second\" retries=\"= n + 1\"/>"
              "</zeebe:executionListeners><zeebe:taskListeners>"
              "<zeebe:taskListener eventType=\"completing\" type=\"check\"/>"
              "<zeebe:taskListener eventType=\"assigning\" type=\"tell\"/>"
              "<zeebe:taskListener eventType=\"creating\" type=\"make\"/>"
              "</zeebe:taskListeners></bpmn:extensionElements></bpmn:userTask>"));
  EXPECT_THAT(listeners_of(definition, "t"),
              ElementsAre("start first", "start =second", "creating make", "assigning tell",
                          "completing check", "end last"));
  const auto& listeners = definition->node(definition->find_node("t")).listeners;
  EXPECT_EQ(listeners[0].worker.retries.text, "5");
  EXPECT_THAT(listeners[0].worker.headers, ElementsAre(testing::Pair("k", "v")));
  EXPECT_TRUE(listeners[1].worker.type.expression);
  EXPECT_TRUE(listeners[1].worker.retries.expression);
  EXPECT_EQ(definition->process_node(), definition::kNone);
}

TEST(Listeners, OfTheProcessMakeItANode) {
  const auto definition =
      compiled(file("<bpmn:process id=\"p\" isExecutable=\"true\">" + listener("start") +
                    "<bpmn:startEvent id=\"s\"/></bpmn:process>"));
  EXPECT_THAT(listeners_of(definition, "p"), ElementsAre("start audit"));
  EXPECT_EQ(definition->process_node(), definition->find_node("p"));
  EXPECT_EQ(definition->node(definition->process_node()).kind, definition::NodeKind::process);
  EXPECT_THAT(problems(file("<bpmn:process id=\"p\" isExecutable=\"true\">" + listener("end") +
                            "<bpmn:startEvent id=\"p\"/></bpmn:process>")),
              ElementsAre("duplicate_id 2:1 p"));
}

TEST(Listeners, AnEmptyListSaysNothing) {
  EXPECT_THAT(
      problems(process("<bpmn:startEvent id=\"s\">" + execution("") + "</bpmn:startEvent>")),
      IsEmpty());
}

TEST(Listeners, NeedAMomentAndAWorker) {
  const auto found = [](const std::string& listeners) {
    return problems(process("<bpmn:task id=\"t\">" + execution(listeners) + "</bpmn:task>"));
  };
  EXPECT_THAT(found("<zeebe:executionListener type=\"a\"/>"), ElementsAre("bad_listener 4:1 t"));
  EXPECT_THAT(found("<zeebe:executionListener eventType=\"take\" type=\"a\"/>"),
              ElementsAre("bad_listener 4:1 t"));
  EXPECT_THAT(found("<zeebe:executionListener eventType=\"start\" type=\" \"/>"),
              ElementsAre("bad_listener 4:1 t"));
  EXPECT_THAT(found("<zeebe:executionListener eventType=\"start\" type=\"a\" retries=\"0\"/>"),
              ElementsAre("bad_retries 4:1 t"));
  EXPECT_THAT(found("<zeebe:executionListener eventType=\"start\" type=\"= a +\"/>"),
              ElementsAre("bad_expression 4:1 t"));
  EXPECT_THAT(found("<zeebe:taskListener eventType=\"creating\" type=\"a\"/>"),
              ElementsAre("bad_listener 4:1 t"));
}

TEST(Listeners, OfUserTasksThatHaveNoMomentHereAreRefused) {
  for (const std::string moment : {"updating", "canceling"}) {
    const auto message = message_of(
        "<bpmn:userTask id=\"t\"><bpmn:extensionElements><zeebe:taskListeners><zeebe:taskListener "
        "eventType=\"" +
        moment + "\" type=\"a\"/></zeebe:taskListeners></bpmn:extensionElements></bpmn:userTask>");
    EXPECT_TRUE(message.starts_with("The listener at `" + moment + "` is not supported, since "))
        << message;
  }
}

TEST(Listeners, WithoutATurnAreRefused) {
  const auto alone = [](const std::string& kind, const std::string& moment,
                        const std::string& event = "") {
    return problems(process("<bpmn:" + kind + " id=\"e\">" + listener(moment) + event +
                            "</bpmn:" + kind + ">"));
  };
  const auto has_fault = testing::Contains(testing::StartsWith("bad_listener 3:1 e"));
  EXPECT_THAT(alone("startEvent", "start"), has_fault);
  EXPECT_THAT(alone("startEvent", "end"), IsEmpty());
  EXPECT_THAT(alone("exclusiveGateway", "end"), has_fault);
  EXPECT_THAT(alone("parallelGateway", "end"), has_fault);
  EXPECT_THAT(alone("exclusiveGateway", "start"), IsEmpty());
  EXPECT_THAT(alone("complexGateway", "start"), has_fault);
  EXPECT_THAT(alone("endEvent", "end"), IsEmpty());
  EXPECT_THAT(alone("endEvent", "end", "<bpmn:errorEventDefinition/>"), has_fault);
  EXPECT_THAT(alone("task", "beforeAll"), has_fault);
  const std::string task = "<bpmn:task id=\"t\"/><bpmn:boundaryEvent id=\"e\" attachedToRef=\"t\">";
  const std::string timer =
      "<bpmn:timerEventDefinition><bpmn:timeDuration>PT1S</bpmn:timeDuration>"
      "</bpmn:timerEventDefinition></bpmn:boundaryEvent>";
  EXPECT_THAT(problems(process(task + listener("start") + timer)),
              ElementsAre(testing::StartsWith("bad_listener")));
  EXPECT_THAT(problems(process(task + listener("end") + timer)), IsEmpty());
}

TEST(Listeners, OfCamunda7SayWhatToUseInstead) {
  EXPECT_EQ(message_of("<bpmn:task id=\"t\"><bpmn:extensionElements><camunda:executionListener "
                       "event=\"start\" class=\"a.B\"/></bpmn:extensionElements></bpmn:task>"),
            "The extension `camunda:executionListener` is not supported: it runs Java or a script: "
            "let a worker do it, named by a zeebe:executionListener type.");
}

TEST(Listeners, LeaveACamunda7ModelWhatItIs) {
  const auto definition = compiled(process(
      "<bpmn:task id=\"t\">" + listener("start") +
      "<bpmn:multiInstanceLoopCharacteristics camunda:collection=\"${items}\"/></bpmn:task>"));
  ASSERT_TRUE(definition);
  EXPECT_EQ(definition->node(definition->find_node("t")).loop->first_counter, 0);
}

} // namespace
} // namespace perdure::bpmn
