#include "bpmn/process_reader.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "bpmn/call_reader.h"
#include "bpmn/data_reader.h"
#include "bpmn/decision_reader.h"
#include "bpmn/element_rules.h"
#include "bpmn/expressions.h"
#include "bpmn/extension_rules.h"
#include "bpmn/global_task.h"
#include "bpmn/listener_reader.h"
#include "bpmn/loop_reader.h"
#include "bpmn/special_reader.h"
#include "bpmn/task_reader.h"
#include "definition/builder.h"
#include "definition/listener_rules.h"

namespace perdure::bpmn {

namespace {

using definition::Code;
using definition::Node;
using definition::NodeIndex;
using definition::NodeKind;
using definition::Report;
using definition::ScopeIndex;
using xml::Vocabulary;

Host host_of(NodeKind kind) {
  switch (kind) {
    case NodeKind::start_event: return kOnStartEvent;
    case NodeKind::service_task:
    case NodeKind::send_task: return kOnServiceTask;
    case NodeKind::business_rule_task: return kOnRuleTask;
    case NodeKind::user_task: return kOnUserTask;
    case NodeKind::script_task: return kOnScriptTask;
    case NodeKind::call_activity: return kOnCallActivity;
    case NodeKind::end_event:
    case NodeKind::throw_event: return kOnThrowEvent;
    case NodeKind::catch_event:
    case NodeKind::boundary_event:
    case NodeKind::receive_task:
    case NodeKind::manual_task:
    case NodeKind::undefined_task:
    case NodeKind::sub_process:
    case NodeKind::transaction: return kOnOtherNode;
    case NodeKind::exclusive_gateway:
    case NodeKind::inclusive_gateway:
    case NodeKind::parallel_gateway:
    case NodeKind::complex_gateway:
    case NodeKind::event_based_gateway:
    case NodeKind::event_sub_process: return kOnGateway;
    case NodeKind::ad_hoc_sub_process: return kOnAdHoc;
    case NodeKind::process: return kOnProcess;
  }
  return kOnOtherNode;
}

bool is_event(NodeKind kind) {
  return kind == NodeKind::start_event || kind == NodeKind::end_event ||
         kind == NodeKind::catch_event || kind == NodeKind::throw_event ||
         kind == NodeKind::boundary_event;
}

/// Activities that a token enters, and events.
bool has_data(NodeKind kind) {
  return is_event(kind) || (is_activity(kind) && kind != NodeKind::event_sub_process);
}

/// Attributes of BPMN itself that a node may have; what they say is read or has no effect.
constexpr auto kNodeAttributes = std::to_array<std::string_view>({"id",
                                                                  "name",
                                                                  "default",
                                                                  "gatewayDirection",
                                                                  "implementation",
                                                                  "operationRef",
                                                                  "scriptFormat",
                                                                  "scriptLanguage",
                                                                  "triggeredByEvent",
                                                                  "isInterrupting",
                                                                  "parallelMultiple",
                                                                  "isForCompensation",
                                                                  "startQuantity",
                                                                  "completionQuantity",
                                                                  "attachedToRef",
                                                                  "cancelActivity",
                                                                  "messageRef",
                                                                  "instantiate",
                                                                  "eventGatewayType",
                                                                  "method",
                                                                  "calledElement",
                                                                  "ordering",
                                                                  "cancelRemainingInstances"});
constexpr auto kFlowAttributes =
    std::to_array<std::string_view>({"id", "name", "sourceRef", "targetRef", "isImmediate"});
constexpr auto kProcessAttributes = std::to_array<std::string_view>(
    {"id", "name", "isExecutable", "isClosed", "processType", "definitionalCollaborationRef"});

/// Values that are understood; any other is refused.
struct FixedAttribute {
  std::string_view name;
  std::string_view harmless;        ///< it changes nothing
  std::string_view understood = {}; ///< where it is read: on `element` and `other`
  std::string_view element = {};
  std::string_view other = {};

