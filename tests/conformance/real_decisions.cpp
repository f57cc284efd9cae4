// The decision models drawn by people: each is read without an error, or refused with located
// reasons that have a known code; every decision of those that are read ends without a failure.
#include <string>

#include "base/enum_text.h"
#include "corpus.h"
#include "definition/diagnostic_code.h"
#include "dmn/evaluate.h"
#include "dmn/read.h"

namespace {

using namespace perdure; // NOLINT: a program of one file

std::string judge(const dmn::Reading& reading) {
  for (const auto& diagnostic : reading.diagnostics) {
    const auto text = definition::to_text(diagnostic);
    if (!enum_from<definition::Code>(diagnostic.code)) return "unknown code: " + text;
    if (diagnostic.line <= 0 || diagnostic.column <= 0) return "not located: " + text;
    if (diagnostic.severity == definition::Severity::error) return text;
  }
  if (!reading.model) return "refused without a reason";
  if (reading.model->decisions().empty()) return "no decision";
  for (const auto& decision : reading.model->decisions()) {
    const auto outcome = dmn::evaluate(*reading.model, decision.name, {});
    if (!outcome) return outcome.error();
    if (outcome->failure) return decision.name + ": " + outcome->failure->warning.reason;
  }
  return {};
}

} // namespace

int main() {
  conformance::Tally tally{.name = "real_decisions"};
  const auto folder = conformance::corpus_folder("real-models");
  const auto files = conformance::corpus_files(folder, ".dmn");
  if (files.empty()) return tally.finish_absent(folder);
  for (const auto& path : files) {
    const auto name = std::filesystem::relative(path, folder).string();
    const auto document = conformance::read_file(path);
    const dmn::Source source{name, document};
    const auto reason = judge(dmn::read({&source, 1}));
    if (reason.empty()) {
      tally.pass();
    } else {
      tally.fail(name, reason);
    }
  }
  return tally.finish();
}
