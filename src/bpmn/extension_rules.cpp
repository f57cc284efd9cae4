#include "bpmn/extension_rules.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace perdure::bpmn {

namespace {

using definition::Code;
using xml::Vocabulary;

enum class Form { attribute, element };

enum class Treatment {
  understood,          ///< read by task_reader or process_reader, or without effect on execution
  warned,              ///< left out, and said so
  refused,             ///< changes execution in a way that Perdure does not offer
  refused_with_content ///< the same, but an empty shell changes nothing
};

struct Rule {
  Vocabulary vocabulary;
  Form form;
  std::string_view name;
  unsigned hosts;
  Treatment treatment;
  std::string_view advice; ///< what to do, for refused and warned
};

constexpr std::string_view kUseExternal =
    "set camunda:type=\"external\" and camunda:topic and let a worker do it";
constexpr std::string_view kUseListener =
    "it runs Java or a script: let a worker do it, named by a zeebe:executionListener type";
constexpr std::string_view kUseTaskListener =
    "it runs Java or a script: let a worker do it, named by a zeebe:taskListener type";
constexpr std::string_view kUseElement = "put it on the element before or behind";
constexpr std::string_view kUseNames = "map the variables at the activities and events beside it";
constexpr std::string_view kOwnForm =
    "the client that completes the task must check its input itself";

constexpr auto kRules = std::to_array<Rule>({
    // Camunda 8: elements.
    {Vocabulary::zeebe, Form::element, "taskDefinition", kOnServiceTask | kOnThrowEvent,
     Treatment::understood, ""},
    {Vocabulary::zeebe, Form::element, "taskHeaders", kOnServiceTask | kOnThrowEvent,
     Treatment::understood, ""},
    {Vocabulary::zeebe, Form::element, "taskHeaders", kOnUserTask, Treatment::warned,
     "put what the client must know into process variables"},
    {Vocabulary::zeebe, Form::element, "taskDefinition", kOnUserTask, Treatment::warned,
     "people work on a user task; make it a service task where a worker shall do it"},
    {Vocabulary::zeebe, Form::element, "loopCharacteristics", kOnLoop, Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "collection", kOnLoop, Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "elementVariable", kOnLoop, Treatment::understood, ""},
    {Vocabulary::zeebe, Form::element, "properties", kAnywhere, Treatment::understood, ""},
    {Vocabulary::zeebe, Form::element, "versionTag", kOnProcess, Treatment::understood, ""},
    {Vocabulary::zeebe, Form::element, "userTaskForm", kOnProcess, Treatment::understood, ""},
    {Vocabulary::zeebe, Form::element, "userTask", kOnUserTask, Treatment::understood, ""},
    {Vocabulary::zeebe, Form::element, "formDefinition", kOnUserTask | kOnStartEvent,
     Treatment::understood, ""},
    {Vocabulary::zeebe, Form::element, "assignmentDefinition", kOnUserTask, Treatment::understood,
     ""},
    {Vocabulary::zeebe, Form::element, "taskSchedule", kOnUserTask, Treatment::understood, ""},
    {Vocabulary::zeebe, Form::element, "priorityDefinition", kOnUserTask, Treatment::understood,
     ""},
    {Vocabulary::zeebe, Form::element, "adHoc", kOnAdHoc, Treatment::understood, ""},
    {Vocabulary::zeebe, Form::element, "script", kOnScriptTask, Treatment::understood, ""},
    {Vocabulary::zeebe, Form::element, "taskDefinition", kOnScriptTask, Treatment::refused,
     "make it a service task or give it a zeebe:script expression"},
    {Vocabulary::zeebe, Form::element, "calledDecision", kOnlyRuleTask, Treatment::understood, ""},
    {Vocabulary::zeebe, Form::element, "calledDecision", kOnServiceTask, Treatment::refused,
     "make it a business rule task"},
    {Vocabulary::zeebe, Form::element, "ioMapping", kWithData, Treatment::understood, ""},
    {Vocabulary::zeebe, Form::element, "ioMapping", kAnywhere, Treatment::refused_with_content,
     kUseNames},
    {Vocabulary::zeebe, Form::element, "executionListeners", kOnProcess | kOnNodes,
     Treatment::understood, ""},
    {Vocabulary::zeebe, Form::element, "executionListeners", kAnywhere,
     Treatment::refused_with_content, kUseElement},
    {Vocabulary::zeebe, Form::element, "taskListeners", kOnUserTask, Treatment::understood, ""},
    {Vocabulary::zeebe, Form::element, "taskListeners", kAnywhere, Treatment::refused_with_content,
     "put it on a user task, or make it an execution listener"},
    {Vocabulary::zeebe, Form::element, "calledElement", kOnCallActivity, Treatment::understood, ""},
    // Camunda 8: attributes.
    {Vocabulary::zeebe, Form::attribute, "modelerTemplate", kAnywhere, Treatment::understood, ""},
    {Vocabulary::zeebe, Form::attribute, "modelerTemplateVersion", kAnywhere, Treatment::understood,
     ""},
    {Vocabulary::zeebe, Form::attribute, "modelerTemplateIcon", kAnywhere, Treatment::understood,
     ""},
    // Camunda 7: attributes.
    {Vocabulary::camunda, Form::attribute, "type", kOnServiceTask | kOnEventDefinition,
     Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "topic", kOnServiceTask | kOnEventDefinition,
     Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "taskPriority",
     kOnServiceTask | kOnProcess | kOnEventDefinition, Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "errorCodeVariable", kOnEventDefinition,
     Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "errorMessageVariable", kOnEventDefinition,
     Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "escalationCodeVariable", kOnEventDefinition,
     Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "decisionRef", kOnlyRuleTask, Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "decisionRefBinding", kOnlyRuleTask,
     Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "decisionRefVersion", kOnlyRuleTask,
     Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "decisionRefVersionTag", kOnlyRuleTask,
     Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "mapDecisionResult", kOnlyRuleTask,
     Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "decisionRef", kOnServiceTask, Treatment::refused,
     "make it a business rule task"},
    {Vocabulary::camunda, Form::attribute, "class", kAnywhere, Treatment::refused, kUseExternal},
    {Vocabulary::camunda, Form::attribute, "delegateExpression", kAnywhere, Treatment::refused,
     kUseExternal},
    {Vocabulary::camunda, Form::attribute, "expression", kAnywhere, Treatment::refused,
     kUseExternal},
    {Vocabulary::camunda, Form::attribute, "resultVariable", kOnScriptTask | kOnlyRuleTask,
     Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "resource", kAnywhere, Treatment::refused,
     "write the expression into the model itself"},
    {Vocabulary::camunda, Form::attribute, "assignee", kOnUserTask, Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "candidateGroups", kOnUserTask, Treatment::understood,
     ""},
    {Vocabulary::camunda, Form::attribute, "candidateUsers", kOnUserTask, Treatment::understood,
     ""},
    {Vocabulary::camunda, Form::attribute, "dueDate", kOnUserTask, Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "followUpDate", kOnUserTask, Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "priority", kOnUserTask, Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "formKey", kOnUserTask | kOnStartEvent,
     Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "formRef", kOnUserTask | kOnStartEvent,
     Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "formRefBinding", kOnUserTask | kOnStartEvent,
     Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "formRefVersion", kOnUserTask | kOnStartEvent,
     Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "initiator", kOnStartEvent, Treatment::refused,
     "pass the user's name as a variable when you start the process"},
    {Vocabulary::camunda, Form::attribute, "asyncBefore", kAnywhere, Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "asyncAfter", kAnywhere, Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "async", kAnywhere, Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "exclusive", kAnywhere, Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "jobPriority", kAnywhere, Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "historyTimeToLive", kOnProcess, Treatment::understood,
     ""},
    {Vocabulary::camunda, Form::attribute, "versionTag", kOnProcess, Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "isStartableInTasklist", kOnProcess,
     Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "candidateStarterGroups", kOnProcess, Treatment::warned,
     "guard who may start it at the interface"},
    {Vocabulary::camunda, Form::attribute, "candidateStarterUsers", kOnProcess, Treatment::warned,
     "guard who may start it at the interface"},
    {Vocabulary::camunda, Form::attribute, "modelerTemplate", kAnywhere, Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "modelerTemplateVersion", kAnywhere,
     Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "calledElementBinding", kOnCallActivity,
     Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "calledElementVersion", kOnCallActivity,
     Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "calledElementVersionTag", kOnCallActivity,
     Treatment::understood, ""},
    {Vocabulary::camunda, Form::attribute, "calledElementTenantId", kOnCallActivity,
     Treatment::refused, "call a process of the same tenant"},
    {Vocabulary::camunda, Form::attribute, "variableMappingClass", kOnCallActivity,
     Treatment::refused, "use camunda:in and camunda:out"},
    {Vocabulary::camunda, Form::attribute, "variableMappingDelegateExpression", kOnCallActivity,
     Treatment::refused, "use camunda:in and camunda:out"},
    {Vocabulary::camunda, Form::attribute, "caseRef", kOnCallActivity, Treatment::refused,
     "call a process"},
    // Camunda 7: elements.
    {Vocabulary::camunda, Form::element, "in", kOnCallActivity, Treatment::understood, ""},
    {Vocabulary::camunda, Form::element, "out", kOnCallActivity, Treatment::understood, ""},
    {Vocabulary::camunda, Form::element, "properties", kAnywhere, Treatment::understood, ""},
    {Vocabulary::camunda, Form::element, "failedJobRetryTimeCycle", kOnServiceTask,
     Treatment::understood, ""},
    {Vocabulary::camunda, Form::element, "failedJobRetryTimeCycle", kOnNodes | kOnLoop,
     Treatment::warned, "nothing here can fail and be tried again, so remove it"},
    {Vocabulary::camunda, Form::element, "formData", kOnUserTask | kOnStartEvent, Treatment::warned,
     kOwnForm},
    {Vocabulary::camunda, Form::element, "inputOutput", kWithData, Treatment::understood, ""},
    {Vocabulary::camunda, Form::element, "inputOutput", kAnywhere, Treatment::refused_with_content,
     kUseNames},
    {Vocabulary::camunda, Form::element, "connector", kAnywhere, Treatment::refused, kUseExternal},
    {Vocabulary::camunda, Form::element, "executionListener", kAnywhere, Treatment::refused,
     kUseListener},
    {Vocabulary::camunda, Form::element, "taskListener", kAnywhere, Treatment::refused,
     kUseTaskListener},
    {Vocabulary::camunda, Form::element, "field", kAnywhere, Treatment::refused, kUseExternal},
    {Vocabulary::camunda, Form::element, "errorEventDefinition", kAnywhere, Treatment::refused,
     "let the worker report the error itself"},
    // Perdure.
    {Vocabulary::perdure, Form::attribute, "activeElements", kOnAdHoc, Treatment::understood, ""},
    {Vocabulary::perdure, Form::attribute, "type",
     kOnServiceTask | kOnThrowEvent | kOnEventDefinition, Treatment::understood, ""},
    {Vocabulary::perdure, Form::attribute, "retries",
     kOnServiceTask | kOnThrowEvent | kOnEventDefinition, Treatment::understood, ""},
    {Vocabulary::perdure, Form::attribute, "errorCodeVariable", kOnEventDefinition,
     Treatment::understood, ""},
    {Vocabulary::perdure, Form::attribute, "errorMessageVariable", kOnEventDefinition,
     Treatment::understood, ""},
    {Vocabulary::perdure, Form::attribute, "escalationCodeVariable", kOnEventDefinition,
     Treatment::understood, ""},
});

bool is_extension(Vocabulary vocabulary) {
  return vocabulary == Vocabulary::zeebe || vocabulary == Vocabulary::camunda ||
         vocabulary == Vocabulary::perdure;
}

const Rule* find_rule(Vocabulary vocabulary, Form form, std::string_view name, Host host) {
  const auto found = std::ranges::find_if(kRules, [&](const Rule& rule) {
    return rule.vocabulary == vocabulary && rule.form == form && rule.name == name &&
           (rule.hosts & host) != 0;
  });
  return found == kRules.end() ? nullptr : &*found;
}

struct Found {
  Vocabulary vocabulary;
  Form form;
  std::string_view name;
  bool has_content;
  definition::SourcePlace place;
};

/// False when it is an error.
bool judge(const Found& found, Host host, std::string_view element_id, definition::Report& report) {
  const auto* rule = find_rule(found.vocabulary, found.form, found.name, host);
  const std::string shown =
      "`" + std::string(xml::usual_prefix(found.vocabulary)) + std::string(found.name) + "`";
  if (!rule) {
    report.error(Code::unsupported_extension, found.place, element_id,
                 "The extension " + shown +
                     " has no meaning here that Perdure knows: remove it or take a supported one.");
    return false;
  }
  if (rule->treatment == Treatment::understood) return true;
  if (rule->treatment == Treatment::refused_with_content && !found.has_content) return true;
  if (rule->treatment == Treatment::warned) {
    report.warning(Code::ignored_extension, found.place, element_id,
                   "The extension " + shown + " is left out: " + std::string(rule->advice) + ".");
    return true;
  }
  report.error(Code::unsupported_extension, found.place, element_id,
               "The extension " + shown + " is not supported: " + std::string(rule->advice) + ".");
  return false;
}

/// Where it stands nobody would read it.
void misplaced(const xml::Element& extension, std::string_view element_id,
               definition::Report& report) {
  report.error(Code::unsupported_extension, extension.place, element_id,
               "The extension `" + std::string(xml::usual_prefix(extension.vocabulary)) +
                   extension.name + "` stands outside of extensionElements: move it into them.");
}

} // namespace

