// Every refusal by a small model: code, line, column and element, exactly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bpmn/model_for_tests.h"
#include "bpmn/read.h"

namespace perdure::bpmn {
namespace {

using for_tests::file;
using for_tests::problems;
using for_tests::process;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

/// The one message about a process that holds `elements`.
std::string message(const std::string& elements) {
  const auto deployment = read(process(elements), "m.bpmn");
  if (deployment || deployment.error().size() != 1) return "not one diagnostic";
  return deployment.error()[0].message;
}

/// Problems of one element with id `e` in line 3.
std::vector<std::string> alone(const std::string& element) { return problems(process(element)); }

std::string flow(const std::string& condition) {
  return "<bpmn:task id=\"a\"/><bpmn:task id=\"b\"/>\n"
         "<bpmn:sequenceFlow id=\"f\" sourceRef=\"a\" targetRef=\"b\">" +
         condition + "</bpmn:sequenceFlow>";
}

TEST(RefuseFile, NotBpmn) {
  EXPECT_THAT(problems("<html/>"), ElementsAre("not_bpmn 1:1 "));
  EXPECT_THAT(problems("<definitions id='d' xmlns='http://www.omg.org/spec/DMN'/>"),
              ElementsAre("not_bpmn 1:1 d"));
  EXPECT_THAT(problems(""), ElementsAre("empty_file 1:1 "));
  EXPECT_THAT(problems(std::string(50 * 1024 * 1024, ' ') + "<a/>"),
              ElementsAre("file_too_large 1:1 "));
  EXPECT_THAT(problems(process("<bpmn:task id=\"\xff\"/>")), ElementsAre("bad_encoding 3:16 "));
  const auto whole = process("<bpmn:task id=\"t\"/>");
  EXPECT_THAT(problems(whole.substr(0, whole.find("</bpmn:process>"))),
              ElementsAre("bad_xml 4:1 "));
}

TEST(RefuseFile, Processes) {
  EXPECT_THAT(problems(file("")), ElementsAre("no_executable_process 1:1 defs"));
  EXPECT_THAT(problems(file("<bpmn:process id=\"a\"/>\n<bpmn:process id=\"b\"/>")),
              ElementsAre("no_executable_process 2:1 a"));
  EXPECT_THAT(problems(file("<bpmn:process isExecutable=\"true\"/>")),
              ElementsAre("missing_id 2:1 "));
  EXPECT_THAT(
      problems(file(
          "<bpmn:process id=\"a\" isExecutable=\"true\"><bpmn:task id=\"t\"/></bpmn:process>\n"
          "  <bpmn:process id=\"a\" isExecutable=\"true\"><bpmn:task id=\"t\"/></bpmn:process>")),
      ElementsAre("duplicate_process_id 3:3 a"));
}

TEST(RefuseFile, OneBadProcessRefusesAll) {
  EXPECT_THAT(
      problems(file(
          "<bpmn:process id=\"a\" isExecutable=\"true\"><bpmn:task id=\"t\"/></bpmn:process>\n"
          "<bpmn:process id=\"b\" isExecutable=\"true\"/>\n"
          "<bpmn:process id=\"c\" isExecutable=\"true\"><bpmn:sendTask id=\"s\"/></bpmn:process>")),
      ElementsAre("no_start 3:1 b", "missing_worker_type 4:42 s"));
}

TEST(RefuseElement, ExecutableOnes) {
  for (const std::string name : {"somethingNew"}) {
    const auto element = "<bpmn:" + name + " id=\"e\"/>";
    EXPECT_THAT(alone(element), ElementsAre("unsupported_element 3:1 e")) << name;
    EXPECT_THAT(message(element), HasSubstr("`" + name + "`"));
  }
}

TEST(RefuseElement, CallsThatAreNotWhole) {
  const auto call = [](const std::string& attributes, const std::string& extensions = {}) {
    return alone("<bpmn:callActivity id=\"e\" " + attributes + "><bpmn:extensionElements>" +
                 extensions + "</bpmn:extensionElements></bpmn:callActivity>");
  };
  EXPECT_THAT(call(""), ElementsAre("missing_called_element 3:1 e"));
  EXPECT_THAT(call("calledElement=\"p\""), ElementsAre());
  EXPECT_THAT(call("calledElement=\"p\" camunda:calledElementBinding=\"newest\""),
              ElementsAre("bad_binding 3:1 e"));
  EXPECT_THAT(call("calledElement=\"p\" camunda:calledElementBinding=\"version\""),
              ElementsAre("bad_binding 3:1 e"));
  EXPECT_THAT(call("calledElement=\"p\"", "<camunda:in source=\"a\"/>").size(), 1U);
  EXPECT_THAT(call("calledElement=\"p\"", "<camunda:out target=\"a\"/>").size(), 1U);
}

TEST(RefuseElement, TasksWithoutWhatTheyNeed) {
  EXPECT_THAT(alone("<bpmn:businessRuleTask id=\"e\"/>"), ElementsAre("missing_worker_type 3:1 e"));
  EXPECT_THAT(alone("<bpmn:receiveTask id=\"e\"/>"), ElementsAre("missing_event_name 3:1 e"));
  EXPECT_THAT(alone("<bpmn:receiveTask id=\"e\" messageRef=\"m\"/>"),
              ElementsAre("unknown_event_reference 3:1 e"));
}

/// Which event definitions are refused where, when nothing else is wrong with them.
TEST(RefuseElement, EventsInTheWrongPlace) {
  const auto refused_at = [](const std::string& event) {
    std::string refused;
    for (const std::string definition : {"message", "signal", "error", "escalation", "conditional",
                                         "compensate", "cancel", "link", "terminate"}) {
      const auto found = alone("<bpmn:" + event + " id=\"e\"><bpmn:" + definition +
                               "EventDefinition name=\"l\"/></bpmn:" + event + ">");
      const bool wrong_place = !found.empty() && found.front() == "event_not_allowed 3:1 e";
      if (wrong_place) refused += definition + " ";
    }
    return refused;
  };
  EXPECT_EQ(refused_at("startEvent"), "error escalation compensate cancel link terminate ");
  EXPECT_EQ(refused_at("endEvent"), "conditional link ");
  EXPECT_EQ(refused_at("intermediateThrowEvent"), "error conditional cancel terminate ");
  EXPECT_EQ(refused_at("intermediateCatchEvent"), "error escalation compensate cancel terminate ");
}

TEST(RefuseElement, EventsThatSayTooLittleOrTooMuch) {
  EXPECT_THAT(alone("<bpmn:startEvent id=\"e\"><bpmn:messageEventDefinition/></bpmn:startEvent>"),
              ElementsAre("missing_event_name 3:1 e"));
  EXPECT_THAT(
      alone("<bpmn:endEvent id=\"e\"><bpmn:errorEventDefinition errorRef=\"x\"/></bpmn:endEvent>"),
      ElementsAre("unknown_event_reference 3:23 e"));
  EXPECT_THAT(alone("<bpmn:intermediateCatchEvent id=\"e\"/>"),
              ElementsAre("event_not_allowed 3:1 e"));
  EXPECT_THAT(
      alone("<bpmn:endEvent "
            "id=\"e\"><bpmn:eventDefinitionRef>x</bpmn:eventDefinitionRef></bpmn:endEvent>"),
      ElementsAre("unknown_event_reference 3:23 e"));
  EXPECT_THAT(
      alone(
          "<bpmn:endEvent "
          "id=\"e\"><bpmn:terminateEventDefinition/><bpmn:errorEventDefinition/></bpmn:endEvent>"),
      ElementsAre("event_not_allowed 3:1 e"));
  EXPECT_THAT(alone("<bpmn:intermediateThrowEvent id=\"e\"><bpmn:linkEventDefinition "
                    "name=\"l\"/></bpmn:intermediateThrowEvent>"),
              ElementsAre("unknown_link 3:1 e"));
}

/// A process with a task `a` that can be undone by `h`, and `more`.
std::vector<std::string> undoing(const std::string& more, const std::string& handler = "") {
  const std::string task =
      handler.empty() ? "<bpmn:task id=\"h\" isForCompensation=\"true\"/>" : handler;
  return alone(
      "<bpmn:startEvent id=\"s\"/><bpmn:task id=\"a\"/>"
      "<bpmn:sequenceFlow id=\"sa\" sourceRef=\"s\" targetRef=\"a\"/>"
      "<bpmn:boundaryEvent id=\"b\" attachedToRef=\"a\"><bpmn:compensateEventDefinition/>"
      "</bpmn:boundaryEvent><bpmn:association id=\"bh\" sourceRef=\"b\" targetRef=\"h\"/>" +
      task + "\n" + more);
}

TEST(RefuseElement, Compensation) {
  const std::string all =
      "<bpmn:sequenceFlow id=\"ae\" sourceRef=\"a\" targetRef=\"e\"/><bpmn:endEvent id=\"e\">"
      "<bpmn:compensateEventDefinition/></bpmn:endEvent>";
  EXPECT_THAT(undoing(all), IsEmpty());
  EXPECT_THAT(undoing("",
                      "<bpmn:task id=\"h\" isForCompensation=\"true\"/><bpmn:sequenceFlow "
                      "id=\"ah\" sourceRef=\"a\" targetRef=\"h\"/>"),
              ElementsAre(StartsWith("bad_compensation 3")));
  EXPECT_THAT(undoing("<bpmn:sequenceFlow id=\"ba\" sourceRef=\"b\" targetRef=\"a\"/>"),
              ElementsAre(StartsWith("bad_compensation 3")));
  EXPECT_THAT(undoing("<bpmn:boundaryEvent id=\"l\" attachedToRef=\"h\"><bpmn:"
                      "signalEventDefinition signalRef=\"x\"/></bpmn:boundaryEvent>"),
              Contains(HasSubstr("unknown_event_reference 4")));
  EXPECT_THAT(undoing("<bpmn:endEvent id=\"e\"><bpmn:compensateEventDefinition "
                      "activityRef=\"nothing\"/></bpmn:endEvent>"
                      "<bpmn:sequenceFlow id=\"ae\" sourceRef=\"a\" targetRef=\"e\"/>"),
              ElementsAre("bad_compensation 4:1 e"));
  EXPECT_THAT(undoing("<bpmn:endEvent id=\"e\"><bpmn:compensateEventDefinition "
                      "activityRef=\"s\"/></bpmn:endEvent>"
                      "<bpmn:sequenceFlow id=\"ae\" sourceRef=\"a\" targetRef=\"e\"/>"),
              ElementsAre("bad_compensation 4:1 e"));
  EXPECT_THAT(undoing("<bpmn:subProcess id=\"p\" triggeredByEvent=\"true\"><bpmn:startEvent "
                      "id=\"ps\"><bpmn:compensateEventDefinition/></bpmn:startEvent>"
                      "</bpmn:subProcess>"),
              ElementsAre(StartsWith("bad_compensation 4")));
}

TEST(RefuseElement, SeveralEventsInOne) {
  const auto event = [](const std::string& element, const std::string& attributes,
                        const std::vector<std::string>& kinds) {
    std::string text = "<bpmn:" + element + " id=\"e\"" + attributes + ">";
    for (const auto& kind : kinds) {
      text += "<bpmn:" + kind + "EventDefinition>";
      if (kind == "timer") text += "<bpmn:timeDuration>PT1H</bpmn:timeDuration>";
      if (kind == "conditional") text += "<bpmn:condition>x</bpmn:condition>";
      text += "</bpmn:" + kind + "EventDefinition>";
    }
    return alone(text + "</bpmn:" + element + ">");
  };
  const auto refused = ElementsAre("event_not_allowed 3:1 e");
  EXPECT_THAT(event("intermediateCatchEvent", "", {"timer", "conditional"}),
              Not(Contains(HasSubstr("event_not_allowed"))));
  EXPECT_THAT(event("intermediateCatchEvent", "", {"timer", "link"}),
              Contains("event_not_allowed 3:1 e"));
  EXPECT_THAT(event("endEvent", "", {"error", "terminate"}), refused);
  EXPECT_THAT(event("endEvent", "", {"compensate", "terminate"}), refused);
  EXPECT_THAT(event("endEvent", "", {"escalation", "terminate"}), IsEmpty());
  EXPECT_THAT(event("startEvent", " parallelMultiple=\"true\"", {"timer", "timer"}), refused);
}

TEST(RefuseElement, AdHocSubProcesses) {
  const auto with = [](const std::string& attributes, const std::string& inside) {
    return alone("<bpmn:adHocSubProcess id=\"e\"" + attributes + ">" + inside +
                 "</bpmn:adHocSubProcess>");
  };
  EXPECT_THAT(with("", ""), IsEmpty());
  EXPECT_THAT(with(" ordering=\"Sequential\"", "<bpmn:task id=\"t\"/>"), IsEmpty());
  EXPECT_THAT(with(" ordering=\"Any\"", ""), ElementsAre("unsupported_attribute 3:1 e"));
  EXPECT_THAT(with("", "<bpmn:startEvent id=\"s\"/>"), ElementsAre(StartsWith("bad_ad_hoc 3")));
  EXPECT_THAT(with("", "<bpmn:completionCondition>1 +</bpmn:completionCondition>"),
              ElementsAre(StartsWith("bad_expression 3")));
}

TEST(RefuseElement, ComplexGatewayThatJoins) {
  const auto joined = [](const std::string& condition) {
    return alone(
        "<bpmn:task id=\"a\"/><bpmn:task id=\"b\"/>"
        "<bpmn:complexGateway id=\"g\">" +
        condition +
        "</bpmn:complexGateway>"
        "<bpmn:sequenceFlow id=\"ag\" sourceRef=\"a\" targetRef=\"g\"/>"
        "<bpmn:sequenceFlow id=\"bg\" sourceRef=\"b\" targetRef=\"g\"/>");
  };
  EXPECT_THAT(joined(""), ElementsAre(StartsWith("bad_complex_gateway 3")));
  EXPECT_THAT(joined("<bpmn:activationCondition>activationCount >= 1</bpmn:activationCondition>"),
              IsEmpty());
}

TEST(RefuseElement, CancelOutsideOfATransaction) {
  EXPECT_THAT(alone("<bpmn:endEvent id=\"e\"><bpmn:cancelEventDefinition/></bpmn:endEvent>"),
              ElementsAre("bad_transaction 3:1 e"));
  const std::string inside =
      "<bpmn:transaction id=\"t\"><bpmn:endEvent id=\"c\"><bpmn:cancelEventDefinition/>"
      "</bpmn:endEvent></bpmn:transaction>";
  EXPECT_THAT(alone(inside), ElementsAre(StartsWith("bad_transaction 3")));
  const auto boundary = [](const std::string& id, const std::string& host) {
    return "<bpmn:boundaryEvent id=\"" + id + "\" attachedToRef=\"" + host +
           "\"><bpmn:cancelEventDefinition/></bpmn:boundaryEvent>";
  };
  EXPECT_THAT(alone(inside + boundary("b", "t")), IsEmpty());
  EXPECT_THAT(alone("<bpmn:subProcess id=\"t\"/>" + boundary("b", "t")),
              ElementsAre(StartsWith("bad_transaction 3")));
  EXPECT_THAT(alone("<bpmn:transaction id=\"t\" method=\"##Image\"/>"),
              ElementsAre(StartsWith("unsupported_attribute 3")));
}

TEST(RefuseElement, BoundaryEvents) {
  EXPECT_THAT(alone("<bpmn:startEvent id=\"s\"/><bpmn:task id=\"t\"/><bpmn:task id=\"h\"/>\n"
                    "<bpmn:boundaryEvent id=\"b\" "
                    "attachedToRef=\"t\"><bpmn:timerEventDefinition/></bpmn:boundaryEvent>\n"
                    "<bpmn:sequenceFlow id=\"f\" sourceRef=\"b\" targetRef=\"h\"/>"),
              ElementsAre("missing_timer 4:46 b"));
  EXPECT_THAT(alone("<bpmn:task id=\"t\"/>\n<bpmn:boundaryEvent id=\"b\" attachedToRef=\"x\"/>"),
              ElementsAre("unknown_attachment 4:1 b", "event_not_allowed 4:1 b"));
  EXPECT_THAT(alone("<bpmn:task id=\"t\"/>\n<bpmn:boundaryEvent id=\"b\" attachedToRef=\"t\" "
                    "cancelActivity=\"false\"><bpmn:errorEventDefinition/></bpmn:boundaryEvent>"),
              ElementsAre("event_not_allowed 4:1 b"));
}

TEST(RefuseElement, WhatBeginsAProcess) {
  const std::string message =
      "<bpmn:intermediateCatchEvent id=\"c\"><bpmn:conditionalEventDefinition>"
      "<bpmn:condition>= x</bpmn:condition></bpmn:conditionalEventDefinition>"
      "</bpmn:intermediateCatchEvent><bpmn:sequenceFlow id=\"f\" sourceRef=\"e\" targetRef=\"c\"/>";
  const auto gateway = [&](const std::string& attributes, const std::string& more = "") {
    return alone("<bpmn:eventBasedGateway id=\"e\" " + attributes + "/>\n" + message + more);
  };
  EXPECT_THAT(gateway("instantiate=\"true\""), IsEmpty());
  EXPECT_THAT(gateway("instantiate=\"true\" eventGatewayType=\"Parallel\""), IsEmpty());
  EXPECT_THAT(gateway("eventGatewayType=\"Parallel\""), ElementsAre("bad_event_gateway 3:1 e"));
  EXPECT_THAT(gateway("eventGatewayType=\"Other\""), ElementsAre("unsupported_attribute 3:1 e"));
  EXPECT_THAT(gateway("instantiate=\"true\"", "<bpmn:startEvent id=\"s\"/>"),
              ElementsAre("bad_event_gateway 3:1 e"));
  const std::string led =
      "<bpmn:startEvent id=\"s\"/><bpmn:sequenceFlow id=\"g\" sourceRef=\"s\" targetRef=\"e\"/>";
  EXPECT_THAT(gateway("instantiate=\"true\"", led), IsEmpty());
  EXPECT_THAT(gateway("instantiate=\"true\"",
                      led + "<bpmn:sequenceFlow id=\"h\" sourceRef=\"c\" targetRef=\"e\"/>"),
              ElementsAre("bad_event_gateway 3:1 e"));
  EXPECT_THAT(alone("<bpmn:task id=\"e\" instantiate=\"true\"/>"),
              ElementsAre("unsupported_attribute 3:1 e"));
  EXPECT_THAT(alone("<bpmn:subProcess id=\"a\">\n<bpmn:receiveTask id=\"e\" instantiate=\"true\"/>"
                    "</bpmn:subProcess>"),
              Contains("bad_event_gateway 4:1 e"));
}

TEST(RefuseElement, AnEventSubProcessMayStandInAnAdHocSubProcess) {
  const auto inside = [](const std::string& content) {
    return alone("<bpmn:adHocSubProcess id=\"a\">\n<bpmn:task id=\"t\"/>" + content +
                 "</bpmn:adHocSubProcess>");
  };
  EXPECT_THAT(inside("<bpmn:subProcess id=\"e\" triggeredByEvent=\"true\"><bpmn:startEvent "
                     "id=\"s\"><bpmn:errorEventDefinition/></bpmn:startEvent></bpmn:subProcess>"),
              IsEmpty());
  EXPECT_THAT(inside("<bpmn:startEvent id=\"s\"/>"), Contains("bad_ad_hoc 4:20 s"));
}

TEST(RefuseElement, CancelActivitySaysNothingAboutCompensation) {
  EXPECT_THAT(alone("<bpmn:task id=\"t\"/><bpmn:task id=\"u\" isForCompensation=\"true\"/>\n"
                    "<bpmn:boundaryEvent id=\"b\" attachedToRef=\"t\" cancelActivity=\"false\">"
                    "<bpmn:compensateEventDefinition/></bpmn:boundaryEvent>"
                    "<bpmn:association id=\"l\" sourceRef=\"b\" targetRef=\"u\"/>"),
              IsEmpty());
}

TEST(RefuseElement, EventSubProcesses) {
  const auto inside = [](const std::string& content) {
    return alone("<bpmn:task id=\"t\"/><bpmn:subProcess id=\"e\" triggeredByEvent=\"true\">\n" +
                 content + "</bpmn:subProcess>");
  };
  EXPECT_THAT(inside("<bpmn:task id=\"a\"/>"), ElementsAre("bad_event_sub_process 3:20 e"));
  EXPECT_THAT(inside("<bpmn:startEvent id=\"s\"/>"), ElementsAre("bad_event_sub_process 3:20 e"));
  EXPECT_THAT(inside("<bpmn:startEvent id=\"s\"><bpmn:errorEventDefinition/></bpmn:startEvent>"),
              IsEmpty());
}

TEST(RefuseElement, InsideNodes) {
  for (const std::string child : {"potentialOwner", "humanPerformer", "performer", "resourceRole",
                                  "timerEventDefinition", "script"}) {
    EXPECT_THAT(alone("<bpmn:userTask id=\"e\">\n  <bpmn:" + child + " id=\"x\"/></bpmn:userTask>"),
                ElementsAre("unsupported_element 4:3 e"))
        << child;
  }
  EXPECT_THAT(
      alone("<bpmn:task "
            "id=\"e\"><bpmn:ioSpecification><bpmn:dataInput/></bpmn:ioSpecification></bpmn:task>"),
      ElementsAre("bad_mapping 3:41 e"));
  EXPECT_THAT(alone("<bpmn:task "
                    "id=\"e\"><bpmn:dataInputAssociation><bpmn:assignment/></"
                    "bpmn:dataInputAssociation></bpmn:task>"),
              ElementsAre("bad_mapping 3:46 e"));
  EXPECT_THAT(alone("<bpmn:startEvent id=\"e\"><bpmn:dataOutput/></bpmn:startEvent>"),
              ElementsAre("bad_mapping 3:25 e"));
  EXPECT_THAT(alone("<bpmn:subProcess id=\"e\"><bpmn:multiInstanceLoopCharacteristics/><bpmn:task "
                    "id=\"t\"/></bpmn:subProcess>"),
              ElementsAre("bad_loop 3:25 e"));
  EXPECT_THAT(alone("<bpmn:task id=\"t\"/><bpmn:correlationSubscription/>"),
              ElementsAre("unsupported_element 3:20 p"));
}

TEST(RefuseElement, AttributesThatChangeExecution) {
  EXPECT_THAT(alone("<bpmn:task id=\"e\" startQuantity=\"2\" completionQuantity=\"3\"/>"),
              ElementsAre("unsupported_attribute 3:1 e", "unsupported_attribute 3:1 e"));
  EXPECT_THAT(alone("<bpmn:task id=\"e\" defualt=\"f\"/>"),
              ElementsAre("unsupported_attribute 3:1 e"));
}

TEST(RefuseElement, Ids) {
  EXPECT_THAT(alone("<bpmn:task id=\"t\"/>\n<bpmn:task/>"), ElementsAre("missing_id 4:1 "));
  EXPECT_THAT(alone("<bpmn:task id=\"t\"/>\n<bpmn:sequenceFlow sourceRef=\"t\" targetRef=\"t\"/>"),
              ElementsAre("missing_id 4:1 "));
  EXPECT_THAT(alone("<bpmn:task id=\"t\"/>\n<bpmn:task id=\"" + std::string(256, 'x') + "\"/>"),
              ElementsAre("id_too_long 4:1 "));
  EXPECT_THAT(alone("<bpmn:task id=\"" + std::string(255, 'x') + "\"/>"), IsEmpty());
  EXPECT_THAT(alone("<bpmn:task id=\"t\"/>\n<bpmn:task id=\"t\"/>"),
              ElementsAre("duplicate_id 4:1 t"));
}

TEST(RefuseExtension, Camunda7) {
  for (const std::string attribute : {"class", "delegateExpression", "expression"}) {
    EXPECT_THAT(alone("<bpmn:serviceTask id=\"e\" camunda:" + attribute + "=\"x\"/>"),
                ElementsAre("unsupported_extension 3:1 e"))
        << attribute;
  }
  for (const std::string element : {"executionListener", "taskListener", "connector", "field",
                                    "errorEventDefinition", "somethingNew"}) {
    EXPECT_THAT(alone("<bpmn:serviceTask id=\"e\" camunda:type=\"external\" camunda:topic=\"x\">\n"
                      "<bpmn:extensionElements><camunda:" +
                      element + "/></bpmn:extensionElements></bpmn:serviceTask>"),
                ElementsAre("unsupported_extension 4:25 e"))
        << element;
  }
  EXPECT_THAT(alone("<bpmn:startEvent id=\"e\" camunda:initiator=\"me\"/>"),
              ElementsAre("unsupported_extension 3:1 e"));
  EXPECT_THAT(alone("<bpmn:serviceTask id=\"e\" camunda:type=\"mail\"/>"),
              ElementsAre("unsupported_extension 3:1 e"));
  EXPECT_THAT(alone("<bpmn:task id=\"e\" operaton:unknown=\"1\"/>"),
              ElementsAre("unsupported_extension 3:1 e"));
  EXPECT_THAT(message("<bpmn:serviceTask id=\"e\" camunda:class=\"x\"/>"),
              "The extension `camunda:class` is not supported: set camunda:type=\"external\" and "
              "camunda:topic and let a worker do it.");
}

TEST(RefuseExtension, Camunda8) {
  EXPECT_THAT(
      alone("<bpmn:task id=\"e\"><bpmn:extensionElements><zeebe:taskListeners><zeebe:taskListener/>"
            "</zeebe:taskListeners></bpmn:extensionElements></bpmn:task>"),
      ElementsAre("unsupported_extension 3:43 e"));
  EXPECT_THAT(alone("<bpmn:scriptTask id=\"e\"><bpmn:extensionElements><zeebe:taskDefinition "
                    "type=\"x\"/></bpmn:extensionElements></bpmn:scriptTask>"),
              ElementsAre("unsupported_extension 3:49 e"));
  EXPECT_THAT(alone("<bpmn:task id=\"e\"><bpmn:extensionElements><zeebe:calledElement "
                    "processId=\"x\"/></bpmn:extensionElements></bpmn:task>"),
              ElementsAre("unsupported_extension 3:43 e"));
  EXPECT_THAT(
      alone("<bpmn:task id=\"e\"><zeebe:ioMapping><zeebe:input/></zeebe:ioMapping></bpmn:task>"),
      ElementsAre("unsupported_extension 3:19 e"));
}

TEST(RefuseExtension, OursAndOnFlows) {
  EXPECT_THAT(alone("<bpmn:task id=\"e\" perdure:type=\"x\"/>"),
              ElementsAre("unsupported_extension 3:1 e"));
  EXPECT_THAT(
      alone(
          flow("<bpmn:conditionExpression camunda:resource=\"x\">true</bpmn:conditionExpression>")),
      ElementsAre("unsupported_extension 4:55 f"));
  EXPECT_THAT(
      alone(flow("<bpmn:extensionElements><camunda:executionListener/></bpmn:extensionElements>")),
      ElementsAre("unsupported_extension 4:79 f"));
  EXPECT_THAT(
      problems(file("<bpmn:process id=\"p\" isExecutable=\"true\"><bpmn:extensionElements>\n"
                    "<camunda:executionListener/></bpmn:extensionElements><bpmn:task "
                    "id=\"t\"/></bpmn:process>")),
      ElementsAre("unsupported_extension 3:1 p"));
}

TEST(RefuseExtension, LeftOutWithAWarning) {
  EXPECT_THAT(alone("<bpmn:userTask id=\"e\"><bpmn:extensionElements><camunda:formData/>"
                    "<zeebe:taskHeaders/></bpmn:extensionElements></bpmn:userTask>"),
              ElementsAre("ignored_extension 3:47 e", "ignored_extension 3:66 e"));
  EXPECT_THAT(
      problems(
          file("<bpmn:process id=\"p\" isExecutable=\"true\" camunda:candidateStarterGroups=\"a\">"
               "<bpmn:task id=\"t\"/></bpmn:process>")),
      ElementsAre("ignored_extension 2:1 p"));
}

TEST(RefuseWork, Workers) {
  EXPECT_THAT(alone("<bpmn:serviceTask id=\"e\" perdure:retries=\"3\"/>"),
              ElementsAre("missing_worker_type 3:1 e"));
  EXPECT_THAT(alone("<bpmn:serviceTask id=\"e\" xmlns:a=\"urn:a\" a:class=\"Work\"/>"),
              ElementsAre("missing_worker_type 3:1 e"));
  EXPECT_THAT(alone("<bpmn:serviceTask id=\"e\" perdure:type=\" \"/>"),
              ElementsAre("missing_worker_type 3:1 e"));
  EXPECT_THAT(alone("<bpmn:serviceTask id=\"e\" camunda:type=\"external\"/>"),
              ElementsAre("missing_worker_type 3:1 e"));
  EXPECT_THAT(alone("<bpmn:serviceTask id=\"e\" camunda:topic=\"x\"/>"),
              ElementsAre("missing_worker_type 3:1 e"));
  EXPECT_THAT(alone("<bpmn:serviceTask id=\"e\" perdure:type=\"a\" camunda:type=\"external\" "
                    "camunda:topic=\"b\"/>"),
              ElementsAre("ambiguous_worker_type 3:1 e"));
}

TEST(RefuseWork, RetriesAndPriorities) {
  for (const std::string retries : {"0", "-1", "three", "1.5", "99999999999999999999"}) {
    EXPECT_THAT(alone("<bpmn:serviceTask id=\"e\" perdure:type=\"a\" perdure:retries=\"" + retries +
                      "\"/>"),
                ElementsAre("bad_retries 3:1 e"))
        << retries;
  }
  EXPECT_THAT(alone("<bpmn:serviceTask id=\"e\" perdure:type=\"a\"><bpmn:extensionElements>\n"
                    "<camunda:failedJobRetryTimeCycle>${cycle}</camunda:failedJobRetryTimeCycle>"
                    "</bpmn:extensionElements></bpmn:serviceTask>"),
              ElementsAre("bad_retries 4:1 e"));
  EXPECT_THAT(alone("<bpmn:userTask id=\"e\" camunda:priority=\"high\"/>"),
              ElementsAre("bad_priority 3:1 e"));
  EXPECT_THAT(alone("<bpmn:userTask id=\"e\" camunda:priority=\"${p +}\"/>"),
              ElementsAre("bad_expression 3:1 e"));
  EXPECT_THAT(
      alone("<bpmn:userTask id=\"e\" camunda:dueDate=\"tomorrow\" camunda:followUpDate=\"P1D\"/>"),
      ElementsAre("bad_date 3:1 e", "bad_date 3:1 e"));
}

TEST(RefuseWork, Scripts) {
  EXPECT_THAT(alone("<bpmn:scriptTask id=\"e\"/>"), ElementsAre("missing_script 3:1 e"));
  EXPECT_THAT(alone("<bpmn:scriptTask id=\"e\"><bpmn:script> </bpmn:script></bpmn:scriptTask>"),
              ElementsAre("bad_expression 3:1 e"));
  for (const std::string language : {"groovy", "javascript", "python"}) {
    EXPECT_THAT(alone("<bpmn:scriptTask id=\"e\" scriptFormat=\"" + language +
                      "\"><bpmn:script>1</bpmn:script></bpmn:scriptTask>"),
                ElementsAre("unsupported_language 3:1 e"));
  }
  EXPECT_THAT(alone("<bpmn:scriptTask id=\"e\"><bpmn:extensionElements><zeebe:script "
                    "expression=\"=1 +\"/></bpmn:extensionElements></bpmn:scriptTask>"),
              ElementsAre("bad_expression 3:1 e"));
}

std::string timer(const std::string& content) {
  return "<bpmn:intermediateCatchEvent id=\"e\"><bpmn:timerEventDefinition>\n" + content +
         "</bpmn:timerEventDefinition></bpmn:intermediateCatchEvent>";
}

TEST(RefuseWork, Timers) {
  EXPECT_THAT(alone(timer("")), ElementsAre("missing_timer 3:37 e"));
  EXPECT_THAT(alone(timer("<bpmn:timeDuration/>")), ElementsAre("missing_timer 3:37 e"));
  EXPECT_THAT(alone(timer("<bpmn:timeCycle>R3/PT1S</bpmn:timeCycle>")),
              ElementsAre("unsupported_element 4:1 e"));
  EXPECT_THAT(alone(timer("<bpmn:timeDuration>soon</bpmn:timeDuration>")),
              ElementsAre("bad_timer 4:1 e"));
  EXPECT_THAT(alone(timer("<bpmn:timeDate>PT1H</bpmn:timeDate>")), ElementsAre("bad_timer 4:1 e"));
  EXPECT_THAT(alone(timer("<bpmn:timeDate>2030-01-01T00:00:00Z</"
                          "bpmn:timeDate>\n<bpmn:timeDuration>PT1S</bpmn:timeDuration>")),
              ElementsAre("bad_timer 4:1 e"));
  EXPECT_THAT(alone(timer("<bpmn:timeDuration>=1 +</bpmn:timeDuration>")),
              ElementsAre("bad_expression 4:1 e"));
}

TEST(RefuseCondition, BadExpressions) {
  EXPECT_THAT(alone(flow("\n  <bpmn:conditionExpression>=amount &gt; </bpmn:conditionExpression>")),
              ElementsAre("bad_expression 5:3 f"));
  EXPECT_THAT(alone(flow("<bpmn:conditionExpression>${amount &gt; }</bpmn:conditionExpression>")),
              ElementsAre("bad_expression 4:55 f"));
  EXPECT_THAT(alone(flow("<bpmn:conditionExpression/>")), ElementsAre("bad_expression 4:55 f"));
  EXPECT_THAT(
      alone(flow("<bpmn:conditionExpression language=\"groovy\">x</bpmn:conditionExpression>")),
      ElementsAre("unsupported_language 4:55 f"));
  const auto text =
      message(flow("<bpmn:conditionExpression>=amount &gt; )</bpmn:conditionExpression>"));
  EXPECT_THAT(text,
              HasSubstr("The expression of the condition `=amount > )` is wrong at its column 11"));
}

TEST(RefuseCondition, WhereNoneIsAllowed) {
  EXPECT_THAT(
      alone("<bpmn:parallelGateway id=\"a\"/><bpmn:task id=\"b\"/>\n"
            "<bpmn:sequenceFlow id=\"f\" sourceRef=\"a\" targetRef=\"b\">"
            "<bpmn:conditionExpression>true</bpmn:conditionExpression></bpmn:sequenceFlow>"),
      ElementsAre("condition_not_allowed 4:1 f"));
  EXPECT_THAT(
      alone("<bpmn:exclusiveGateway id=\"a\"/><bpmn:task id=\"b\"/>\n"
            "<bpmn:sequenceFlow id=\"f\" sourceRef=\"a\" targetRef=\"b\">"
            "<bpmn:conditionExpression>true</bpmn:conditionExpression></bpmn:sequenceFlow>\n"
            "<bpmn:sequenceFlow id=\"g\" sourceRef=\"a\" targetRef=\"b\"/>"),
      ElementsAre("missing_condition 5:1 g"));
}

TEST(RefuseGraph, FlowsAcrossBordersAndIntoNothing) {
  EXPECT_THAT(
      alone(
          "<bpmn:task id=\"a\"/><bpmn:subProcess id=\"s\"><bpmn:task id=\"i\"/></bpmn:subProcess>\n"
          "<bpmn:sequenceFlow id=\"f\" sourceRef=\"a\" targetRef=\"i\"/>\n"
          "<bpmn:sequenceFlow id=\"g\" sourceRef=\"a\" targetRef=\"zz\"/>\n"
          "<bpmn:sequenceFlow id=\"h\" sourceRef=\"a\"/>"),
      ElementsAre("flow_crosses_scope 4:1 f", "unknown_flow_end 5:1 g", "missing_flow_end 6:1 h"));
  EXPECT_THAT(alone("<bpmn:task id=\"a\" default=\"zz\"/>"),
              ElementsAre("unknown_default_flow 3:1 a"));
}

TEST(Refuse, AllAtOnceInDocumentOrder) {
  EXPECT_THAT(alone("<bpmn:startEvent id=\"s\"/>\n"
                    "<bpmn:serviceTask id=\"a\" perdure:type=\"\"/>\n"
                    "<bpmn:sequenceFlow id=\"f\" sourceRef=\"s\" targetRef=\"a\"/>\n"
                    "<bpmn:sequenceFlow id=\"g\" sourceRef=\"a\" targetRef=\"s\"/>\n"
                    "<bpmn:sendTask id=\"b\" perdure:type=\"\"/>"),
              ElementsAre("missing_worker_type 4:1 a", "flow_into_start_event 6:1 g",
                          "missing_worker_type 7:1 b"));
}

TEST(Refuse, AHundredAtMost) {
  std::string elements;
  for (int i = 0; i < 3'000; ++i)
    elements += "<bpmn:sendTask id=\"e" + std::to_string(i) + "\" perdure:type=\"\"/>\n";
  const auto deployment = read(process(elements), "m.bpmn");
  ASSERT_FALSE(deployment.has_value());
  ASSERT_EQ(deployment.error().size(), 100U);
  EXPECT_EQ(deployment.error()[0].element_id, "e0");
  EXPECT_EQ(deployment.error()[99].code, "more_diagnostics");
}

TEST(Refuse, DeepSubProcesses) {
  const auto nested = [](int depth) {
    std::string open;
    std::string close;
    for (int i = 0; i < depth; ++i) {
      open += "<bpmn:subProcess id=\"s" + std::to_string(i) + "\">";
      close += "</bpmn:subProcess>";
    }
    return process(open + "<bpmn:task id=\"t\"/>" + close);
  };
  EXPECT_THAT(problems(nested(250)), IsEmpty());
  EXPECT_THAT(problems(nested(100'000)), ElementsAre(HasSubstr("xml_too_deep 3:")));
}

} // namespace
} // namespace perdure::bpmn
