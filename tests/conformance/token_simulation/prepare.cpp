#include "conformance/token_simulation/prepare.h"

#include <algorithm>
#include <array>
#include <utility>

#include "conformance/token_simulation/xml_text.h"
#include "xml/xml.h"

namespace perdure::conformance {

namespace {

using xml::Element;
using xml::Vocabulary;

constexpr std::string_view kOneSignal = "Signal_without_reference";
constexpr std::string_view kOneLink = "Link_without_name";

std::string text_of(std::string_view first, std::string_view second) {
  std::string text(first);
  text += second;
  return text;
}

/// Adds to one document what it leaves open.
class Preparation {
public:
  Preparation(Element& root, const Case& one) : root_(root), case_(one) {}

  Prepared prepare() {
    read_collaboration();
    for (auto& child : root_.children) {
      if (child.is(Vocabulary::bpmn, "process")) read_process(child);
    }
    complete_codes();
    for (auto& element : declared_)
      root_.children.push_back(std::move(element));
    for (const auto& stimulus : case_.stimuli) {
      if (stimulus.action == Action::choose_flow) {
        prepared_.variables.set(choice_variable(stimulus.element), Array{});
      }
    }
    prepared_.document = write_xml(root_);
    return std::move(prepared_);
  }

private:
  Drawing& drawing() { return prepared_.drawing; }

  void read_collaboration() {
    const auto* collaboration = root_.child(Vocabulary::bpmn, "collaboration");
    if (!collaboration) return;
    for (const auto& child : collaboration->children) {
      if (child.name == "participant") drawing().participants.emplace(child.get("id"));
      if (!child.is(Vocabulary::bpmn, "messageFlow")) continue;
      drawing().message_flows.push_back({std::string(child.get("id")),
                                         std::string(child.get("sourceRef")),
                                         std::string(child.get("targetRef"))});
    }
  }

  void read_process(Element& process) {
    process_id_ = process.get("id");
    const bool can_begin = std::ranges::any_of(process.children, [](const Element& child) {
      return child.name != "laneSet" && !xml::is_true(child.get("triggeredByEvent"));
    });
    if (can_begin) drawing().processes.insert(process_id_);
    set_attribute(process, "isExecutable", can_begin ? "true" : "false");
    read_container(process);
  }

  void read_container(Element& container) {
    for (auto& child : container.children) {
      if (child.vocabulary != Vocabulary::bpmn) continue;
      const std::string id(child.get("id"));
      drawing().process_of[id] = process_id_;
      drawing().kinds[id] = child.name;
      if (child.name == "eventBasedGateway") drawing().event_based_gateways.insert(id);
      if (child.name == "boundaryEvent") read_boundary(child, id);
      if (child.name == "sequenceFlow") steer(container, child);
      if (child.name.ends_with("Event")) complete_event(child, id);
      if (child.name == "subProcess") note_compensation(container, child);
      complete_task(child, id);
      if (is_container(child)) read_container(child);
    }
    for (const auto& child : container.children) {
      if (child.is(Vocabulary::bpmn, "association")) note_handler(child);
    }
    insert_waits(container);
  }

  static bool is_container(const Element& element) {
    return element.name == "subProcess" || element.name == "transaction" ||
           element.name == "adHocSubProcess";
  }

  void read_boundary(Element& event, const std::string& id) {
    drawing().boundaries[id] = {std::string(event.get("attachedToRef")),
                                event.get("cancelActivity") != "false"};
    const bool blank = std::ranges::none_of(
        event.children, [](const Element& c) { return c.name.ends_with("EventDefinition"); });
    if (blank) event.children.push_back(make_element("messageEventDefinition"));
  }

  /// `boundary -> handler`: the boundary's host is what the handler undoes.
  void note_handler(const Element& association) {
    const auto boundary = drawing().boundaries.find(std::string(association.get("sourceRef")));
    if (boundary == drawing().boundaries.end()) return;
    drawing().undoes[std::string(association.get("targetRef"))] = boundary->second.host;
  }

  void note_compensation(const Element& container, const Element& sub_process) {
    if (!xml::is_true(sub_process.get("triggeredByEvent"))) return;
    for (const auto& child : sub_process.children) {
      if (child.name != "startEvent") continue;
      if (!child.child(Vocabulary::bpmn, "compensateEventDefinition")) continue;
      drawing().undoes[std::string(sub_process.get("id"))] = container.get("id");
    }
  }

  // ---- gateways and waits ----

  [[nodiscard]] bool has(Action action, std::string_view element) const {
    return std::ranges::any_of(case_.stimuli, [&](const Stimulus& stimulus) {
      return stimulus.action == action && stimulus.element == element;
    });
  }
  [[nodiscard]] bool waits_at(std::string_view element) const {
    return has(Action::wait_at, element) ||
           std::ranges::any_of(case_.stimuli, [&](const Stimulus& stimulus) {
             return stimulus.action == Action::trigger && stimulus.kind == TriggerKind::resume &&
                    stimulus.element == element;
           });
  }

  void steer(const Element& container, Element& flow) {
    const auto source = flow.get("sourceRef");
    if (!has(Action::choose_flow, source)) return;
    const auto gateway =
        std::ranges::find(container.children, source, [](const Element& c) { return c.get("id"); });
    if (gateway == container.children.end()) return;
    if (gateway->get("default") == flow.get("id")) return;
    auto condition = make_element("conditionExpression");
    condition.text =
        "=list contains(" + choice_variable(source) + ", \"" + std::string(flow.get("id")) + "\")";
    flow.children.push_back(std::move(condition));
  }

