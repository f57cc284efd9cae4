// The 21 reference models of the BPMN Model Interchange Working Group: each is read as XML without
// an error, and whatever is refused in it is refused with code, line and column. Processes that the
// group marks as not executable are read as well, by marking them executable first.
#include <string>
#include <string_view>

#include "bpmn_outcome.h"
#include "corpus.h"

namespace {

using namespace perdure; // NOLINT: a program of one file

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string judge(const std::string& document, const std::string& file) {
  const auto deployment = bpmn::read(document, file);
  if (deployment) return conformance::unclear_part(deployment->diagnostics, file);
  for (const auto& diagnostic : deployment.error()) {
    if (conformance::is_xml_problem(diagnostic)) return definition::to_text(diagnostic);
  }
  if (deployment.error().empty()) return "refused without a reason";
  return conformance::unclear_part(deployment.error(), file);
}

} // namespace

int main() {
  conformance::Tally tally{.name = "miwg"};
  const auto folder = conformance::corpus_folder("miwg");
  const auto files = conformance::corpus_files(folder, ".bpmn");
  if (files.empty()) return tally.finish_absent(folder);
  for (const auto& path : files) {
    const auto document = conformance::read_file(path);
    const auto name = path.filename().string();
    auto reason = judge(document, name);
    if (reason.empty()) {
      reason =
          judge(replace_all(document, "isExecutable=\"false\"", "isExecutable=\"true\""), name);
    }
    if (reason.empty()) {
      tally.pass();
    } else {
      tally.fail(name, reason);
    }
  }
  return tally.finish();
}
