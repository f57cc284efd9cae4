#include "bpmn/global_task.h"

#include <array>
#include <string>
#include <utility>

#include "bpmn/extension_rules.h"

namespace perdure::bpmn {

namespace {

using definition::Code;
using definition::NodeKind;
using xml::Vocabulary;

constexpr auto kGlobalTasks = std::to_array<std::pair<std::string_view, NodeKind>>({
    {"globalTask", NodeKind::undefined_task},
    {"globalUserTask", NodeKind::user_task},
    {"globalManualTask", NodeKind::manual_task},
    {"globalScriptTask", NodeKind::script_task},
    {"globalBusinessRuleTask", NodeKind::business_rule_task},
});

/// Of Camunda 7, about the version of a process and about variables that go in and out.
constexpr auto kAttributesOfCalls = std::to_array<std::string_view>(
    {"calledElementBinding", "calledElementVersion", "calledElementVersionTag"});
constexpr auto kElementsOfCalls = std::to_array<std::string_view>({"in", "out"});

} // namespace

GlobalTask find_global_task(const xml::Element& call, const References& references) {
  if (find_extension(call, Vocabulary::zeebe, "calledElement")) return {};
  auto id = xml::trim(call.get("calledElement"));
  for (const auto& [name, kind] : kGlobalTasks) {
    const auto* found = references.find(id, name);
    // A reference may be qualified by the prefix of the file's own namespace.
    const auto colon = id.find(':');
    if (!found && colon != std::string_view::npos) {
      found = references.find(id.substr(colon + 1), name);
    }
    if (found) return {.element = found, .kind = kind};
  }
  return {};
}

bool check_call_of_task(const xml::Element& call, std::string_view id, definition::Report& report) {
  bool sound = true;
  const auto refuse = [&](const xml::Element& at, std::string_view name) {
    sound = false;
    report.error(Code::bad_call_mapping, at.place, id,
                 "The call activity names a global task, for which `camunda:" + std::string(name) +
                     "` has no meaning: remove it, and map variables by camunda:inputOutput.");
  };
  for (const auto name : kAttributesOfCalls) {
    if (call.find(Vocabulary::camunda, name)) refuse(call, name);
  }
  for (const auto name : kElementsOfCalls) {
    if (const auto* found = find_extension(call, Vocabulary::camunda, name)) refuse(*found, name);
  }
  return sound;
}

} // namespace perdure::bpmn
