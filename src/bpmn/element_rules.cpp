#include "bpmn/element_rules.h"

#include <algorithm>
#include <array>
#include <string>

#include "bpmn/event_reader.h"

namespace perdure::bpmn {

namespace {

using definition::NodeKind;
using xml::Vocabulary;

constexpr std::string_view kRemove = "remove it or redraw this part with supported elements";
constexpr std::string_view kUseSubProcess = "make it a plain embedded sub-process";
constexpr std::string_view kNoLoop = "put it on a task or sub-process, which can be repeated";
constexpr std::string_view kUseAssignment =
    "set zeebe:assignmentDefinition or camunda:assignee, candidateGroups and candidateUsers";
constexpr std::string_view kUseVariables =
    "put it on an activity or event, and let the process begin with plain variables";
constexpr auto kRules = std::to_array<ElementRule>({
    {"serviceTask", ElementRole::node, NodeKind::service_task, ""},
    {"sendTask", ElementRole::node, NodeKind::send_task, ""},
    {"receiveTask", ElementRole::node, NodeKind::receive_task, ""},
    {"businessRuleTask", ElementRole::node, NodeKind::business_rule_task, ""},
    {"userTask", ElementRole::node, NodeKind::user_task, ""},
    {"manualTask", ElementRole::node, NodeKind::manual_task, ""},
    {"scriptTask", ElementRole::node, NodeKind::script_task, ""},
    {"task", ElementRole::node, NodeKind::undefined_task, ""},
    {"exclusiveGateway", ElementRole::node, NodeKind::exclusive_gateway, ""},
    {"inclusiveGateway", ElementRole::node, NodeKind::inclusive_gateway, ""},
    {"parallelGateway", ElementRole::node, NodeKind::parallel_gateway, ""},
    {"complexGateway", ElementRole::node, NodeKind::complex_gateway, ""},
    {"eventBasedGateway", ElementRole::node, NodeKind::event_based_gateway, ""},
    {"callActivity", ElementRole::node, NodeKind::call_activity, ""},
    {"subProcess", ElementRole::node, NodeKind::sub_process, kUseSubProcess},
    {"transaction", ElementRole::node, NodeKind::transaction, kUseSubProcess},
    {"adHocSubProcess", ElementRole::node, NodeKind::ad_hoc_sub_process, ""},
    {"startEvent", ElementRole::node, NodeKind::start_event, ""},
    {"endEvent", ElementRole::node, NodeKind::end_event, ""},
    {"intermediateCatchEvent", ElementRole::node, NodeKind::catch_event, ""},
    {"intermediateThrowEvent", ElementRole::node, NodeKind::throw_event, ""},
    {"boundaryEvent", ElementRole::node, NodeKind::boundary_event, ""},
    {"sequenceFlow", ElementRole::flow, {}, ""},
    {"association", ElementRole::association, {}, ""},

    {"documentation", ElementRole::documentation, {}, ""},
    {"extensionElements", ElementRole::documentation, {}, ""},
    {"laneSet", ElementRole::documentation, {}, ""},
    {"textAnnotation", ElementRole::documentation, {}, ""},
    {"group", ElementRole::documentation, {}, ""},
    {"dataObject", ElementRole::data, {}, ""},
    {"dataObjectReference", ElementRole::data, {}, ""},
    {"dataStoreReference", ElementRole::documentation, {}, ""},
    {"property", ElementRole::data, {}, ""},
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
    {"completionCondition", ElementRole::detail, {}, kRemove},
    {"activationCondition", ElementRole::detail, {}, kRemove},
    {"eventDefinitionRef", ElementRole::detail, {}, kRemove},
    {"messageEventDefinition", ElementRole::detail, {}, kRemove},
    {"timerEventDefinition", ElementRole::detail, {}, kRemove},
    {"signalEventDefinition", ElementRole::detail, {}, kRemove},
    {"errorEventDefinition", ElementRole::detail, {}, kRemove},
    {"escalationEventDefinition", ElementRole::detail, {}, kRemove},
    {"conditionalEventDefinition", ElementRole::detail, {}, kRemove},
    {"compensateEventDefinition", ElementRole::detail, {}, kRemove},
    {"linkEventDefinition", ElementRole::detail, {}, kRemove},
    {"cancelEventDefinition", ElementRole::detail, {}, kRemove},
    {"terminateEventDefinition", ElementRole::detail, {}, kRemove},

    {"multiInstanceLoopCharacteristics", ElementRole::detail, {}, kNoLoop},
    {"standardLoopCharacteristics", ElementRole::detail, {}, kNoLoop},
    {"dataInput", ElementRole::refused, {}, kUseVariables},
    {"dataOutput", ElementRole::refused, {}, kUseVariables},
    {"performer", ElementRole::refused, {}, kUseAssignment},
    {"humanPerformer", ElementRole::refused, {}, kUseAssignment},
    {"potentialOwner", ElementRole::refused, {}, kUseAssignment},
    {"resourceRole", ElementRole::refused, {}, kUseAssignment},
});

constexpr ElementRule kUnknown{"", ElementRole::refused, {}, kRemove};

} // namespace

const ElementRule& rule_of(std::string_view name) {
  const auto found =
      std::ranges::find_if(kRules, [&](const ElementRule& rule) { return rule.name == name; });
  return found == kRules.end() ? kUnknown : *found;
}

std::span<const ElementRule> element_rules() { return kRules; }

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
