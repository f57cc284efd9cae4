// The 67 executable models drawn by people: each either deploys or is refused with located reasons.
// `--verbose` lists every diagnostic.
#include <map>
#include <string>
#include <string_view>

#include "bpmn_outcome.h"
#include "corpus.h"

int main(int argc, char** argv) {
  using namespace perdure; // NOLINT: a program of one file
  const bool verbose = argc > 1 && std::string_view(argv[1]) == "--verbose";
  conformance::Tally tally{.name = "real_models"};
  const auto folder = conformance::corpus_folder("real-models");
  const auto files = conformance::corpus_files(folder, ".bpmn");
  if (files.empty()) return tally.finish_absent(folder);
  int deployed = 0;
  int refused = 0;
  std::map<std::string, int> codes;
  for (const auto& path : files) {
    const auto name = std::filesystem::relative(path, folder).string();
    const auto deployment = bpmn::read(conformance::read_file(path), name);
    ++(deployment ? deployed : refused);
    const auto& diagnostics = deployment ? deployment->diagnostics : deployment.error();
    for (const auto& diagnostic : diagnostics) {
      ++codes[diagnostic.code];
      if (verbose) std::printf("%s\n", definition::to_text(diagnostic).c_str());
    }
    auto reason = conformance::unclear_part(diagnostics, name);
    if (!deployment && diagnostics.empty()) reason = "refused without a reason";
    if (deployment && deployment->processes.empty()) reason = "deployed without a process";
    if (reason.empty()) {
      tally.pass();
    } else {
      tally.fail(name, reason);
    }
  }
  const int status = tally.finish();
  std::printf("real_models: %d deployed, %d refused with located reasons\n", deployed, refused);
  if (verbose) {
    for (const auto& [code, count] : codes)
      std::printf("%6d %s\n", count, code.c_str());
  }
  return status;
}
