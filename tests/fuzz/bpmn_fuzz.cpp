// Fuzzes the BPMN reader: any bytes end in definitions or in diagnostics that are complete; what
// was accepted keeps the promises of definition.h.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/enum_text.h"
#include "bpmn/read.h"
#include "definition/diagnostic_code.h"
#include "definition/report.h"

namespace {

using namespace perdure; // NOLINT: a program of one file

void check_diagnostics(const std::vector<definition::Diagnostic>& diagnostics) {
  PERDURE_CHECK(diagnostics.size() <= definition::Report::kMaxDiagnostics);
  for (const auto& diagnostic : diagnostics) {
    PERDURE_CHECK(enum_from<definition::Code>(diagnostic.code).has_value());
    PERDURE_CHECK(diagnostic.line > 0 && diagnostic.column > 0);
    PERDURE_CHECK(diagnostic.message.ends_with('.'));
  }
}

void check_definition(const definition::Definition& definition) {
  for (std::size_t i = 0; i < definition.nodes().size(); ++i) {
    const auto index = static_cast<definition::NodeIndex>(i);
    const auto& node = definition.node(index);
    PERDURE_CHECK(definition.find_node(node.id) == index);
    for (const auto flow : node.outgoing) {
      PERDURE_CHECK(definition.flow(flow).source == index);
      PERDURE_CHECK(definition.reaches(index, flow));
      PERDURE_CHECK(definition.node(definition.flow(flow).target).scope == node.scope);
    }
  }
  for (const auto& scope : definition.scopes())
    PERDURE_CHECK(!scope.starts.empty());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view document(reinterpret_cast<const char*>(data), size);
  const auto deployment = bpmn::read(document, "fuzz.bpmn");
  if (!deployment) {
    PERDURE_CHECK(!deployment.error().empty());
    check_diagnostics(deployment.error());
    return 0;
  }
  check_diagnostics(deployment->diagnostics);
  PERDURE_CHECK(!deployment->processes.empty());
  for (const auto& process : deployment->processes)
    check_definition(*process.definition);
  return 0;
}
