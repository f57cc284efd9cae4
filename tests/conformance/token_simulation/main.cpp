// The 132 cases of the corpus token-simulation: each model is made executable, driven as the case
// says, and what the core decides is compared with what the corpus expects.
//   conformance_token_simulation [--verbose] [PART OF A NAME]...
#include <algorithm>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/corpus.h"
#include "conformance/token_simulation/judge.h"

namespace {

using namespace perdure; // NOLINT: a program of one file
using conformance::Verdict;

conformance::Verdict judge_safely(const conformance::Case& one) {
  try {
    return conformance::judge(one);
  } catch (const std::exception& bug) {
    return {.kind = Verdict::Kind::failed,
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
  for (const auto& one : *cases) {
    if (!is_wanted(one.name, parts)) continue;
    const auto verdict = judge_safely(one);
    switch (verdict.kind) {
      case Verdict::Kind::passed: tally.pass(); break;
      case Verdict::Kind::failed:
        tally.fail(one.name, verdict.reasons.empty() ? "no reason" : verdict.reasons.front());
        if (verbose) print_details(verdict);
        break;
      case Verdict::Kind::skipped:
        ++tally.skipped;
        std::printf("SKIPPED %s: %s\n", one.name.c_str(), verdict.reasons.front().c_str());
        break;
    }
  }
  return tally.finish();
}