  [[nodiscard]] bool accepts(std::string_view value, std::string_view on) const {
    if (value == harmless) return true;
    return value == understood && (on == element || on == other);
  }
};
constexpr auto kFixedAttributes = std::to_array<FixedAttribute>(
    {{"method", "##Compensate"},
     {"startQuantity", "1"},
     {"completionQuantity", "1"},
     {"instantiate", "false", "true", "eventBasedGateway", "receiveTask"},
     {"eventGatewayType", "Exclusive", "Parallel", "eventBasedGateway"}});

/// Whether the model is written for Camunda 7: it uses its extensions and none of Camunda 8.
bool uses_camunda_7(const xml::Element& process) {
  bool camunda = false;
  bool zeebe = false;
  const auto look = [&](const auto& self, const xml::Element& element) -> void {
    // They stand in for those of Camunda 7, and say nothing about the rest.
    if (is_listener_list(element)) return;
    const auto note = [&](Vocabulary vocabulary) {
      camunda |= vocabulary == Vocabulary::camunda;
      zeebe |= vocabulary == Vocabulary::zeebe;
    };
    note(element.vocabulary);
    for (const auto& attribute : element.attributes)
      note(attribute.vocabulary);
    for (const auto& child : element.children)
      self(self, child);
  };
  look(look, process);
  return camunda && !zeebe;
}

class ProcessReader {
public:
  ProcessReader(const xml::Element& process, const References& references, Report& report)
      : process_(process),
        references_(references),
        report_(report),
        names_(process),
        is_camunda_7_(uses_camunda_7(process)),
        builder_(std::string(process.get("id")), std::string(process.get("name")),
                 version_tag(process), process.place) {}

  definition::DefinitionPtr read() {
    const auto id = process_.get("id");
    check_attributes(process_, kProcessAttributes, id);
    check_extensions(process_, kOnProcess, id, report_);
    if (const auto* priority = process_.find(Vocabulary::camunda, "taskPriority")) {
      default_priority_ =
          read_priority(*priority, "camunda:taskPriority", process_.place, id, report_);
    }
    builder_.set_process_listeners(read_listeners(process_, id, report_));
    read_container(process_, definition::kRootScope, id);
    builder_.set_initial(definition::kRootScope, read_initial_values(process_, names_, report_));
    const bool sound = !report_.has_errors();
    auto definition = std::move(builder_).build(report_);
    return sound ? definition : nullptr;
  }

private:
  static std::string version_tag(const xml::Element& process) {
    if (const auto* tag = find_extension(process, Vocabulary::zeebe, "versionTag")) {
      return std::string(tag->get("value"));
    }
    const auto* tag = process.find(Vocabulary::camunda, "versionTag");
    return tag ? *tag : std::string();
  }

  void read_container(const xml::Element& container, ScopeIndex scope, std::string_view owner_id) {
    for (const auto& child : container.children) {
      if (child.vocabulary != Vocabulary::bpmn) continue;
      const auto& rule = rule_of(child.name);
      switch (rule.role) {
        case ElementRole::node: read_node(child, *rule.kind, scope); break;
        case ElementRole::flow: read_flow(child); break;
        case ElementRole::documentation:
        case ElementRole::data: break;
        case ElementRole::association:
          builder_.associate(std::string(xml::trim(child.get("sourceRef"))),
                             std::string(xml::trim(child.get("targetRef"))));
          break;
        case ElementRole::checked:
          // Those of a sub-process are read with its node.
          if (carries_semantics(child) && !of_activity(scope)) {
            refuse_element(child, owner_id, report_);
          }
          break;
        case ElementRole::detail:
          // Read with the sub-process itself.
          if (child.name == "completionCondition" && container.name == "adHocSubProcess") break;
          if (!is_loop(child) || !of_activity(scope)) refuse_element(child, owner_id, report_);
          break;
        case ElementRole::refused: read_refused(child, scope, owner_id); break;
      }
    }
  }