  /// A waiting sub-process gets a user task before its start event, which becomes a throw event.
  void insert_waits(Element& container) {
    const auto id = container.get("id");
    if (container.name == "process" || !waits_at(id)) return;
    const auto start = std::ranges::find(container.children, "startEvent", &Element::name);
    if (start == container.children.end()) return;
    const auto wait = wait_node(id);
    const auto begin = wait + "_begin";
    const auto first = wait + "_first";
    const auto second = wait + "_second";
    const std::string start_id(start->get("id"));
    start->name = "intermediateThrowEvent";
    container.children.push_back(make_element("startEvent", {{"id", begin}}));
    container.children.push_back(make_element("userTask", {{"id", wait}}));
    container.children.push_back(
        make_element("sequenceFlow", {{"id", first}, {"sourceRef", begin}, {"targetRef", wait}}));
    container.children.push_back(make_element(
        "sequenceFlow", {{"id", second}, {"sourceRef", wait}, {"targetRef", start_id}}));
    for (const auto& added : {wait, begin, first, second})
      drawing().hidden.insert(added);
  }

  void complete_task(Element& task, const std::string& id) {
    if (task.name == "task" && waits_at(id)) task.name = "userTask";
    const bool receives = std::ranges::any_of(
        drawing().message_flows, [&](const MessageFlow& flow) { return flow.target == id; });
    if (task.name == "task" && receives) task.name = "receiveTask";
    if (task.name == "receiveTask" || task.name == "sendTask") refer_to_message(task, id);
  }

  // ---- events ----

  void complete_event(Element& event, const std::string& id) {
    const bool throws = event.name == "endEvent" || event.name == "intermediateThrowEvent";
    for (auto& definition : event.children) {
      if (definition.name == "messageEventDefinition") refer_to_message(definition, id);
      if (definition.name == "signalEventDefinition") refer_to_signal(definition, id);
      if (definition.name == "errorEventDefinition" && throws) {
        refer(definition, "error", "errorCode", id);
      }
      if (definition.name == "escalationEventDefinition" && throws) {
        refer(definition, "escalation", "escalationCode", id);
      }
      if (definition.name == "timerEventDefinition" && definition.children.empty()) {
        // One that does not interrupt can be made due again and again.
        definition.children.push_back(repeats(event) ? make_element("timeCycle", {}, "R/PT1H")
                                                     : make_element("timeDuration", {}, "PT1H"));
      }
      if (definition.name == "linkEventDefinition" && definition.get("name").empty()) {
        set_attribute(definition, "name", kOneLink);
      }
      if (definition.name == "conditionalEventDefinition") {
        std::erase_if(definition.children, [](const Element& c) { return c.name == "condition"; });
        definition.children.push_back(make_element("condition", {}, "=" + condition_variable(id)));
        prepared_.variables.set(condition_variable(id), false);
      }
    }
  }

  static bool repeats(const Element& event) {
    return event.get("cancelActivity") == "false" || event.get("isInterrupting") == "false";
  }

  void refer_to_message(Element& user, const std::string& id) {
    const auto name = text_of("message of ", id);
    if (user.get("messageRef").empty()) {
      const auto message_id = text_of("Message_of_", id);
      set_attribute(user, "messageRef", message_id);
      declared_.push_back(make_element("message", {{"id", message_id}, {"name", name}}));
      drawing().messages[id] = name;
      return;
    }
    const auto* known = declared(user.get("messageRef"));
    drawing().messages[id] = known ? std::string(known->get("name")) : name;
  }

  void refer_to_signal(Element& definition, const std::string& id) {
    if (definition.get("signalRef").empty()) {
      set_attribute(definition, "signalRef", kOneSignal);
      if (!declared(kOneSignal)) {
        declared_.push_back(make_element(
            "signal", {{"id", std::string(kOneSignal)}, {"name", std::string(kOneSignal)}}));
      }
    }
    const auto* known = declared(definition.get("signalRef"));
    if (known) drawing().signals[id] = known->get("name");
  }

  /// A throw without reference gets a code of its own, which only a catch of everything takes.
  void refer(Element& definition, const std::string& what, const std::string& code,
             const std::string& id) {
    const auto attribute = what + "Ref";
    if (!definition.get(attribute).empty()) return;
    const auto own = what + "_of_" + id;
    set_attribute(definition, attribute, own);
    declared_.push_back(make_element(what, {{"id", own}, {"name", own}, {code, own}}));
  }

  /// Errors and escalations of the drawing that have no code get their id as one.
  void complete_codes() {
    for (auto& child : root_.children) {
      const auto code = child.name == "error"        ? "errorCode"
                        : child.name == "escalation" ? "escalationCode"
                                                     : "";
      if (*code && child.get(code).empty()) set_attribute(child, code, child.get("id"));
    }
  }

  [[nodiscard]] const Element* declared(std::string_view id) const {
    const std::vector<Element>& known = root_.children;
    for (const auto* list : {&known, &declared_}) {
      const auto found =
          std::ranges::find(*list, id, [](const Element& child) { return child.get("id"); });
      if (found != list->end()) return &*found;
    }
    return nullptr;
  }

  Element& root_;
  const Case& case_;
  Prepared prepared_;
  std::vector<Element> declared_; ///< messages, signals, errors and escalations to be added
  std::string process_id_;
};

} // namespace

std::string choice_variable(std::string_view gateway) { return text_of("choice_", gateway); }
std::string condition_variable(std::string_view element) { return text_of("condition_", element); }
std::string wait_node(std::string_view sub_process) { return text_of("wait_in_", sub_process); }

Result<Prepared> prepare(std::string_view document, const Case& one) {
  auto root = xml::parse(document);
  if (!root) return fail(ErrorCode::invalid_input, root.error().message);
  return Preparation(*root, one).prepare();
}

} // namespace perdure::conformance