bool check_extensions(const xml::Element& element, Host host, std::string_view element_id,
                      definition::Report& report) {
  bool sound = true;
  for (const auto& attribute : element.attributes) {
    if (!is_extension(attribute.vocabulary)) continue;
    sound &= judge({attribute.vocabulary, Form::attribute, attribute.name, true, element.place},
                   host, element_id, report);
  }
  for (const auto& holder : element.children) {
    // Outside of extensionElements the schema allows none, but a hand-written file may try.
    if (is_extension(holder.vocabulary)) {
      const bool accepted = judge(
          {holder.vocabulary, Form::element, holder.name, !holder.children.empty(), holder.place},
          host, element_id, report);
      if (accepted) misplaced(holder, element_id, report);
      sound = false;
    }
    if (!holder.is(Vocabulary::bpmn, "extensionElements")) continue;
    for (const auto& extension : holder.children) {
      if (!is_extension(extension.vocabulary)) continue;
      sound &= judge({extension.vocabulary, Form::element, extension.name,
                      !extension.children.empty(), extension.place},
                     host, element_id, report);
    }
  }
  return sound;
}

namespace {

std::string hosts_text(unsigned hosts) {
  constexpr std::pair<unsigned, std::string_view> kNames[] = {
      {kAnywhere, "everywhere"},
      {kOnNodes, "every element"},
      {kWithData, "activity and event"},
      {kOnProcess, "process"},
      {kOnStartEvent, "start event"},
      {kOnServiceTask, "service, send and business rule task"},
      {kOnUserTask, "user task"},
      {kOnScriptTask, "script task"},
      {kOnThrowEvent, "throw and end event"},
      {kOnCallActivity, "call activity"},
      {kOnEventDefinition, "event definition"},
      {kOnFlow, "sequence flow"},
      {kOnExpression, "expression"},
      {kOnLoop, "loop marker"},
      {kOnGateway, "gateway and event sub-process"},
      {kOnCallActivity, "call activity"},
      {kOnAdHoc, "ad hoc sub-process"},
      {kOnlyRuleTask, "business rule task"},
      {kOnOtherNode, "other elements"}};
  std::string text;
  for (const auto& [host, name] : kNames) {
    if ((hosts & host) != host) continue;
    hosts &= ~host;
    text += (text.empty() ? "" : ", ") + std::string(name);
  }
  return text;
}

std::string treatment_text(const Rule& rule) {
  const std::string advice(rule.advice);
  switch (rule.treatment) {
    case Treatment::understood: return advice.empty() ? "taken" : "taken: " + advice;
    case Treatment::warned: return "left out, with a warning: " + advice;
    case Treatment::refused: return "refused: " + advice;
    case Treatment::refused_with_content: return "refused unless empty: " + advice;
  }
  return {};
}

} // namespace

std::string extension_table() {
  std::string table = "| Extension | On | What Perdure does with it |\n| --- | --- | --- |\n";
  for (const auto& rule : kRules) {
    const auto name = std::string(xml::usual_prefix(rule.vocabulary)) + std::string(rule.name);
    table += "| `" + (rule.form == Form::element ? "<" + name + ">" : name) + "` | " +
             hosts_text(rule.hosts) + " | " + treatment_text(rule) + " |\n";
  }
  return table;
}

const xml::Element* find_extension(const xml::Element& element, Vocabulary vocabulary,
                                   std::string_view name) {
  for (const auto& holder : element.children) {
    if (!holder.is(Vocabulary::bpmn, "extensionElements")) continue;
    if (const auto* found = holder.child(vocabulary, name)) return found;
  }
  return nullptr;
}

} // namespace perdure::bpmn
