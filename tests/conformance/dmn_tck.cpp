// The DMN Technology Compatibility Kit, levels 2 and 3. A case passes when every value it checks is
// right; where null stands for an error, it is counted apart whether a reason came with it.
//
//   conformance_dmn_tck [--verbose] [--cases] [FOLDER [CASE]]
//
// --verbose lists each failing case with what was expected, what came out, and the warnings;
// --cases lists the result of each case; FOLDER is a part of a folder's name ("0070"), CASE a part
// of a case's id. Without a filter, the failing cases must be those of docs/dmn-conformance.md.
#include <array>
#include <cstdio>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "corpus.h"
#include "definition/diagnostic.h"
#include "dmn/evaluate.h"
#include "dmn/read.h"
#include "dmn_tck_cases.h"
#include "dmn_tck_compare.h"

namespace {

using namespace perdure; // NOLINT: a program of one file
using conformance::TckCase;
using conformance::TckResult;
namespace fs = std::filesystem;

/// What now() is during the cases that ask for it.
constexpr std::int64_t kNow = 1'764'500'000'000;
constexpr auto kLevels =
    std::to_array<std::string_view>({"compliance-level-2", "compliance-level-3"});

struct Settings {
  bool is_verbose = false;
  bool lists_cases = false;
  std::string folder;
  std::string test_case;
};

struct Counts {
  int passed = 0;
  int failed = 0;
  int errors = 0;       ///< results for which an error is expected
  int errors_right = 0; ///< null came out
  int errors_told = 0;  ///< null came out and a reason with it

  void add(const Counts& other) {
    passed += other.passed;
    failed += other.failed;
    errors += other.errors;
    errors_right += other.errors_right;
    errors_told += other.errors_told;
  }
};

/// A folder of the corpus: one model with its imports, one test file.
struct Suite {
  std::string name; ///< "compliance-level-3/0070-feel-instance-of"
  dmn::Reading reading;
  conformance::TckFile file;
};

void print_warnings(const dmn::Outcome& outcome) {
  for (const auto& warning : outcome.warnings)
    std::printf("    %s: %s\n", warning.element.c_str(), warning.warning.reason.c_str());
  if (outcome.failure) std::printf("    ended: %s\n", outcome.failure->warning.reason.c_str());
}

std::vector<dmn::Input> inputs_of(const TckCase& test) {
  std::vector<dmn::Input> inputs;
  for (const auto& input : test.inputs) {
    auto value = conformance::datum_of(input.value);
    if (!value) std::printf("  unreadable input %s\n", input.name.c_str());
    inputs.push_back({input.name, input.model_namespace, value.value_or(expr::Datum())});
  }
  return inputs;
}

/// Of a service with several outputs, the result is a context; a case may check each apart.
expr::Datum part_of(const expr::Datum& datum, const TckCase& test, const TckResult& result) {
  if (test.service.empty() || test.results.size() == 1) return datum;
  return datum.entry(result.decision).value_or(expr::Datum());
}

bool check(const Suite& suite, const TckCase& test, const TckResult& result, Counts& counts,
           const Settings& settings) {
  const auto& what = test.service.empty() ? result.decision : test.service;
  const auto inputs = inputs_of(test);
  dmn::Options options{.now = from_ms(kNow), .with_trace = false};
  const auto outcome = dmn::evaluate(*suite.reading.model, what, inputs, options);
  const auto actual = outcome ? part_of(outcome->datum, test, result) : expr::Datum();
  const bool is_told = !outcome || outcome->failure || !outcome->warnings.empty();
  const bool is_right = outcome && conformance::is_as_expected(result.expected, actual);
  if (result.is_error) {
    ++counts.errors;
    counts.errors_right += is_right ? 1 : 0;
    counts.errors_told += is_right && is_told ? 1 : 0;
  }
  const bool is_silent = is_right && result.is_error && !is_told;
  if (settings.is_verbose && (!is_right || is_silent)) {
    std::printf("%s %s %s: expected %s%s, got %s\n", suite.name.c_str(), test.id.c_str(),
                result.decision.c_str(), conformance::shown(result.expected).c_str(),
                result.is_error ? " with a reason" : "", conformance::shown(actual).c_str());
    if (outcome) print_warnings(*outcome);
    if (!outcome) std::printf("    %s\n", outcome.error().c_str());
  }
  return is_right;
}

Suite open(const fs::path& folder, const std::string& level) {
  Suite suite{.name = level + "/" + folder.filename().string(), .reading = {}, .file = {}};
  for (const auto& path : conformance::corpus_files(folder, ".xml")) {
    if (auto file = conformance::read_tck_file(path)) suite.file = std::move(*file);
  }
  std::vector<std::pair<std::string, std::string>> documents;
  for (const auto& path : conformance::corpus_files(folder, ".dmn")) {
    const auto name = path.filename().string();
    const auto place = name == suite.file.model ? documents.begin() : documents.end();
    documents.emplace(place, name, conformance::read_file(path));
  }
  std::vector<dmn::Source> sources;
  for (const auto& [name, document] : documents)
    sources.push_back({name, document});
  suite.reading = dmn::read(sources);
  return suite;
}

Counts run(const Suite& suite, const Settings& settings, std::set<std::string>& failing) {
  Counts counts;
  if (settings.is_verbose) {
    for (const auto& diagnostic : suite.reading.diagnostics)
      std::printf("  %s\n", definition::to_text(diagnostic).c_str());
  }
  for (const auto& test : suite.file.cases) {
    if (test.id.find(settings.test_case) == std::string::npos) continue;
    bool is_right = suite.reading.model != nullptr;
    for (const auto& result : test.results) {
      if (suite.reading.model) is_right &= check(suite, test, result, counts, settings);
    }
    ++(is_right ? counts.passed : counts.failed);
    if (!is_right) failing.insert(suite.name + " " + test.id);
    if (settings.lists_cases) {
      std::printf("%s %s %s\n", is_right ? "passed" : "FAILED", suite.name.c_str(),
                  test.id.c_str());
    }
  }
  return counts;
}

void print(const std::string& name, const Counts& counts) {
  std::printf("%-60s %5d passed %4d failed", name.c_str(), counts.passed, counts.failed);
  if (counts.errors > 0) {
    std::printf("; errors: %d of %d null, %d with a reason", counts.errors_right, counts.errors,
                counts.errors_told);
  }
  std::printf("\n");
}

/// Lines "| `folder` | `case` | reason |" of docs/dmn-conformance.md.
std::set<std::string> documented() {
  std::set<std::string> cases;
  std::ifstream stream(fs::path(PERDURE_SOURCE_DIR) / "docs" / "dmn-conformance.md");
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with("| `compliance")) continue;
    std::vector<std::string> quoted;
    for (std::size_t at = 0; (at = line.find('`', at)) != std::string::npos && quoted.size() < 2;) {
      const auto end = line.find('`', at + 1);
      quoted.push_back(line.substr(at + 1, end - at - 1));
      at = end + 1;
    }
    if (quoted.size() == 2) cases.insert(quoted[0] + " " + quoted[1]);
  }
  return cases;
}

