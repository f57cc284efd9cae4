#include "bpmn/call_reader.h"

#include <string>
#include <utility>

#include "bpmn/expressions.h"
#include "bpmn/extension_rules.h"

namespace perdure::bpmn {

namespace {

using definition::CallBinding;
using definition::CallSpec;
using definition::Code;
using definition::in_quotes;
using definition::Report;
using definition::Template;
using xml::Vocabulary;

std::string_view text_of(const xml::Element& element, Vocabulary vocabulary,
                         std::string_view name) {
  const auto* text = element.find(vocabulary, name);
  return text ? xml::trim(*text) : std::string_view();
}

class CallReader {
public:
  CallReader(const xml::Element& element, std::string_view id, Report& report)
      : element_(element), id_(id), report_(report) {}

  std::optional<CallSpec> read() {
    if (const auto* called = find_extension(element_, Vocabulary::zeebe, "calledElement")) {
      read_zeebe(*called);
    } else {
      call_.process_id = read(text_of(element_, Vocabulary::none, "calledElement"), element_,
                              "the called process");
      read_camunda();
    }
    if (call_.process_id.text.empty() && !call_.process_id.expression) {
      report_.error(Code::missing_called_element, element_.place, id_,
                    "The call activity names no process: set calledElement, or "
                    "zeebe:calledElement processId.");
      sound_ = false;
    }
    if (needs_version() && call_.version.text.empty()) {
      report_.error(Code::bad_binding, element_.place, id_,
                    "The call activity is bound to a version that it does not name: add the "
                    "version or its tag, or bind it to the latest one.");
      sound_ = false;
    }
    if (!sound_) return std::nullopt;
    return std::move(call_);
  }

private:
  [[nodiscard]] bool needs_version() const {
    return call_.binding == CallBinding::version_tag || call_.binding == CallBinding::version;
  }

  Template read(std::string_view text, const xml::Element& at, std::string_view what) {
    return read_template(text, {at.place, id_, what}, report_);
  }

  void bind(std::string_view binding) {
    if (binding.empty() || binding == "latest") return;
    if (binding == "deployment") {
      call_.binding = CallBinding::deployment;
    } else if (binding == "versionTag") {
      call_.binding = CallBinding::version_tag;
    } else if (binding == "version") {
      call_.binding = CallBinding::version;
    } else {
      report_.error(Code::bad_binding, element_.place, id_,
                    "The binding " + in_quotes(binding) +
                        " is unknown: use latest, deployment, version or versionTag.");
      sound_ = false;
    }
  }

  void read_zeebe(const xml::Element& called) {
    call_.process_id = read(called.get("processId"), called, "the called process");
    bind(xml::trim(called.get("bindingType")));
    if (call_.binding == CallBinding::version_tag) {
      call_.version = read(called.get("versionTag"), called, "the version tag");
    }
    call_.all_in = called.get("propagateAllParentVariables") != "false";
    call_.all_out = called.get("propagateAllChildVariables") != "false";
  }

  void read_camunda() {
    bind(text_of(element_, Vocabulary::camunda, "calledElementBinding"));
    if (call_.binding == CallBinding::version_tag) {
      call_.version = read(text_of(element_, Vocabulary::camunda, "calledElementVersionTag"),
                           element_, "the version tag");
    } else if (call_.binding == CallBinding::version) {
      call_.version = read(text_of(element_, Vocabulary::camunda, "calledElementVersion"), element_,
                           "the version");
    }
    for (const auto& holder : element_.children) {
      if (!holder.is(Vocabulary::bpmn, "extensionElements")) continue;
      for (const auto& mapping : holder.children) {
        if (mapping.is(Vocabulary::camunda, "in")) read_in(mapping);
        if (mapping.is(Vocabulary::camunda, "out")) read_out(mapping);
      }
    }
  }

  void read_in(const xml::Element& in) {
    if (!saw_in_) call_.all_in = false;
    saw_in_ = true;
    if (const auto key = in.get("businessKey"); !key.empty()) {
      call_.business_key = read(key, in, "the business key");
    } else if (in.get("variables") == "all") {
      call_.all_in = true;
    } else {
      add(in, "in", call_.inputs);
    }
  }

  void read_out(const xml::Element& out) {
    if (!saw_out_) call_.all_out = false;
    saw_out_ = true;
    if (out.get("variables") == "all") {
      call_.all_out = true;
    } else {
      add(out, "out", call_.outputs);
    }
  }

  /// A source is a variable's name, or an expression that is marked as one.
  void add(const xml::Element& mapping, std::string_view name,
           std::vector<definition::CallMapping>& mappings) {
    const auto target = mapping.get("target");
    const auto source = mapping.get("source");
    const auto expression = mapping.get("sourceExpression");
    if (target.empty() || source.empty() == expression.empty()) {
      report_.error(Code::bad_call_mapping, mapping.place, id_,
                    "The camunda:" + std::string(name) +
                        " is not whole: give it a target, and either source or "
                        "sourceExpression.");
      sound_ = false;
      return;
    }
    const bool is_name = expression.empty() && !expr::is_expression(source);
    const auto text =
        is_name ? "=" + std::string(source) : std::string(source.empty() ? expression : source);
    mappings.push_back({read(text, mapping, "the mapping"), std::string(target)});
  }

  const xml::Element& element_;
  std::string_view id_;
  Report& report_;
  CallSpec call_;
  bool sound_ = true;
  bool saw_in_ = false;
  bool saw_out_ = false;
};

} // namespace

std::optional<CallSpec> read_call(const xml::Element& element, std::string_view id,
                                  Report& report) {
  return CallReader(element, id, report).read();
}

} // namespace perdure::bpmn
