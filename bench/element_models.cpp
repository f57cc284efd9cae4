#include "bench/element_models.h"

#include <string_view>

namespace perdure::bench {

namespace {

constexpr std::string_view kHead = R"(<definitions xmlns:zeebe="http://camunda.org/schema/zeebe/1.0"
  xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="https://perdure.dev/bench">
<message id="m" name="m"><extensionElements><zeebe:subscription correlationKey="=key"/>
</extensionElements></message>
<signal id="s" name="s"/><signal id="t" name="t"/>
<error id="e" name="e" errorCode="e"/><escalation id="x" name="x" escalationCode="x"/>
)";

/// One element with the ids of both ends.
std::string one(std::string_view element, std::string_view inside = "") {
  const std::string tag(element.substr(0, element.find(' ')));
  return "<" + std::string(element) + " id=\"a\">" + std::string(inside) + "</" + tag + ">" +
         R"(<sequenceFlow id="az" sourceRef="a" targetRef="z"/><exclusiveGateway id="z"/>)";
}

std::string flow(std::string_view from, std::string_view to, std::string_view condition = "") {
  const auto id = std::string(from) + "_" + std::string(to);
  const auto head = "<sequenceFlow id=\"" + id + "\" sourceRef=\"" + std::string(from) +
                    "\" targetRef=\"" + std::string(to) + "\"";
  if (condition.empty()) return head + "/>";
  return head + "><conditionExpression>=" + std::string(condition) +
         "</conditionExpression></sequenceFlow>";
}

/// Two branches through tasks that do nothing, gathered again.
std::string gathered(const std::string& split, const std::string& join,
                     const std::string& condition = "", const std::string& inside = "") {
  return "<" + split + " id=\"a\"/><task id=\"b\"/><task id=\"c\"/><" + join + " id=\"z\">" +
         inside + "</" + join + ">" + flow("a", "b", condition) + flow("a", "c", condition) +
         flow("b", "z") + flow("c", "z");
}

/// A user task with an event at its boundary that does not come.
std::string guarded(const std::string& event) {
  return one("userTask") + R"(<boundaryEvent id="b" attachedToRef="a">)" + event +
         "</boundaryEvent>";
}

std::string timer(const std::string& kind, const std::string& time) {
  return "<timerEventDefinition><" + kind + ">" + time + "</" + kind + "></timerEventDefinition>";
}

const std::string kWork =
    R"(<extensionElements><zeebe:taskDefinition type="work"/></extensionElements>)";
const std::string kMessage = R"(<messageEventDefinition messageRef="m"/>)";
const std::string kSignal = R"(<signalEventDefinition signalRef="s"/>)";
const std::string kTenItems =
    "<multiInstanceLoopCharacteristics><loopCardinality>10</loopCardinality>"
    "</multiInstanceLoopCharacteristics>";
const std::string kTenInTurn =
    "<multiInstanceLoopCharacteristics isSequential=\"true\"><loopCardinality>10</loopCardinality>"
    "</multiInstanceLoopCharacteristics>";

std::vector<ElementModel> tasks() {
  return {
      // What the others are measured against: the gateway at which each of them ends.
      {.kind = "none", .less = "", .inside = R"(<exclusiveGateway id="z"/>)", .first = "z"},
      {.kind = "service_task", .less = "none", .inside = one("serviceTask", kWork)},
      {.kind = "send_task", .less = "none", .inside = one("sendTask", kWork)},
      {.kind = "send_task_message", .less = "none", .inside = one("sendTask messageRef=\"out\"")},
      {.kind = "receive_task",
       .less = "none",
       .inside = one("receiveTask messageRef=\"m\""),
       .deed = Deed::message},
      {.kind = "user_task", .less = "none", .inside = one("userTask"), .deed = Deed::finish},
      {.kind = "manual_task", .less = "none", .inside = one("manualTask")},
      {.kind = "undefined_task", .less = "none", .inside = one("task")},
      {.kind = "script_task",
       .less = "none",
       .inside = one("scriptTask", R"(<extensionElements><zeebe:script expression="=n + 1")"
                                   R"( resultVariable="n"/></extensionElements>)")},
      {.kind = "business_rule_task_worker",
       .less = "none",
       .inside = one("businessRuleTask", kWork)},
      {.kind = "business_rule_task_decision",
       .less = "none",
       .inside = one("businessRuleTask", R"(<extensionElements><zeebe:calledDecision)"
                                         R"( decisionId="fee" resultVariable="fee"/>)"
                                         R"(</extensionElements>)")},
      {.kind = "call_activity",
       .less = "none",
       .inside = one("callActivity calledElement=\"none\"")},
      {.kind = "multi_instance_item",
       .less = "none",
       .inside = one("task", kTenItems),
       .count = 10},
      {.kind = "multi_instance_item_in_turn",
       .less = "none",
       .inside = one("task", kTenInTurn),
       .count = 10},
      {.kind = "standard_loop_round",
       .less = "none",
       .inside = one("task",
                     "<standardLoopCharacteristics loopMaximum=\"10\"><loopCondition>=true"
                     "</loopCondition></standardLoopCharacteristics>"),
       .count = 10},
  };
}

std::vector<ElementModel> gateways_and_scopes() {
  const std::string inner = R"(<startEvent id="i"/><endEvent id="o"/>)" + flow("i", "o");
  return {
      {.kind = "exclusive_gateway", .less = "none", .inside = one("exclusiveGateway")},
      {.kind = "parallel_fork_and_join",
       .less = "none",
       .inside = gathered("parallelGateway", "parallelGateway")},
      {.kind = "inclusive_fork_and_join",
       .less = "none",
       .inside = gathered("inclusiveGateway", "inclusiveGateway", "true")},
      {.kind = "complex_join",
       .less = "none",
       .inside = gathered("parallelGateway", "complexGateway", "",
                          "<activationCondition>=activationCount &gt;= 2</activationCondition>")},
      {.kind = "event_based_gateway",
       .less = "none",
       .inside = R"(<eventBasedGateway id="a"/><intermediateCatchEvent id="b">)" + kMessage +
                 R"(</intermediateCatchEvent><intermediateCatchEvent id="c">)" +
                 timer("timeDuration", "P1D") +
                 R"(</intermediateCatchEvent><exclusiveGateway id="z"/>)" + flow("a", "b") +
                 flow("a", "c") + flow("b", "z") + flow("c", "z"),
       .deed = Deed::message},
      {.kind = "sub_process", .less = "none", .inside = one("subProcess", inner)},
      {.kind = "transaction", .less = "none", .inside = one("transaction", inner)},
      {.kind = "ad_hoc_sub_process",
       .less = "none",
       .inside =
           one("adHocSubProcess",
               R"(<extensionElements><zeebe:adHoc activeElementsCollection="=[&quot;i&quot;]"/>)"
               R"(</extensionElements><task id="i"/>)")},
      {.kind = "event_sub_process_armed",
       .less = "sub_process",
       .inside = one("subProcess", inner +
                                       R"(<subProcess id="h" triggeredByEvent="true">)"
                                       R"(<startEvent id="j">)" +
                                       kMessage + R"(</startEvent><endEvent id="k"/>)" +
                                       flow("j", "k") + "</subProcess>")},
  };
}

std::vector<ElementModel> events() {
  const auto thrown = [](const std::string& definition) {
    return one("intermediateThrowEvent", definition);
  };
  const auto caught = [](const std::string& definition) {
    return one("intermediateCatchEvent", definition);
  };
  return {
      {.kind = "throw_none", .less = "none", .inside = thrown("")},
      {.kind = "throw_message",
       .less = "none",
       .inside = thrown(R"(<messageEventDefinition messageRef="out"/>)")},
      {.kind = "throw_signal",
       .less = "none",
       .inside = thrown(R"(<signalEventDefinition signalRef="t"/>)")},
      {.kind = "throw_escalation",
       .less = "none",
       .inside = thrown(R"(<escalationEventDefinition escalationRef="x"/>)")},
      {.kind = "catch_message", .less = "none", .inside = caught(kMessage), .deed = Deed::message},
      {.kind = "catch_signal", .less = "none", .inside = caught(kSignal), .deed = Deed::signal},
      {.kind = "catch_timer",
       .less = "none",
       .inside = caught(timer("timeDate", "2020-01-01T00:00:00Z"))},
      {.kind = "catch_condition",
       .less = "none",
       .inside = caught("<conditionalEventDefinition><condition>=n = 0</condition>"
                        "</conditionalEventDefinition>")},
      {.kind = "link",
       .less = "none",
       .inside = R"(<intermediateThrowEvent id="a"><linkEventDefinition name="l"/>)"
                 R"(</intermediateThrowEvent><intermediateCatchEvent id="y">)"
                 R"(<linkEventDefinition name="l"/></intermediateCatchEvent>)"
                 R"(<exclusiveGateway id="z"/>)" +
                 flow("y", "z")},
      {.kind = "boundary_timer_armed_and_disarmed",
       .less = "user_task",
       .inside = guarded(timer("timeDuration", "P1D")),
       .deed = Deed::finish},
      {.kind = "boundary_message_armed_and_disarmed",
       .less = "user_task",
       .inside = guarded(kMessage),
       .deed = Deed::finish},
      {.kind = "boundary_condition_armed_and_disarmed",
       .less = "user_task",
       .inside = guarded("<conditionalEventDefinition><condition>=n = 1</condition>"
                         "</conditionalEventDefinition>"),
       .deed = Deed::finish},
      {.kind = "boundary_error_unused",
       .less = "user_task",
       .inside = guarded(R"(<errorEventDefinition errorRef="e"/>)"),
       .deed = Deed::finish},
      {.kind = "error_thrown_and_caught",
       .less = "sub_process",
       .inside = one("subProcess", R"(<startEvent id="i"/><endEvent id="o">)"
                                   R"(<errorEventDefinition errorRef="e"/></endEvent>)" +
                                       flow("i", "o")) +
                 R"(<boundaryEvent id="b" attachedToRef="a"><errorEventDefinition errorRef="e"/>)"
                 "</boundaryEvent>" +
                 flow("b", "z")},
      {.kind = "compensation",
       .less = "undefined_task",
       .inside = R"(<task id="a"/><task id="u" isForCompensation="true"/>)"
                 R"(<boundaryEvent id="b" attachedToRef="a"><compensateEventDefinition/>)"
                 R"(</boundaryEvent><association id="bu" sourceRef="b" targetRef="u"/>)"
                 R"(<intermediateThrowEvent id="y"><compensateEventDefinition/>)"
                 "</intermediateThrowEvent>" +
                 flow("a", "y") + R"(<exclusiveGateway id="z"/>)" + flow("y", "z")},
  };
}

} // namespace

const std::vector<ElementModel>& element_models() {
  static const auto all = [] {
    auto models = tasks();
    for (auto more : {gateways_and_scopes(), events()})
      models.insert(models.end(), more.begin(), more.end());
    return models;
  }();
  return all;
}

std::string source_of(const ElementModel& model) {
  return std::string(kHead) + R"(<message id="out" name="out"/><process id=")" + model.kind +
         R"(" isExecutable="true"><startEvent id="begin"/>)" + flow("begin", model.first) +
         model.inside + flow("z", "end") + R"(<endEvent id="end"/></process></definitions>)";
}

} // namespace perdure::bench
