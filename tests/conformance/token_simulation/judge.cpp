#include "conformance/token_simulation/judge.h"

#include "bpmn/read.h"
#include "conformance/corpus.h"
#include "conformance/token_simulation/compare.h"
#include "conformance/token_simulation/stimuli.h"
#include "definition/diagnostic.h"

namespace perdure::conformance {

namespace {

Verdict failed(std::vector<std::string> reasons) {
  return {.passed = false, .reasons = std::move(reasons), .expected = {}, .came = {}};
}

/// The corpus compares cases of engine policy only up to the uncaught throw: what comes behind it
/// is left out, and how the surroundings end is free.
Expected up_to_throw(Expected expected) {
  int thrower = -1;
  for (std::size_t i = 0; i < expected.runs.size(); ++i) {
    if (expected.runs[i].type == "endEvent" && thrower < 0) thrower = static_cast<int>(i);
  }
  if (thrower < 0) return expected;
  for (int at = thrower; at >= 0; at = expected.runs[static_cast<std::size_t>(at)].in) {
    expected.runs[static_cast<std::size_t>(at)].free_end = true;
  }
  const auto last = static_cast<std::size_t>(thrower) + 1;
  std::erase_if(expected.flows,
                [&](const ExpectedFlow& flow) { return flow.to >= static_cast<int>(last); });
  expected.runs.resize(last);
  return expected;
}

class Judgement {
public:
  Judgement(const Case& one, const Prepared& prepared)
      : case_(one), prepared_(prepared), world_(prepared) {}

  Verdict run() {
    for (std::size_t i = 0; i < case_.stimuli.size(); ++i) {
      const auto& stimulus = case_.stimuli[i];
      const auto index = static_cast<int>(i);
      world_.recorder().during(index);
      auto problem = give(world_, stimulus);
      if (!problem.empty()) {
        auto verdict = failed({"stimulus " + std::to_string(index) + ": " + problem});
        verdict.expected = describe(expected_until(case_.expected, index));
        verdict.came = describe(world_.recorder().observed());
        return verdict;
      }
      if (stimulus.action != Action::check) continue;
      auto verdict = check(index);
      if (!verdict.passed) return verdict;
    }
    return {};
  }

  World& world() { return world_; }

private:
  Verdict check(int index) {
    const auto observed = world_.recorder().observed();
    if (case_.bounds) {
      auto problems = compare_bounds(*case_.bounds, observed, prepared_.drawing);
      if (problems.empty()) return {};
      auto verdict = failed(std::move(problems));
      verdict.came = describe(observed);
      return verdict;
    }
    auto expected = expected_until(case_.expected, index);
    if (case_.has_flag("engine-policy")) expected = up_to_throw(std::move(expected));
    auto problems = compare(expected, observed, prepared_.drawing);
    if (problems.empty()) return {};
    auto verdict = failed(std::move(problems));
    verdict.expected = describe(expected);
    verdict.came = describe(observed);
    return verdict;
  }

  const Case& case_;
  const Prepared& prepared_;
  World world_;
};

std::vector<std::string> texts(const std::vector<definition::Diagnostic>& diagnostics) {
  std::vector<std::string> reasons;
  for (const auto& diagnostic : diagnostics)
    reasons.push_back(definition::to_text(diagnostic));
  return reasons;
}

} // namespace

Verdict judge(const Case& one) {
  const auto prepared = prepare(read_file(one.model), one);
  if (!prepared) return failed({prepared.error().message});
  Judgement judgement(one, *prepared);
  if (!prepared->drawing.processes.empty()) {
    const auto deployment = bpmn::read(prepared->document, one.name);
    if (!deployment) return failed(texts(deployment.error()));
    std::vector<definition::DefinitionPtr> definitions;
    for (const auto& process : deployment->processes)
      definitions.push_back(process.definition);
    judgement.world().deploy(std::move(definitions));
  }
  return judgement.run();
}

} // namespace perdure::conformance