  /// Elements with an id stay in the graph as refused nodes, so that their flows are no second
  /// mistake.
  void read_refused(const xml::Element& element, ScopeIndex scope, std::string_view owner_id) {
    const auto id = element.get("id");
    refuse_element(element, id.empty() ? owner_id : id, report_);
    if (id.empty() || id.size() > kMaxIdLength) return;
    add_refused(element, id, scope);
  }

  void add_refused(const xml::Element& element, std::string_view id, ScopeIndex scope) {
    Node node = plain_node(element, id, NodeKind::undefined_task, scope);
    builder_.add_refused_node(std::move(node));
  }

  static Node plain_node(const xml::Element& element, std::string_view id, NodeKind kind,
                         ScopeIndex scope) {
    Node node;
    node.id = id;
    node.name = element.get("name");
    node.kind = kind;
    node.scope = scope;
    node.place = element.place;
    return node;
  }

  void read_node(const xml::Element& element, NodeKind kind, ScopeIndex scope) {
    const auto id = read_id(element, report_);
    if (kind == NodeKind::sub_process && xml::is_true(element.get("triggeredByEvent"))) {
      kind = NodeKind::event_sub_process;
    }
    Node node = plain_node(element, id, kind, scope);
    node.for_compensation = is_activity(kind) && xml::is_true(element.get("isForCompensation"));
    node.listeners = read_listeners(element, id, report_);
    const bool sound = check_node(element, kind, id) && read_own_work(element, node) &&
                       read_loop_of(element, node) && read_data_of(element, node);
    if (id.empty()) return;
    const bool is_default = element.find(Vocabulary::none, "default") != nullptr;
    const auto index = sound || opens_scope(kind) ? builder_.add_node(std::move(node))
                                                  : builder_.add_refused_node(std::move(node));
    if (is_default) builder_.set_default_flow(index, std::string(element.get("default")));
    if (kind == NodeKind::boundary_event) {
      builder_.attach(index, std::string(xml::trim(element.get("attachedToRef"))));
    }
    if (!opens_scope(kind)) return;
    const auto inner = builder_.add_scope(index, scope);
    if (kind == NodeKind::event_sub_process) event_scopes_.insert(inner);
    builder_.set_initial(inner, read_initial_values(element, names_, report_));
    read_container(element, inner, id);
  }

  /// A call activity that names a global task is that task.
  bool read_own_work(const xml::Element& element, Node& node) {
    const auto global = node.kind == NodeKind::call_activity
                            ? find_global_task(element, references_)
                            : GlobalTask{};
    if (!global.element) return read_work(element, node);
    node.kind = global.kind;
    for (auto& listener : read_listeners(*global.element, node.id, report_))
      definition::add_listener(node.listeners, std::move(listener));
    if (!check_call_of_task(element, node.id, report_) ||
        !check_node(*global.element, node.kind, node.id) || !read_work(*global.element, node) ||
        !read_data_of(*global.element, node)) {
      return false;
    }
    Node probe = plain_node(element, node.id, node.kind, node.scope);
    if (!read_data_of(element, probe)) return false;
    if (!node.data || !probe.data) return true;
    report_.error(Code::bad_mapping, element.place, node.id,
                  "Both the call activity and the global task that it names map variables: keep "
                  "the mappings of one of them.");
    return false;
  }

  /// A business rule task calls a decision, or lets a worker decide.
  bool read_rule_task(const xml::Element& element, Node& node) {
    if (!names_decision(element)) {
      node.worker = read_worker(element, node.id, default_priority_, report_);
      return node.worker.has_value();
    }
    if (names_worker(element)) {
      report_.error(definition::Code::ambiguous_worker_type, element.place, node.id,
                    "The task names both a worker and a decision: keep one of them.");
      return false;
    }
    node.decision = read_decision(element, node.id, report_);
    return node.decision.has_value();
  }

