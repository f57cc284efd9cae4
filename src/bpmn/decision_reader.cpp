#include "bpmn/decision_reader.h"

#include <string>

#include "base/enum_text.h"
#include "bpmn/expressions.h"
#include "bpmn/extension_rules.h"

namespace perdure::bpmn {

namespace {

using definition::BindingKind;
using definition::Code;
using definition::in_quotes;
using definition::Report;
using definition::ResultMapping;
using xml::Vocabulary;

/// What a vocabulary says, attribute by attribute; empty where it says nothing.
struct Said {
  std::string_view decision;
  std::string_view binding;
  std::string_view version;
  std::string_view version_tag;
  std::string_view mapping;
  std::string_view result_variable;
  bool needs_variable = false;
};

std::string_view attribute(const xml::Element& task, std::string_view name) {
  const auto* value = task.find(Vocabulary::camunda, name);
  return value ? xml::trim(*value) : std::string_view();
}

Said said_by(const xml::Element& task) {
  if (const auto* called = find_extension(task, Vocabulary::zeebe, "calledDecision")) {
    return {.decision = xml::trim(called->get("decisionId")),
            .binding = xml::trim(called->get("bindingType")),
            .version = {},
            .version_tag = xml::trim(called->get("versionTag")),
            .mapping = "whole",
            .result_variable = xml::trim(called->get("resultVariable")),
            .needs_variable = true};
  }
  const auto mapping = attribute(task, "mapDecisionResult");
  return {.decision = attribute(task, "decisionRef"),
          .binding = attribute(task, "decisionRefBinding"),
          .version = attribute(task, "decisionRefVersion"),
          .version_tag = attribute(task, "decisionRefVersionTag"),
          .mapping = mapping.empty() ? "resultList" : mapping,
          .result_variable = attribute(task, "resultVariable")};
}

/// Empty: the rest of the attribute's meaning is in `spec`; else what is wrong.
std::string read_binding(const Said& said, definition::Binding& binding, const Origin& origin,
                         Report& report) {
  if (said.binding.empty()) return "";
  const auto kind = enum_from<BindingKind>(said.binding);
  if (!kind) {
    return "has the binding " + in_quotes(said.binding) +
           ", which is none of latest, deployment, version and versionTag";
  }
  binding.kind = *kind;
  if (*kind == BindingKind::version) {
    if (said.version.empty()) return "is bound to a version but says none";
    binding.version = read_template(said.version, origin, report);
  } else if (*kind == BindingKind::version_tag) {
    if (said.version_tag.empty()) return "is bound to a version tag but says none";
    binding.version = read_template(said.version_tag, origin, report);
  }
  return "";
}

} // namespace

bool names_decision(const xml::Element& task) {
  return find_extension(task, Vocabulary::zeebe, "calledDecision") != nullptr ||
         task.find(Vocabulary::camunda, "decisionRef") != nullptr;
}

std::optional<definition::DecisionSpec> read_decision(const xml::Element& task, std::string_view id,
                                                      Report& report) {
  const auto said = said_by(task);
  const auto refuse = [&](const std::string& problem) {
    report.error(Code::bad_decision, task.place, id,
                 "The called decision " + problem + ": correct the task.");
    return std::nullopt;
  };
  if (said.decision.empty()) return refuse("has no id");
  if (said.needs_variable && said.result_variable.empty()) {
    return refuse("has no result variable, so that its result would be lost");
  }
  definition::DecisionSpec spec;
  spec.decision_id = read_template(said.decision, {task.place, id, "the decision id"}, report);
  const Origin version{task.place, id, "the version of the decision"};
  if (auto problem = read_binding(said, spec.binding, version, report); !problem.empty()) {
    return refuse(problem);
  }
  const auto mapping = enum_from<ResultMapping>(said.mapping);
  if (!mapping) {
    return refuse("has the result mapping " + in_quotes(said.mapping) +
                  ", which is none of singleEntry, singleResult, collectEntries and resultList");
  }
  spec.mapping = *mapping;
  spec.result_variable = said.result_variable;
  return spec;
}

} // namespace perdure::bpmn
