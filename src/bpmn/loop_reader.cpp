#include "bpmn/loop_reader.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "bpmn/expressions.h"
#include "bpmn/extension_rules.h"

namespace perdure::bpmn {

namespace {

using definition::Code;
using definition::in_quotes;
using definition::LoopKind;
using definition::LoopSpec;
using definition::Node;
using definition::Report;
using xml::Vocabulary;

constexpr std::string_view kMultiInstance = "multiInstanceLoopCharacteristics";
constexpr std::string_view kStandardLoop = "standardLoopCharacteristics";

std::string_view text_of(const xml::Element* element) {
  return element ? xml::trim(element->text) : std::string_view();
}

class LoopReader {
public:
  LoopReader(const xml::Element& activity, const xml::Element& marker, const DataNames& names,
             const References& references, const Node& node, Report& report)
      : activity_(activity),
        marker_(marker),
        names_(names),
        references_(references),
        node_(node),
        report_(report) {}

  std::optional<LoopSpec> read(bool counts_from_zero) {
    check_children();
    LoopSpec spec;
    if (marker_.name == kStandardLoop) {
      read_standard(spec);
    } else {
      spec.first_counter = counts_from_zero ? 0 : 1;
      read_multi_instance(spec);
    }
    return sound_ ? std::optional(std::move(spec)) : std::nullopt;
  }

private:
  void wrong(const xml::Element& place, std::string message) {
    sound_ = false;
    report_.error(Code::bad_loop, place.place, node_.id, std::move(message));
  }

  std::optional<expr::Expression> expression(std::string_view text, std::string_view language,
                                             const xml::Element& place, std::string_view what) {
    auto found = read_expression(text, language, {place.place, node_.id, what}, report_);
    sound_ &= found.has_value();
    return found;
  }

  /// Of a child element with a formal expression; nothing when it is absent.
  std::optional<expr::Expression> child_expression(std::string_view name, std::string_view what) {
    const auto* child = marker_.child(Vocabulary::bpmn, name);
    if (!child) return std::nullopt;
    return expression(child->text, child->get("language"), *child, what);
  }

  void check_children() {
    sound_ &= check_extensions(marker_, kOnLoop, node_.id, report_);
    const auto expressions = {"loopCardinality", "completionCondition", "loopCondition"};
    for (const auto& child : marker_.children) {
      if (child.vocabulary != Vocabulary::bpmn) continue;
      if (std::ranges::find(expressions, child.name) == expressions.end()) continue;
      sound_ &= check_extensions(child, kOnExpression, node_.id, report_);
    }
  }

  void read_standard(LoopSpec& spec) {
    spec.kind = LoopKind::standard;
    spec.test_before = xml::is_true(marker_.get("testBefore"));
    spec.condition = child_expression("loopCondition", "the loop condition");
    const auto text = xml::trim(marker_.get("loopMaximum"));
    if (!text.empty()) {
      std::int64_t maximum = 0;
      const auto* end = text.data() + text.size();
      const auto [stop, error] = std::from_chars(text.data(), end, maximum);
      if (error != std::errc() || stop != end || maximum < 0) {
        return wrong(marker_, "The loopMaximum " + in_quotes(text) +
                                  " is no whole number from 0: correct it or remove it.");
      }
      spec.maximum = maximum;
    }
    if (sound_ && !spec.condition && !spec.maximum) {
      wrong(marker_, "The loop would never end: set loopCondition or loopMaximum.");
    }
  }

  void read_multi_instance(LoopSpec& spec) {
    const bool sequential = xml::is_true(marker_.get("isSequential"));
    spec.kind = sequential ? LoopKind::sequential : LoopKind::parallel;
    const auto* zeebe = find_extension(marker_, Vocabulary::zeebe, "loopCharacteristics");
    const auto* camunda = marker_.find(Vocabulary::camunda, "collection");
    if (zeebe) {
      read_zeebe(*zeebe, spec);
    } else if (camunda) {
      spec.collection = expression(*camunda, {}, marker_, "the collection");
    } else {
      read_standard_items(spec);
    }
    if (const auto* variable = marker_.find(Vocabulary::camunda, "elementVariable")) {
      spec.element_variable = xml::trim(*variable);
    }
    read_outputs(spec);
    spec.completion = child_expression("completionCondition", "the completion condition");
    read_behavior(spec);
    if (sound_ && !spec.collection && spec.cardinality.text.empty()) {
      wrong(marker_,
            "The multi-instance does not say how often it runs: set "
            "zeebe:loopCharacteristics inputCollection, camunda:collection, "
            "loopDataInputRef or loopCardinality.");
    }
  }