  /// What its kind needs beyond the graph. False, and reported, when that is missing or wrong.
  bool read_work(const xml::Element& element, Node& node) {
    if (is_event(node.kind)) return read_event(element, node);
    switch (node.kind) {
      case NodeKind::send_task:
        if (!names_worker(element) && !element.get("messageRef").empty()) {
          return read_message_of_task(element, references_, node, report_);
        }
        [[fallthrough]];
      case NodeKind::service_task:
        node.worker = read_worker(element, node.id, default_priority_, report_);
        return node.worker.has_value();
      case NodeKind::business_rule_task: return read_rule_task(element, node);
      case NodeKind::receive_task:
        node.instantiates = xml::is_true(element.get("instantiate"));
        return read_message_of_task(element, references_, node, report_);
      case NodeKind::user_task:
        node.user_task = read_user_task(element, node.id, report_);
        return true;
      case NodeKind::script_task:
        node.script = read_script(element, node.id, report_);
        return node.script.has_value();
      case NodeKind::call_activity:
        node.call = read_call(element, node.id, report_);
        return node.call.has_value();
      case NodeKind::start_event:
      case NodeKind::end_event:
      case NodeKind::catch_event:
      case NodeKind::throw_event:
      case NodeKind::boundary_event:
      case NodeKind::manual_task:
      case NodeKind::undefined_task:
      case NodeKind::exclusive_gateway:
      case NodeKind::inclusive_gateway:
      case NodeKind::parallel_gateway: return true;
      case NodeKind::ad_hoc_sub_process:
        node.ad_hoc = read_ad_hoc(element, node.id, report_);
        return node.ad_hoc.has_value();
      case NodeKind::complex_gateway: return read_activation(element, node, report_);
      case NodeKind::event_based_gateway:
        node.instantiates = xml::is_true(element.get("instantiate"));
        node.all_events = xml::trim(element.get("eventGatewayType")) == "Parallel";
        return true;
      case NodeKind::sub_process:
      case NodeKind::transaction:
      case NodeKind::event_sub_process:
      case NodeKind::process: return true;
    }
    return true;
  }

  bool read_loop_of(const xml::Element& element, Node& node) {
    if (!is_activity(node.kind) || node.kind == NodeKind::event_sub_process) return true;
    return read_loop(element, names_, references_, is_camunda_7_, node, report_);
  }

  bool read_data_of(const xml::Element& element, Node& node) {
    return !has_data(node.kind) || read_data(element, names_, node, report_);
  }

  /// Whether the scope belongs to an activity that a token enters.
  bool of_activity(ScopeIndex scope) {
    return scope != definition::kRootScope && !event_scopes_.contains(scope);
  }

  bool read_event(const xml::Element& element, Node& node) {
    const auto interrupting =
        element.get(node.kind == NodeKind::boundary_event ? "cancelActivity" : "isInterrupting");
    node.interrupting = interrupting.empty() || xml::is_true(interrupting);
    const bool sound = read_events(element, references_, node, report_);
    // There the attribute says nothing.
    if (node.has(definition::EventKind::compensation)) node.interrupting = true;
    return sound;
  }

  /// Attributes, extensions and children that no kind may have. The children of a sub-process are
  /// judged by read_container.
  bool check_node(const xml::Element& element, NodeKind kind, std::string_view id) {
    bool sound = check_attributes(element, kNodeAttributes, id);
    sound &= check_extensions(element, host_of(kind), id, report_);
    if (opens_scope(kind)) return sound;
    for (const auto& child : element.children) {
      if (child.vocabulary != Vocabulary::bpmn) continue;
      const auto role = rule_of(child.name).role;
      const bool accepted =
          role == ElementRole::documentation || role == ElementRole::data ||
          role == ElementRole::association ||
          (role == ElementRole::checked && (has_data(kind) || !carries_semantics(child))) ||
          (is_event(kind) && is_data_of_event(child)) ||
          (role == ElementRole::detail && is_detail_of(child, kind));
      if (accepted) {
        if (role == ElementRole::detail && !is_loop(child)) check_expressions_in(child, id);
        continue;
      }
      refuse_element(child, id, report_);
    }
    return sound;
  }

