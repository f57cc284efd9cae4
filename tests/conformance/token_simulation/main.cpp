// The 132 cases of the corpus token-simulation: each model is made executable, driven as the case
// says, and what the core decides is compared with what the corpus expects.
//   conformance_token_simulation [--verbose] [PART OF A NAME]...
// What it does not run, and what is known to deviate, stands in docs/token-simulation.md.
#include <algorithm>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/corpus.h"
#include "conformance/token_simulation/judge.h"
#include "conformance/token_simulation/listing.h"

namespace {

using namespace perdure; // NOLINT: a program of one file
using conformance::Verdict;

constexpr const char* kPage = "docs/token-simulation.md";

conformance::Verdict judge_safely(const conformance::Case& one) {
  try {
    return conformance::judge(one);
  } catch (const std::exception& bug) {
    return {.passed = false,
            .reasons = {std::string("the core found a bug in itself: ") + bug.what()},
            .expected = {},
            .came = {}};
  }
}

void print_details(const Verdict& verdict) {
  for (std::size_t i = 1; i < verdict.reasons.size(); ++i) {
    std::printf("  %s\n", verdict.reasons[i].c_str());
  }
  std::printf("  expected\n%s  came\n%s", verdict.expected.c_str(), verdict.came.c_str());
}

bool is_wanted(const std::string& name, const std::vector<std::string_view>& parts) {
  return parts.empty() || std::ranges::any_of(parts, [&](std::string_view part) {
           return name.find(part) != std::string::npos;
         });
}

void skip(const std::string& name, const std::string& reason, conformance::Tally& tally) {
  ++tally.skipped;
  std::printf("SKIPPED %s: %s\n", name.c_str(), reason.c_str());
}

void run(const conformance::Case& one, const conformance::Listing& listing, bool verbose,
         conformance::Tally& tally) {
  const auto skipped = listing.not_bpmn.find(one.name);
  if (skipped != listing.not_bpmn.end()) return skip(one.name, skipped->second, tally);
  const auto verdict = judge_safely(one);
  const auto deviation = listing.deviations.find(one.name);
  const bool listed = deviation != listing.deviations.end();
  if (verdict.passed && listed) {
    tally.fail(one.name, "it passes: take it out of " + std::string(kPage));
  } else if (verdict.passed) {
    tally.pass();
  } else if (listed) {
    skip(one.name, "deviates: " + deviation->second, tally);
  } else {
    tally.fail(one.name, verdict.reasons.empty() ? "no reason" : verdict.reasons.front());
  }
  if (verbose && !verdict.passed) print_details(verdict);
}

} // namespace

int main(int argc, char** argv) {
  bool verbose = false;
  std::vector<std::string_view> parts;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--verbose") {
      verbose = true;
    } else {
      parts.push_back(argument);
    }
  }
  conformance::Tally tally{.name = "token-simulation"};
  const auto folder = conformance::corpus_folder("token-simulation");
  if (!std::filesystem::exists(folder / "neutral.json")) return tally.finish_absent(folder);
  const auto cases = conformance::read_cases(folder);
  if (!cases) {
    tally.fail("token-simulation", cases.error().message);
    return tally.finish();
  }
  const auto page = conformance::read_file(std::filesystem::path(PERDURE_SOURCE_DIR) / kPage);
  const auto listing = conformance::read_listing(page);
  for (const auto& problem : conformance::problems_of(listing, *cases))
    tally.fail(kPage, problem);
  for (const auto& one : *cases) {
    if (is_wanted(one.name, parts)) run(one, listing, verbose, tally);
  }
  return tally.finish();
}
