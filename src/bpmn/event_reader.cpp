#include "bpmn/event_reader.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "bpmn/expressions.h"
#include "bpmn/extension_rules.h"
#include "bpmn/task_reader.h"

namespace perdure::bpmn {

namespace {

using definition::Code;
using definition::EventKind;
using definition::EventSpec;
using definition::in_quotes;
using definition::Node;
using definition::NodeKind;
using definition::Report;
using xml::Vocabulary;

struct DefinitionName {
  std::string_view name;
  EventKind kind;
};
constexpr auto kDefinitions = std::to_array<DefinitionName>({
    {"messageEventDefinition", EventKind::message},
    {"timerEventDefinition", EventKind::timer},
    {"signalEventDefinition", EventKind::signal},
    {"errorEventDefinition", EventKind::error},
    {"escalationEventDefinition", EventKind::escalation},
    {"conditionalEventDefinition", EventKind::conditional},
    {"compensateEventDefinition", EventKind::compensation},
    {"linkEventDefinition", EventKind::link},
    {"cancelEventDefinition", EventKind::cancel},
    {"terminateEventDefinition", EventKind::terminate},
});

/// Where the kind keeps its name or code.
struct Reference {
  EventKind kind;
  std::string_view attribute; ///< of the event definition
  std::string_view element;   ///< that it refers to
  std::string_view code;      ///< attribute of that element
};
constexpr auto kReferences = std::to_array<Reference>({
    {EventKind::message, "messageRef", "message", "name"},
    {EventKind::signal, "signalRef", "signal", "name"},
    {EventKind::error, "errorRef", "error", "errorCode"},
    {EventKind::escalation, "escalationRef", "escalation", "escalationCode"},
});

std::string_view local_name(std::string_view qualified) {
  const auto colon = qualified.rfind(':');
  return xml::trim(colon == std::string_view::npos ? qualified : qualified.substr(colon + 1));
}

bool throws(NodeKind kind) {
  return kind == NodeKind::throw_event || kind == NodeKind::end_event ||
         kind == NodeKind::send_task;
}

/// An attribute of ours or of Camunda 7; empty when absent.
std::string said(const xml::Element& element, std::string_view name) {
  for (const auto vocabulary : {Vocabulary::perdure, Vocabulary::camunda}) {
    if (const auto* text = element.find(vocabulary, name)) return std::string(xml::trim(*text));
  }
  return {};
}

void read_correlation_key(const xml::Element& message, std::string_view id, EventSpec& spec,
                          Report& report) {
  const Origin origin{message.place, id, "the correlation key"};
  const auto* subscription = find_extension(message, Vocabulary::zeebe, "subscription");
  const auto text = subscription ? std::string(subscription->get("correlationKey"))
                                 : said(message, "correlationKey");
  spec.correlation_key = read_template(text, origin, report);
}

/// Name or code of what the definition refers to. Without a reference it stays empty, which catches
/// anything or is reported by the rules of the graph.
bool read_reference(const xml::Element& definition, const References& references, const Node& node,
                    EventSpec& spec, Report& report) {
  const auto found = std::ranges::find(kReferences, spec.kind, &Reference::kind);
  if (found == kReferences.end()) return true;
  const auto& [kind, attribute, element, code] = *found;
  const auto id = local_name(definition.get(attribute));
  if (id.empty()) return true;
  const auto* target = references.find(id, element);
  if (!target) {
    report.error(Code::unknown_event_reference, definition.place, node.id,
                 "The file has no " + std::string(element) + " " + in_quotes(id) +
                     ": choose one that it has.");
    return false;
  }
  auto text = xml::trim(target->get(code));
  if (text.empty()) text = xml::trim(target->get("name"));
  // What has neither is still told from others.
  const bool coded = kind == EventKind::error || kind == EventKind::escalation;
  if (text.empty() && coded) text = id;
  spec.name = read_template(text, {target->place, node.id, "the name of the event"}, report);
  if (kind == EventKind::message) read_correlation_key(*target, node.id, spec, report);
  if (coded && spec.name.expression && !throws(node.kind)) {
    report.error(Code::bad_expression, target->place, node.id,
                 "The code " + in_quotes(text) +
                     " is an expression, which no event can catch: write the code itself.");
    return false;
  }
  return true;
}

/// A recurrence has a meaning only where the event can come again, or begins something.
bool may_recur(NodeKind kind) {
  return kind == NodeKind::start_event || kind == NodeKind::boundary_event;
}

std::optional<EventSpec> read_definition(const xml::Element& definition,
                                         const References& references, const Node& node,
                                         Report& report) {
  const auto known = std::ranges::find(kDefinitions, definition.name, &DefinitionName::name);
  // Reported with the other children of the event: no definition that stands here.
  if (known == kDefinitions.end()) return std::nullopt;
  EventSpec spec;
  spec.kind = known->kind;
  if (!read_reference(definition, references, node, spec, report)) return std::nullopt;
  if (spec.kind == EventKind::link) spec.name.text = xml::trim(definition.get("name"));
  if (spec.kind == EventKind::timer) {
    spec.timer = read_timer(definition, node.id, may_recur(node.kind), report);
    if (!spec.timer) return std::nullopt;
  }
  if (spec.kind == EventKind::compensation && throws(node.kind)) {
    spec.activity_id = local_name(definition.get("activityRef"));
    const auto waits = definition.get("waitForCompletion");
    spec.waits = waits.empty() || xml::is_true(waits);
  }
  if (spec.kind == EventKind::conditional) {
    const auto* condition = definition.child(Vocabulary::bpmn, "condition");
    if (condition) {
      spec.condition = read_expression(condition->text, condition->get("language"),
                                       {condition->place, node.id, "the condition"}, report);
      if (!spec.condition) return std::nullopt;
    }
  }
  const bool is_error = spec.kind == EventKind::error;
  spec.code_variable = said(definition, is_error ? "errorCodeVariable" : "escalationCodeVariable");
  if (is_error) spec.message_variable = said(definition, "errorMessageVariable");
  return spec;
}

/// A message that a worker sends: said at the event or at its definition.
void read_sender(const xml::Element& event, const xml::Element& definition, Node& node,
                 Report& report) {
  const auto* place = names_worker(event)        ? &event
                      : names_worker(definition) ? &definition
                                                 : nullptr;
  if (place) node.worker = read_worker(*place, node.id, {}, report);
}

} // namespace

References::References(const xml::Element& root) {
  for (const auto& child : root.children) {
    if (child.vocabulary == Vocabulary::bpmn) by_id_.emplace(child.get("id"), &child);
  }
}

const xml::Element* References::find_definition(std::string_view id) const {
  const auto found = by_id_.find(local_name(id));
  if (found == by_id_.end()) return nullptr;
  const auto known = std::ranges::find(kDefinitions, found->second->name, &DefinitionName::name);
  return known == kDefinitions.end() ? nullptr : found->second;
}

const xml::Element* References::find(std::string_view id, std::string_view name) const {
  const auto found = by_id_.find(id);
  return found != by_id_.end() && found->second->name == name ? found->second : nullptr;
}

bool is_event_definition(const xml::Element& element) {
  return element.vocabulary == Vocabulary::bpmn &&
         (element.name.ends_with("EventDefinition") || element.name == "eventDefinitionRef" ||
          element.name == "eventDefinition");
}

bool read_events(const xml::Element& event, const References& references, Node& node,
                 Report& report) {
  bool sound = true;
  for (const auto& child : event.children) {
    if (!is_event_definition(child)) continue;
    const auto* definition = &child;
    if (child.name == "eventDefinitionRef") {
      definition = references.find_definition(child.text);
      if (!definition) {
        report.error(Code::unknown_event_reference, child.place, node.id,
                     "The file has no event definition " + in_quotes(xml::trim(child.text)) +
                         ": choose one that it has.");
        sound = false;
        continue;
      }
    }
    auto spec = read_definition(*definition, references, node, report);
    if (!spec) {
      sound = false;
      continue;
    }
    if (spec->kind == EventKind::message && throws(node.kind)) {
      read_sender(event, *definition, node, report);
    }
    node.events.push_back(*std::move(spec));
  }
  node.all_events = node.events.size() > 1 && xml::is_true(event.get("parallelMultiple"));
  if (node.events.size() > 1 && node.worker) {
    report.error(Code::event_not_allowed, event.place, node.id,
                 "A worker throws one event, and this has several: give the message an event of "
                 "its own.");
    sound = false;
  }
  return sound;
}

std::optional<EventSpec> read_thrown(const xml::Element& definition, const References& references,
                                     std::string_view id, Report& report) {
  Node thrower;
  thrower.id = id;
  thrower.kind = NodeKind::throw_event;
  auto spec = read_definition(definition, references, thrower, report);
  const bool is_thrown =
      spec && (spec->kind == EventKind::message || spec->kind == EventKind::signal ||
               spec->kind == EventKind::escalation);
  if (is_thrown && !spec->name.text.empty()) return spec;
  report.error(Code::event_not_allowed, definition.place, id,
               "A multi-instance cannot throw " + in_quotes(definition.name) +
                   ": let it throw a message, signal or escalation with a name.");
  return std::nullopt;
}

bool read_message_of_task(const xml::Element& task, const References& references, Node& node,
                          Report& report) {
  if (xml::trim(task.get("messageRef")).empty()) return true;
  EventSpec spec;
  if (!read_reference(task, references, node, spec, report)) return false;
  node.events.push_back(std::move(spec));
  return true;
}

} // namespace perdure::bpmn
