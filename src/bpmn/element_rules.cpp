#include "bpmn/element_rules.h"

#include <algorithm>
#include <array>
#include <string>

namespace perdure::bpmn {

namespace {

using definition::NodeKind;
using xml::Vocabulary;

constexpr std::string_view kRemove = "remove it or redraw this part with supported elements";
constexpr std::string_view kUseServiceTask = "make it a service task and let its worker do it";
constexpr std::string_view kUseGateways = "use exclusive and parallel gateways";
constexpr std::string_view kUseSubProcess = "make it a plain embedded sub-process";
constexpr std::string_view kNoLoop =
    "remove the marker and draw the loop with an exclusive gateway, or repeat in the worker";
constexpr std::string_view kUseAssignment =
    "set zeebe:assignmentDefinition or camunda:assignee, candidateGroups and candidateUsers";
constexpr std::string_view kUseVariables = "remove it and let tasks use the process variables";
constexpr std::string_view kEventHelp =
    "use a plain start or end event, a terminate end event or a timer catch event";

constexpr auto kRules = std::to_array<ElementRule>({
    {"serviceTask", ElementRole::node, NodeKind::service_task, ""},
    {"userTask", ElementRole::node, NodeKind::user_task, ""},
    {"manualTask", ElementRole::node, NodeKind::manual_task, ""},
    {"scriptTask", ElementRole::node, NodeKind::script_task, ""},
    {"task", ElementRole::node, NodeKind::undefined_task, ""},
    {"exclusiveGateway", ElementRole::node, NodeKind::exclusive_gateway, ""},
    {"parallelGateway", ElementRole::node, NodeKind::parallel_gateway, ""},
    {"subProcess", ElementRole::node, NodeKind::sub_process, kUseSubProcess},
    {"startEvent", ElementRole::event, {}, kEventHelp},
    {"endEvent", ElementRole::event, {}, kEventHelp},
    {"intermediateCatchEvent", ElementRole::event, {}, kEventHelp},
    {"intermediateThrowEvent", ElementRole::event, {}, kEventHelp},
    {"sequenceFlow", ElementRole::flow, {}, ""},

    {"documentation", ElementRole::documentation, {}, ""},
    {"extensionElements", ElementRole::documentation, {}, ""},
    {"laneSet", ElementRole::documentation, {}, ""},
    {"textAnnotation", ElementRole::documentation, {}, ""},
    {"association", ElementRole::documentation, {}, ""},
    {"group", ElementRole::documentation, {}, ""},
    {"dataObject", ElementRole::documentation, {}, ""},
    {"dataObjectReference", ElementRole::documentation, {}, ""},
    {"dataStoreReference", ElementRole::documentation, {}, ""},
    {"property", ElementRole::documentation, {}, ""},
    {"auditing", ElementRole::documentation, {}, ""},
    {"monitoring", ElementRole::documentation, {}, ""},
    {"incoming", ElementRole::documentation, {}, ""},
    {"outgoing", ElementRole::documentation, {}, ""},
    {"inputSet", ElementRole::documentation, {}, ""},
    {"outputSet", ElementRole::documentation, {}, ""},
    {"rendering", ElementRole::documentation, {}, ""},
    {"categoryValueRef", ElementRole::documentation, {}, ""},
    {"supports", ElementRole::documentation, {}, ""},
    {"supportedInterfaceRef", ElementRole::documentation, {}, ""},

    {"ioSpecification", ElementRole::checked, {}, kUseVariables},
    {"dataInputAssociation", ElementRole::checked, {}, kUseVariables},
    {"dataOutputAssociation", ElementRole::checked, {}, kUseVariables},
    {"script", ElementRole::detail, {}, kRemove},
    {"conditionExpression", ElementRole::detail, {}, kRemove},
    {"timerEventDefinition", ElementRole::detail, {}, kRemove},
    {"terminateEventDefinition", ElementRole::detail, {}, kRemove},

    {"sendTask", ElementRole::refused, {}, kUseServiceTask},
    {"receiveTask", ElementRole::refused, {}, "make it a user task that the receiver completes"},
    {"businessRuleTask", ElementRole::refused, {}, kUseServiceTask},
    {"callActivity", ElementRole::refused, {}, "embed the called process as a sub-process"},
    {"transaction", ElementRole::refused, {}, kUseSubProcess},
    {"adHocSubProcess", ElementRole::refused, {}, kUseSubProcess},
    {"inclusiveGateway", ElementRole::refused, {}, kUseGateways},
    {"complexGateway", ElementRole::refused, {}, kUseGateways},
    {"eventBasedGateway", ElementRole::refused, {}, kUseGateways},
    {"boundaryEvent",
     ElementRole::refused,
     {},
     "decide after the task with an exclusive gateway on what its worker returned"},
    {"multiInstanceLoopCharacteristics", ElementRole::refused, {}, kNoLoop},
    {"standardLoopCharacteristics", ElementRole::refused, {}, kNoLoop},
    {"dataInput", ElementRole::refused, {}, kUseVariables},
    {"dataOutput", ElementRole::refused, {}, kUseVariables},
    {"performer", ElementRole::refused, {}, kUseAssignment},
    {"humanPerformer", ElementRole::refused, {}, kUseAssignment},
    {"potentialOwner", ElementRole::refused, {}, kUseAssignment},
    {"resourceRole", ElementRole::refused, {}, kUseAssignment},
});

constexpr ElementRule kUnknown{"", ElementRole::refused, {}, kRemove};

bool is_event_definition(const xml::Element& element) {
  return element.vocabulary == Vocabulary::bpmn &&
         (element.name.ends_with("EventDefinition") || element.name == "eventDefinitionRef" ||
          element.name == "eventDefinition");
}

} // namespace

const ElementRule& rule_of(std::string_view name) {
  const auto found =
      std::ranges::find_if(kRules, [&](const ElementRule& rule) { return rule.name == name; });
  return found == kRules.end() ? kUnknown : *found;
}

std::optional<NodeKind> event_kind(const xml::Element& event) {
  const xml::Element* only = nullptr;
  for (const auto& child : event.children) {
    if (!is_event_definition(child)) continue;
    if (only) return std::nullopt;
    only = &child;
  }
  const auto named = [&](std::string_view name, std::string_view definition) {
    return event.name == name && (only ? only->name == definition : definition.empty());
  };
  if (named("startEvent", "")) return NodeKind::start_event;
  if (named("endEvent", "")) return NodeKind::end_event;
  if (named("endEvent", "terminateEventDefinition")) return NodeKind::terminate_end;
  if (named("intermediateCatchEvent", "timerEventDefinition")) return NodeKind::timer_catch;
  return std::nullopt;
}

std::string describe_definitions(const xml::Element& event) {
  std::string text;
  int count = 0;
  for (const auto& child : event.children) {
    if (!is_event_definition(child) || ++count > 3) continue;
    text += (text.empty() ? " with " : " and ") + child.name.substr(0, 60);
  }
  return text;
}

bool carries_semantics(const xml::Element& element) {
  const auto has = [&](std::string_view name) {
    return element.child(Vocabulary::bpmn, name) != nullptr;
  };
  if (element.name == "ioSpecification") return has("dataInput") || has("dataOutput");
  // An arrow between a data object and a task is drawn as an association without either.
  return has("assignment") || has("transformation");
}

void refuse_element(const xml::Element& element, std::string_view id, definition::Report& report) {
  report.error(definition::Code::unsupported_element, element.place, id,
               "The element " + definition::in_quotes(element.name) +
                   describe_definitions(element) +
                   " is not supported: " + std::string(rule_of(element.name).advice) + ".");
}

} // namespace perdure::bpmn