  static bool is_data_of_event(const xml::Element& child) {
    return child.name == "dataInput" || child.name == "dataOutput";
  }

  static bool is_detail_of(const xml::Element& detail, NodeKind kind) {
    if (detail.name == "script") return kind == NodeKind::script_task;
    if (is_loop(detail)) return is_activity(kind);
    if (detail.name == "activationCondition") return kind == NodeKind::complex_gateway;
    return is_event_definition(detail) && is_event(kind);
  }

  /// Extension attributes such as camunda:resource on a script or time would change what it means.
  void check_expressions_in(const xml::Element& detail, std::string_view id) {
    check_extensions(detail, is_event_definition(detail) ? kOnEventDefinition : kOnExpression, id,
                     report_);
    for (const auto& child : detail.children) {
      if (child.vocabulary == Vocabulary::bpmn) check_extensions(child, kOnExpression, id, report_);
    }
  }

  bool check_attributes(const xml::Element& element, auto& known, std::string_view id) {
    bool sound = true;
    for (const auto& attribute : element.attributes) {
      if (attribute.vocabulary != Vocabulary::none) continue;
      const auto fixed = std::ranges::find(kFixedAttributes, attribute.name, &FixedAttribute::name);
      const bool accepted = std::ranges::find(known, attribute.name) != std::ranges::end(known) &&
                            (fixed == kFixedAttributes.end() ||
                             fixed->accepts(xml::trim(attribute.value), element.name));
      if (accepted) continue;
      sound = false;
      report_.error(
          Code::unsupported_attribute, element.place, id,
          "The attribute " + definition::in_quotes(attribute.name + "=" + attribute.value) +
              " is not supported on " + definition::in_quotes(element.name) + ": remove it.");
    }
    return sound;
  }

  void read_flow(const xml::Element& element) {
    const auto id = read_id(element, report_);
    check_attributes(element, kFlowAttributes, id);
    check_extensions(element, kOnFlow, id, report_);
    definition::Flow flow;
    flow.id = id;
    flow.name = element.get("name");
    flow.place = element.place;
    for (const auto& child : element.children) {
      if (child.vocabulary != Vocabulary::bpmn) continue;
      if (child.name == "conditionExpression") {
        check_extensions(child, kOnExpression, id, report_);
        flow.condition = read_expression(child.text, child.get("language"),
                                         {child.place, id, "the condition"}, report_);
        // A condition that is wrong is still there: the gateway's rules must not miss it.
        if (!flow.condition) flow.condition.emplace();
      } else if (rule_of(child.name).role != ElementRole::documentation) {
        refuse_element(child, id, report_);
      }
    }
    if (id.empty()) return;
    builder_.add_flow(std::move(flow), std::string(xml::trim(element.get("sourceRef"))),
                      std::string(xml::trim(element.get("targetRef"))));
  }

  const xml::Element& process_;
  const References& references_;
  Report& report_;
  DataNames names_;
  bool is_camunda_7_;
  std::set<ScopeIndex> event_scopes_; ///< of event sub-processes
  definition::Builder builder_;
  definition::Template default_priority_;
};

} // namespace

definition::DefinitionPtr read_process(const xml::Element& process, const References& references,
                                       Report& report) {
  return ProcessReader(process, references, report).read();
}

std::string_view read_id(const xml::Element& element, Report& report) {
  const auto id = element.get("id");
  if (id.empty()) {
    report.error(Code::missing_id, element.place, {},
                 "The element " + definition::in_quotes(element.name) +
                     " has no id: give it one that no other element has.");
  } else if (id.size() > kMaxIdLength) {
    report.error(Code::id_too_long, element.place, {},
                 "The id " + definition::in_quotes(id) + " is longer than " +
                     std::to_string(kMaxIdLength) + " bytes: shorten it.");
    return {};
  }
  return id;
}

} // namespace perdure::bpmn