  void read_zeebe(const xml::Element& zeebe, LoopSpec& spec) {
    spec.collection =
        expression(zeebe.get("inputCollection"), "feel", zeebe, "the input collection");
    spec.element_variable = xml::trim(zeebe.get("inputElement"));
    spec.output_collection = xml::trim(zeebe.get("outputCollection"));
    const auto output = zeebe.get("outputElement");
    if (spec.output_collection.empty() != xml::trim(output).empty()) {
      return wrong(zeebe,
                   "The multi-instance says one of outputCollection and outputElement: set "
                   "both or none.");
    }
    if (spec.output_collection.empty()) return;
    set_output(spec, expression(output, "feel", zeebe, "the output element"));
  }

  /// A name or path that it reads belongs to each iteration: the iterations must not write into one
  /// variable.
  static void set_output(LoopSpec& spec, std::optional<expr::Expression> output) {
    if (!output) return;
    const auto& text = output->text();
    const bool is_path =
        output->variables().size() == 1 && text.find_first_not_of(
                                               "=.0123456789_ \tabcdefghijklmnopqrstuvwxyz"
                                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string::npos;
    if (is_path && output->variables().front() != spec.element_variable) {
      spec.output_variable = output->variables().front();
    }
    spec.output_element = std::move(output);
  }

  /// A data input of the activity itself has its value from the association that leads there.
  [[nodiscard]] std::string source_of(std::string_view id) const {
    for (const auto& child : activity_.children) {
      if (!child.is(Vocabulary::bpmn, "dataInputAssociation")) continue;
      if (text_of(child.child(Vocabulary::bpmn, "targetRef")) != id) continue;
      const auto source = text_of(child.child(Vocabulary::bpmn, "sourceRef"));
      if (!source.empty()) return names_.variable(source);
    }
    return names_.variable(id);
  }

  [[nodiscard]] std::string target_of(std::string_view id) const {
    for (const auto& child : activity_.children) {
      if (!child.is(Vocabulary::bpmn, "dataOutputAssociation")) continue;
      if (text_of(child.child(Vocabulary::bpmn, "sourceRef")) != id) continue;
      const auto target = text_of(child.child(Vocabulary::bpmn, "targetRef"));
      if (!target.empty()) return names_.variable(target);
    }
    return names_.variable(id);
  }

  [[nodiscard]] static std::string item_name(const xml::Element& item) {
    const auto name = xml::trim(item.get("name"));
    return std::string(name.empty() ? item.get("id") : name);
  }

  void read_standard_items(LoopSpec& spec) {
    if (const auto* input = marker_.child(Vocabulary::bpmn, "loopDataInputRef")) {
      spec.collection = expression(source_of(xml::trim(input->text)), {}, *input, "the collection");
      const auto* item = marker_.child(Vocabulary::bpmn, "inputDataItem");
      if (item) spec.element_variable = item_name(*item);
      return;
    }
    const auto* cardinality = marker_.child(Vocabulary::bpmn, "loopCardinality");
    if (!cardinality) return;
    spec.cardinality = read_template(cardinality->text,
                                     {cardinality->place, node_.id, "the cardinality"}, report_);
    const auto& text = spec.cardinality.text;
    const bool is_number = text.find_first_not_of("0123456789") == std::string::npos;
    if (spec.cardinality.expression || is_number) return;
    if (expr::is_expression(text)) {
      sound_ = false; // reported already
      return;
    }
    spec.cardinality.expression = expression(cardinality->text, cardinality->get("language"),
                                             *cardinality, "the cardinality");
  }

  void read_outputs(LoopSpec& spec) {
    const auto* output = marker_.child(Vocabulary::bpmn, "loopDataOutputRef");
    const auto* item = marker_.child(Vocabulary::bpmn, "outputDataItem");
    if (!output && !item) return;
    if (!output || !item) {
      return wrong(output ? *output : *item,
                   "The multi-instance says one of loopDataOutputRef and outputDataItem: set both "
                   "or none.");
    }
    if (!spec.output_collection.empty()) {
      return wrong(*output,
                   "The multi-instance says twice where its outputs go: keep "
                   "zeebe:loopCharacteristics or loopDataOutputRef.");
    }
    spec.output_collection = target_of(xml::trim(output->text));
    set_output(spec, expression(item_name(*item), {}, *item, "the output item"));
  }

  /// What is thrown when iterations are completed.
  void read_behavior(LoopSpec& spec) {
    const auto behavior = xml::trim(marker_.get("behavior"));
    if (behavior.empty() || behavior == "All") return;
    if (behavior == "None" || behavior == "One") {
      const bool once = behavior == "One";
      const auto id = marker_.get(once ? "oneBehaviorEventRef" : "noneBehaviorEventRef");
      if (xml::trim(id).empty()) return;
      if (auto event = referred_event(id)) {
        spec.thrown.push_back({.once = once, .condition = {}, .event = *std::move(event)});
      }
      return;
    }
    if (behavior != "Complex") {
      return wrong(marker_, "The behavior " + in_quotes(behavior) +
                                " is unknown: set None, One, All or Complex.");
    }
    for (const auto& child : marker_.children) {
      if (child.is(Vocabulary::bpmn, "complexBehaviorDefinition")) read_complex(child, spec);
    }
  }

  void read_complex(const xml::Element& definition, LoopSpec& spec) {
    const auto* condition = definition.child(Vocabulary::bpmn, "condition");
    if (!condition) {
      return wrong(definition, "The complexBehaviorDefinition has no condition: add one.");
    }
    auto holds = expression(condition->text, condition->get("language"), *condition,
                            "the condition of an event");
    const auto* event = definition.child(Vocabulary::bpmn, "event");
    if (!event) return;
    for (const auto& child : event->children) {
      if (!is_event_definition(child)) continue;
      auto thrown =
          child.name == "eventDefinitionRef" ? referred_event(child.text) : thrown_event(child);
      if (!thrown || !holds) continue;
      spec.thrown.push_back({.once = false, .condition = holds, .event = *std::move(thrown)});
    }
  }

  std::optional<definition::EventSpec> referred_event(std::string_view id) {
    const auto* element = references_.find_definition(id);
    if (element) return thrown_event(*element);
    sound_ = false;
    report_.error(Code::unknown_event_reference, marker_.place, node_.id,
                  "The file has no event definition " + in_quotes(xml::trim(id)) +
                      ": choose one that it has.");
    return std::nullopt;
  }

  std::optional<definition::EventSpec> thrown_event(const xml::Element& element) {
    auto event = read_thrown(element, references_, node_.id, report_);
    sound_ &= event.has_value();
    return event;
  }

  const xml::Element& activity_;
  const xml::Element& marker_;
  const DataNames& names_;
  const References& references_;
  const Node& node_;
  Report& report_;
  bool sound_ = true;
};

} // namespace

bool is_loop(const xml::Element& element) {
  return element.is(Vocabulary::bpmn, kMultiInstance) ||
         element.is(Vocabulary::bpmn, kStandardLoop);
}

bool read_loop(const xml::Element& activity, const DataNames& names, const References& references,
               bool counts_from_zero, Node& node, Report& report) {
  const xml::Element* marker = nullptr;
  for (const auto& child : activity.children) {
    if (!is_loop(child)) continue;
    if (marker) {
      report.error(Code::bad_loop, child.place, node.id,
                   "The activity has two loop markers: keep one of them.");
      return false;
    }
    marker = &child;
  }
  if (!marker) return true;
  node.loop = LoopReader(activity, *marker, names, references, node, report).read(counts_from_zero);
  return node.loop.has_value();
}

} // namespace perdure::bpmn