/// Prints the first few that only one of the two lists has; their number.
std::size_t print_surplus(const std::set<std::string>& listed, const std::set<std::string>& other,
                          const char* reason) {
  constexpr std::size_t kMaxShown = 20;
  std::size_t count = 0;
  for (const auto& test : listed) {
    if (!other.contains(test) && ++count <= kMaxShown) {
      std::printf("FAILED %s: %s\n", test.c_str(), reason);
    }
  }
  if (count > kMaxShown) std::printf("  and %zu more\n", count - kMaxShown);
  return count;
}

/// The status of the program: whether the document lists what fails, no more and no less.
int compare_with_document(const std::set<std::string>& failing) {
  const auto expected = documented();
  const auto new_ones = print_surplus(failing, expected, "not listed in docs/dmn-conformance.md");
  const auto old_ones =
      print_surplus(expected, failing, "passes, yet docs/dmn-conformance.md lists it");
  return new_ones + old_ones == 0 ? 0 : 1;
}

Settings settings_of(int argc, char** argv) {
  Settings settings;
  std::vector<std::string> filters;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--verbose") {
      settings.is_verbose = true;
    } else if (argument == "--cases") {
      settings.lists_cases = true;
    } else {
      filters.emplace_back(argument);
    }
  }
  filters.resize(2);
  settings.folder = filters[0];
  settings.test_case = filters[1];
  return settings;
}

} // namespace

int main(int argc, char** argv) {
  const auto settings = settings_of(argc, argv);
  conformance::Tally tally{.name = "dmn-tck"};
  const auto root = conformance::corpus_folder("dmn-tck");
  if (!fs::exists(root / kLevels[0])) return tally.finish_absent(root);
  std::set<std::string> failing;
  Counts all;
  for (const auto level : kLevels) {
    Counts of_level;
    std::set<fs::path> folders;
    for (const auto& entry : fs::directory_iterator(root / level))
      folders.insert(entry.path());
    for (const auto& folder : folders) {
      if (folder.filename().string().find(settings.folder) == std::string::npos) continue;
      const auto suite = open(folder, std::string(level));
      const auto counts = run(suite, settings, failing);
      if (settings.is_verbose || counts.failed > 0) print(suite.name, counts);
      of_level.add(counts);
    }
    print(std::string(level), of_level);
    all.add(of_level);
  }
  const bool is_whole = settings.folder.empty() && settings.test_case.empty();
  const int documented_status = is_whole ? compare_with_document(failing) : 0;
  tally.passed = all.passed;
  tally.failed = all.failed;
  const int status = tally.finish();
  std::printf("dmn-tck: of %d expected errors %d are null, %d of them with a reason\n", all.errors,
              all.errors_right, all.errors_told);
  return is_whole ? documented_status : status;
}
