// What is read from sound models, as the tools of the field save them.
#include "bpmn/read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "bpmn/model_for_tests.h"

namespace perdure::bpmn {
namespace {

using definition::kNone;
using definition::kRootScope;
using definition::NodeKind;
using for_tests::compiled;
using for_tests::file;
using for_tests::problems;
using for_tests::process;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

const definition::Node& node(const definition::DefinitionPtr& definition, std::string_view id) {
  return definition->node(definition->find_node(id));
}

TEST(Read, OrderExampleDeploys) {
  std::ifstream stream(PERDURE_SOURCE_DIR "/examples/order-fulfilment.bpmn", std::ios::binary);
  const std::string document{std::istreambuf_iterator<char>(stream), {}};
  const auto deployment = read(document, "order-fulfilment.bpmn");
  ASSERT_TRUE(deployment.has_value()) << definition::to_text(deployment.error().at(0));
  EXPECT_THAT(deployment->diagnostics, IsEmpty());
  ASSERT_EQ(deployment->processes.size(), 1U);
  const auto& order = deployment->processes[0].definition;
  EXPECT_EQ(order->process_id(), "order-fulfilment");
  EXPECT_EQ(order->name(), "Order fulfilment");
  EXPECT_EQ(order->nodes().size(), 12U);
  EXPECT_EQ(order->flows().size(), 13U);
  std::set<std::string> types;
  for (const auto& each : order->nodes()) {
    if (each.worker) types.insert(each.worker->type.text);
  }
  EXPECT_THAT(types, ElementsAre("approve-order", "charge-payment", "pack-order",
                                 "reserve-inventory", "send-confirmation", "ship-order"));
  const auto& large = node(order, "large-order");
  EXPECT_EQ(large.default_flow, order->find_flow("Flow_small"));
  EXPECT_TRUE(order->flow(order->find_flow("Flow_large")).condition.has_value());
  // Every node and flow is in the diagram.
  for (const auto& each : order->nodes()) {
    EXPECT_NE(document.find("bpmnElement=\"" + each.id + "\""), std::string::npos) << each.id;
  }
  for (const auto& each : order->flows()) {
    EXPECT_NE(document.find("bpmnElement=\"" + each.id + "\""), std::string::npos) << each.id;
  }
}

TEST(Read, AnyPrefixAndDialectOfTheNamespace) {
  constexpr auto* kBody =
      "process id='p' isExecutable='1'><%startEvent id='s'/><%task id='t' name='Say "
      "&quot;hi&quot;'/>"
      "<%sequenceFlow id='f' sourceRef='s' targetRef='t'/></%process></%definitions>";
  for (const std::string prefix : {"", "bpmn:", "bpmn2:", "semantic:", "x-1:"}) {
    auto document = "<%definitions xmlns%='http://www.omg.org/spec/BPMN/20100524/MODEL'><%" +
                    std::string(kBody);
    const auto declared = prefix.empty() ? "" : ":" + prefix.substr(0, prefix.size() - 1);
    document.replace(document.find("xmlns%"), 6, "xmlns" + declared);
    for (auto at = document.find('%'); at != std::string::npos; at = document.find('%')) {
      document.replace(at, 1, prefix);
    }
    const auto definition = compiled(document);
    ASSERT_TRUE(definition) << prefix;
    EXPECT_EQ(node(definition, "t").name, "Say \"hi\"");
  }
}

TEST(Read, NodesFlowsAndScopes) {
  const auto definition = compiled(process(R"(<bpmn:startEvent id="s"/>
<bpmn:exclusiveGateway id="x" default="no"/>
<bpmn:subProcess id="sub" name="Inside">
  <bpmn:startEvent id="is"/><bpmn:manualTask id="im"/><bpmn:endEvent id="ie"/>
  <bpmn:sequenceFlow id="i1" sourceRef="is" targetRef="im"/>
  <bpmn:sequenceFlow id="i2" sourceRef="im" targetRef="ie"/>
</bpmn:subProcess>
<bpmn:endEvent id="stop"><bpmn:terminateEventDefinition id="t"/></bpmn:endEvent>
<bpmn:sequenceFlow id="in" sourceRef="s" targetRef="x"/>
<bpmn:sequenceFlow id="yes" name="Yes" sourceRef="x" targetRef="sub">
  <bpmn:conditionExpression
 xsi:type="bpmn:tFormalExpression">= amount &gt; 1000</bpmn:conditionExpression>
</bpmn:sequenceFlow>
<bpmn:sequenceFlow id="no" sourceRef="x" targetRef="stop"/>
)"));
  ASSERT_TRUE(definition);
  EXPECT_EQ(definition->name(), "Order");
  EXPECT_EQ(node(definition, "stop").event()->kind, definition::EventKind::terminate);
  EXPECT_EQ(node(definition, "im").kind, NodeKind::manual_task);
  EXPECT_EQ(node(definition, "x").place.line, 4);
  EXPECT_EQ(node(definition, "is").place.column, 3);
  const auto inside = node(definition, "sub").inner_scope;
  ASSERT_NE(inside, kNone);
  EXPECT_EQ(definition->scope(inside).parent, kRootScope);
  EXPECT_EQ(node(definition, "im").scope, inside);
  EXPECT_EQ(definition->scope(inside).nodes.size(), 3U);
  const auto& yes = definition->flow(definition->find_flow("yes"));
  EXPECT_EQ(yes.name, "Yes");
  ASSERT_TRUE(yes.condition.has_value());
  EXPECT_THAT(yes.condition->variables(), ElementsAre("amount"));
  EXPECT_EQ(node(definition, "x").default_flow, definition->find_flow("no"));
}

TEST(Read, WorkersInEveryVocabulary) {
  const auto definition = compiled(process(R"(
<bpmn:serviceTask id="z"><bpmn:extensionElements>
  <zeebe:taskDefinition type=" =prefix + &quot;-pay&quot; " retries="5"/>
  <zeebe:taskHeaders><zeebe:header key="method" value="POST"/><zeebe:header key="url"/>
</zeebe:taskHeaders>
</bpmn:extensionElements></bpmn:serviceTask>
<bpmn:serviceTask id="c" camunda:type="external" camunda:topic="${topic}" camunda:taskPriority="-3">
  <bpmn:extensionElements>
<camunda:failedJobRetryTimeCycle>R4/PT2M</camunda:failedJobRetryTimeCycle></bpmn:extensionElements>
</bpmn:serviceTask>
<bpmn:serviceTask id="o" operaton:type="external" operaton:topic="ship"/>
<bpmn:serviceTask id="p1" perdure:type="work" perdure:retries="=tries"/>)"));
  ASSERT_TRUE(definition);
  const auto& zeebe = *node(definition, "z").worker;
  EXPECT_EQ(zeebe.type.text, "=prefix + \"-pay\"");
  ASSERT_TRUE(zeebe.type.expression.has_value());
  EXPECT_THAT(zeebe.type.expression->variables(), ElementsAre("prefix"));
  EXPECT_EQ(zeebe.retries.text, "5");
  EXPECT_FALSE(zeebe.retries.expression.has_value());
  EXPECT_THAT(zeebe.headers, ElementsAre(Pair("method", "POST"), Pair("url", "")));
  const auto& camunda = *node(definition, "c").worker;
  EXPECT_EQ(camunda.type.text, "${topic}");
  EXPECT_TRUE(camunda.type.expression.has_value());
  EXPECT_EQ(camunda.retries.text, "4");
  EXPECT_THAT(camunda.retry_backoff, ElementsAre(std::chrono::minutes(2)));
  EXPECT_EQ(camunda.priority.text, "-3");
  const auto& operaton = *node(definition, "o").worker;
  EXPECT_EQ(operaton.type.text, "ship");
  EXPECT_FALSE(operaton.type.expression.has_value());
  EXPECT_EQ(operaton.retries.text, "");
  EXPECT_EQ(operaton.priority.text, "");
  const auto& own = *node(definition, "p1").worker;
  EXPECT_EQ(own.type.text, "work");
  EXPECT_TRUE(own.retries.expression.has_value());
}

TEST(Read, WhereNothingIsSaidOfWorkersTheyAskForTheId) {
  const auto text =
      process("<bpmn:serviceTask id=\"pay\"/>\n<bpmn:sendTask id=\"tell\" acme:x=\"\"/>");
  EXPECT_THAT(problems(text),
              ElementsAre("missing_worker_type 3:1 pay", "missing_worker_type 4:1 tell"));
  const auto definition =
      compiled(process("<bpmn:serviceTask id=\"pay\"/><bpmn:sendTask id=\"tell\"/>"));
  ASSERT_TRUE(definition);
  EXPECT_EQ(node(definition, "pay").worker->type.text, "pay");
  EXPECT_EQ(node(definition, "tell").worker->type.text, "tell");
}

TEST(Read, PrioritiesMayBeExpressions) {
  const auto definition = compiled(process(R"(<bpmn:userTask id="u" camunda:priority="#{score}"/>
<bpmn:serviceTask id="s" perdure:type="work" camunda:taskPriority="${score}"/>)"));
  ASSERT_TRUE(definition);
  EXPECT_TRUE(node(definition, "u").user_task->priority.expression.has_value());
  EXPECT_TRUE(node(definition, "s").worker->priority.expression.has_value());
}

TEST(Read, TheSameWorkerInTwoVocabulariesIsOne) {
  const auto definition = compiled(process(
      R"(<bpmn:serviceTask id="a" camunda:type="external" camunda:topic="pay">
<bpmn:extensionElements>
<zeebe:taskDefinition type="pay"/></bpmn:extensionElements></bpmn:serviceTask>)"));
  ASSERT_TRUE(definition);
  EXPECT_EQ(node(definition, "a").worker->type.text, "pay");
}

TEST(Read, ProcessWidePriorityIsTheDefault) {
  const auto definition = compiled(file(
      R"(<bpmn:process id="p" isExecutable="true" camunda:taskPriority="9" camunda:versionTag="v7">
<bpmn:serviceTask id="a" perdure:type="x"/>
<bpmn:serviceTask id="b" camunda:type="external" camunda:topic="x" camunda:taskPriority="1"/>
</bpmn:process>)"));
  ASSERT_TRUE(definition);
  EXPECT_EQ(node(definition, "a").worker->priority.text, "9");
  EXPECT_EQ(node(definition, "b").worker->priority.text, "1");
  EXPECT_EQ(definition->version_tag(), "v7");
}

TEST(Read, UserTasks) {
  const auto definition = compiled(process(R"(
<bpmn:userTask id="z"><bpmn:extensionElements><zeebe:userTask/>
  <zeebe:formDefinition formId="approve"/>
  <zeebe:assignmentDefinition assignee="=owner" candidateGroups="sales, legal"
 candidateUsers="ann"/>
  <zeebe:taskSchedule dueDate="2030-01-02T03:04:05Z" followUpDate="=later"/>
  <zeebe:priorityDefinition priority="70"/></bpmn:extensionElements></bpmn:userTask>
<bpmn:userTask id="c" camunda:assignee="${owner}" camunda:candidateGroups="sales"
  camunda:candidateUsers="ann" camunda:dueDate="${due}" camunda:formKey="embedded:app:f.html"
  camunda:priority="5"/>
<bpmn:userTask id="bare"/>)"));
  ASSERT_TRUE(definition);
  const auto& zeebe = *node(definition, "z").user_task;
  EXPECT_TRUE(zeebe.assignee.expression.has_value());
  EXPECT_EQ(zeebe.candidate_groups.text, "sales, legal");
  EXPECT_EQ(zeebe.candidate_users.text, "ann");
  EXPECT_EQ(zeebe.due_date.text, "2030-01-02T03:04:05Z");
  EXPECT_EQ(zeebe.follow_up_date.text, "=later");
  EXPECT_EQ(zeebe.form_reference.text, "approve");
  EXPECT_EQ(zeebe.priority.text, "70");
  const auto& camunda = *node(definition, "c").user_task;
  EXPECT_EQ(camunda.assignee.text, "${owner}");
  EXPECT_TRUE(camunda.assignee.expression.has_value());
  EXPECT_EQ(camunda.candidate_groups.text, "sales");
  EXPECT_EQ(camunda.form_reference.text, "embedded:app:f.html");
  EXPECT_EQ(camunda.priority.text, "5");
  EXPECT_EQ(node(definition, "bare").user_task->assignee.text, "");
}

TEST(Read, Scripts) {
  const auto definition = compiled(process(R"(
<bpmn:scriptTask id="z"><bpmn:extensionElements>
<zeebe:script expression="=a + 1" resultVariable="n"/></bpmn:extensionElements></bpmn:scriptTask>
<bpmn:scriptTask id="feel" scriptFormat="feel" camunda:resultVariable="n">
<bpmn:script>a + 1</bpmn:script></bpmn:scriptTask>
<bpmn:scriptTask id="juel" scriptFormat="juel"><bpmn:script>${a + 1}</bpmn:script></bpmn:scriptTask>
<bpmn:scriptTask id="open"><bpmn:script><![CDATA[ = a < 1 ]]></bpmn:script></bpmn:scriptTask>)"));
  ASSERT_TRUE(definition);
  EXPECT_EQ(node(definition, "z").script->result_variable, "n");
  EXPECT_EQ(node(definition, "feel").script->result_variable, "n");
  EXPECT_EQ(node(definition, "juel").script->result_variable, "");
  for (const auto* id : {"z", "feel", "juel", "open"}) {
    EXPECT_THAT(node(definition, id).script->expression.variables(), ElementsAre("a")) << id;
  }
}

TEST(Read, Timers) {
  const auto definition = compiled(process(R"(
<bpmn:intermediateCatchEvent id="d"><bpmn:timerEventDefinition>
<bpmn:timeDuration xsi:type="bpmn:tFormalExpression"> PT15M </bpmn:timeDuration>
</bpmn:timerEventDefinition></bpmn:intermediateCatchEvent>
<bpmn:intermediateCatchEvent id="t"><bpmn:timerEventDefinition>
<bpmn:timeDate>2030-01-01T00:00:00Z</bpmn:timeDate></bpmn:timerEventDefinition>
</bpmn:intermediateCatchEvent>
<bpmn:intermediateCatchEvent id="e"><bpmn:timerEventDefinition>
<bpmn:timeDuration>=wait</bpmn:timeDuration></bpmn:timerEventDefinition>
</bpmn:intermediateCatchEvent>)"));
  ASSERT_TRUE(definition);
  EXPECT_EQ(node(definition, "d").kind, NodeKind::catch_event);
  EXPECT_EQ(node(definition, "d").event()->timer->kind, definition::TimerKind::duration);
  EXPECT_EQ(node(definition, "d").event()->timer->when.text, "PT15M");
  EXPECT_EQ(node(definition, "t").event()->timer->kind, definition::TimerKind::date);
  EXPECT_TRUE(node(definition, "e").event()->timer->when.expression.has_value());
}

TEST(Read, ConditionsInBothSpellings) {
  const auto definition = compiled(process(R"(<bpmn:exclusiveGateway id="x"/><bpmn:task id="a"/>
<bpmn:sequenceFlow id="feel" sourceRef="x" targetRef="a">
<bpmn:conditionExpression>=total &gt; 1</bpmn:conditionExpression></bpmn:sequenceFlow>
<bpmn:sequenceFlow id="juel" sourceRef="x" targetRef="a">
<bpmn:conditionExpression>${total &gt; 1}</bpmn:conditionExpression></bpmn:sequenceFlow>
<bpmn:sequenceFlow id="hash" sourceRef="x" targetRef="a">
<bpmn:conditionExpression>#{total &gt; 1}</bpmn:conditionExpression></bpmn:sequenceFlow>
<bpmn:sequenceFlow id="bare" sourceRef="x" targetRef="a">
<bpmn:conditionExpression>total &gt; 1</bpmn:conditionExpression></bpmn:sequenceFlow>
<bpmn:sequenceFlow id="said" sourceRef="x" targetRef="a">
<bpmn:conditionExpression
 language="https://www.omg.org/spec/DMN/20191111/FEEL/">total &gt; 1</bpmn:conditionExpression>
</bpmn:sequenceFlow>
<bpmn:sequenceFlow id="named" sourceRef="x" targetRef="a">
<bpmn:conditionExpression language="juel">total gt 1</bpmn:conditionExpression>
</bpmn:sequenceFlow>)"));
  ASSERT_TRUE(definition);
  for (const auto* id : {"feel", "juel", "hash", "bare", "said", "named"}) {
    const auto& flow = definition->flow(definition->find_flow(id));
    ASSERT_TRUE(flow.condition.has_value()) << id;
    EXPECT_THAT(flow.condition->variables(), ElementsAre("total")) << id;
  }
}

TEST(Read, WhatSaysNothingExecutableIsAccepted) {
  EXPECT_THAT(problems(file(
                  R"(<bpmn:collaboration id="c"><bpmn:participant id="pa" processRef="p"/>
</bpmn:collaboration>
<bpmn:message id="m"/><bpmn:error id="er"/><bpmn:itemDefinition id="i"/>
<bpmn:import importType="x" location="y" namespace="z"/>
<bpmn:process id="p" isExecutable="true" isClosed="false" processType="Private"
 camunda:historyTimeToLive="P30D" camunda:isStartableInTasklist="true">
<bpmn:documentation>Words.</bpmn:documentation>
<bpmn:extensionElements><zeebe:properties><zeebe:property name="a" value="b"/></zeebe:properties>
<camunda:properties/><acme:anything else="1"/><zeebe:userTaskForm id="f">{}</zeebe:userTaskForm>
</bpmn:extensionElements>
<bpmn:laneSet id="ls"><bpmn:lane id="l"><bpmn:flowNodeRef>s</bpmn:flowNodeRef></bpmn:lane>
</bpmn:laneSet>
<bpmn:startEvent id="s" camunda:asyncBefore="true" acme:x="1"><bpmn:outgoing>f</bpmn:outgoing>
</bpmn:startEvent>
<bpmn:serviceTask id="t" perdure:type="x" isForCompensation="false" startQuantity="1"
 completionQuantity="1" implementation="##WebService" zeebe:modelerTemplate="tpl"
 camunda:exclusive="false" camunda:jobPriority="${p}">
<bpmn:incoming>f</bpmn:incoming><bpmn:property id="pr" name="__targetRef_placeholder"/>
<bpmn:extensionElements><zeebe:ioMapping/><camunda:inputOutput/></bpmn:extensionElements>
<bpmn:ioSpecification><bpmn:inputSet/><bpmn:outputSet/></bpmn:ioSpecification>
<bpmn:dataInputAssociation id="dia"><bpmn:sourceRef>dor</bpmn:sourceRef>
<bpmn:targetRef>pr</bpmn:targetRef></bpmn:dataInputAssociation></bpmn:serviceTask>
<bpmn:sequenceFlow id="f" sourceRef="s" targetRef="t" isImmediate="true">
<bpmn:documentation>Words.</bpmn:documentation></bpmn:sequenceFlow>
<bpmn:dataObject id="do"/><bpmn:dataObjectReference id="dor" dataObjectRef="do"/>
<bpmn:dataStoreReference id="dsr"/>
<bpmn:textAnnotation id="ta"><bpmn:text>Words.</bpmn:text></bpmn:textAnnotation>
<bpmn:association id="as" sourceRef="t" targetRef="ta"/><bpmn:group id="g"/>
<acme:anything/>
</bpmn:process>)")),
              IsEmpty());
}

TEST(Read, OnlyExecutableProcessesOfACollaboration) {
  const auto deployment = read(file(R"(<bpmn:collaboration id="c"/>
<bpmn:process id="customer" isExecutable="false"><bpmn:receiveTask id="r"/></bpmn:process>
<bpmn:process id="shop" isExecutable="true"><bpmn:task id="a"/></bpmn:process>
<bpmn:process id="sketch"/>
<bpmn:process id="bank" isExecutable="true"><bpmn:task id="a"/></bpmn:process>)"),
                               "m.bpmn");
  ASSERT_TRUE(deployment.has_value());
  ASSERT_EQ(deployment->processes.size(), 2U);
  EXPECT_EQ(deployment->processes[0].definition->process_id(), "shop");
  EXPECT_EQ(deployment->processes[1].definition->process_id(), "bank");
}

TEST(Read, WarningsDoNotRefuse) {
  const auto deployment =
      read(process(R"(<bpmn:startEvent id="s"/><bpmn:task id="alone"/>)"), "m.bpmn");
  ASSERT_TRUE(deployment.has_value());
  ASSERT_EQ(deployment->diagnostics.size(), 1U);
  EXPECT_EQ(definition::to_text(deployment->diagnostics[0]),
            "m.bpmn:3:26: warning unreachable_node [alone]: No token can come here: connect the "
            "element with the start event or remove it.");
}

} // namespace
} // namespace perdure::bpmn
