#include "bpmn/special_reader.h"

#include <string>

#include "bpmn/expressions.h"
#include "bpmn/extension_rules.h"

namespace perdure::bpmn {

namespace {

using definition::Code;
using xml::Vocabulary;

/// The attribute of zeebe:adHoc, or our own.
std::string_view first_elements(const xml::Element& element) {
  if (const auto* ad_hoc = find_extension(element, Vocabulary::zeebe, "adHoc")) {
    return ad_hoc->get("activeElementsCollection");
  }
  const auto* own = element.find(Vocabulary::perdure, "activeElements");
  return own ? std::string_view(*own) : std::string_view();
}

bool check_outputs(const xml::Element& element, std::string_view id, definition::Report& report) {
  const auto* ad_hoc = find_extension(element, Vocabulary::zeebe, "adHoc");
  if (!ad_hoc ||
      (ad_hoc->get("outputCollection").empty() && ad_hoc->get("outputElement").empty())) {
    return true;
  }
  report.error(Code::unsupported_extension, ad_hoc->place, id,
               "The output collection of `zeebe:adHoc` is not supported: let its activities set "
               "variables.");
  return false;
}

} // namespace

std::optional<definition::AdHocSpec> read_ad_hoc(const xml::Element& element, std::string_view id,
                                                 definition::Report& report) {
  definition::AdHocSpec spec;
  const auto ordering = xml::trim(element.get("ordering"));
  if (!ordering.empty() && ordering != "Parallel" && ordering != "Sequential") {
    report.error(Code::unsupported_attribute, element.place, id,
                 "The ordering " + definition::in_quotes(ordering) +
                     " is neither `Parallel` nor `Sequential`: choose one of them.");
    return std::nullopt;
  }
  spec.sequential = ordering == "Sequential";
  const auto cancels = element.get("cancelRemainingInstances");
  spec.cancels_rest = cancels.empty() || xml::is_true(cancels);
  if (!check_outputs(element, id, report)) return std::nullopt;
  if (const auto* condition = element.child(Vocabulary::bpmn, "completionCondition")) {
    spec.completion = read_expression(condition->text, condition->get("language"),
                                      {condition->place, id, "the completion condition"}, report);
    if (!spec.completion) return std::nullopt;
  }
  if (const auto first = first_elements(element); !xml::trim(first).empty()) {
    spec.first =
        read_expression(first, "", {element.place, id, "the collection of activities"}, report);
    if (!spec.first) return std::nullopt;
  }
  return spec;
}

bool read_activation(const xml::Element& element, definition::Node& node,
                     definition::Report& report) {
  const auto* condition = element.child(Vocabulary::bpmn, "activationCondition");
  if (!condition) return true;
  node.activation =
      read_expression(condition->text, condition->get("language"),
                      {condition->place, node.id, "the activation condition"}, report);
  return node.activation.has_value();
}

} // namespace perdure::bpmn
