// Fuzzes the DMN reader and evaluator: any bytes end in a model or in diagnostics that are
// complete; every decision and service of a model ends within its limits.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/enum_text.h"
#include "definition/diagnostic_code.h"
#include "definition/report.h"
#include "dmn/evaluate.h"
#include "dmn/outcome_value.h"
#include "dmn/read.h"

namespace {

using namespace perdure; // NOLINT: a program of one file

constexpr std::size_t kMaxEvaluated = 50;

void check_diagnostics(const std::vector<definition::Diagnostic>& diagnostics) {
  PERDURE_CHECK(diagnostics.size() <= definition::Report::kMaxDiagnostics);
  for (const auto& diagnostic : diagnostics) {
    PERDURE_CHECK(enum_from<definition::Code>(diagnostic.code).has_value());
    PERDURE_CHECK(diagnostic.line > 0 && diagnostic.column > 0);
    PERDURE_CHECK(diagnostic.message.ends_with('.'));
  }
}

void evaluate_all(const dmn::Model& model) {
  const Value variables = Object{{"a", 1}, {"b", "x"}, {"list", Array{1, Object{{"c", true}}}}};
  const auto inputs = dmn::inputs_of(*variables.as<Object>());
  const dmn::Options options{.limits = {.steps = 20'000, .depth = 100}, .now = from_ms(0)};
  std::size_t count = 0;
  for (const auto& entries : {model.decisions(), model.services()}) {
    for (const auto& entry : entries) {
      if (++count > kMaxEvaluated) return;
      const auto outcome = dmn::evaluate(model, entry.name, inputs, options);
      PERDURE_CHECK(outcome.has_value());
      PERDURE_CHECK(!outcome->failure || outcome->value.is_null());
      (void)dmn::to_value(entry.name, *outcome);
    }
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view document(reinterpret_cast<const char*>(data), size);
  const dmn::Source source{"fuzz.dmn", document};
  const auto reading = dmn::read({&source, 1});
  check_diagnostics(reading.diagnostics);
  PERDURE_CHECK(reading.model || !reading.is_sound());
  if (reading.model) evaluate_all(*reading.model);
  return 0;
}
