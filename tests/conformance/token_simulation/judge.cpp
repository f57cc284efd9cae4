#include "conformance/token_simulation/judge.h"

#include <algorithm>

#include "base/enum_text.h"
#include "bpmn/read.h"
#include "conformance/corpus.h"
#include "conformance/token_simulation/compare.h"
#include "conformance/token_simulation/stimuli.h"
#include "definition/diagnostic.h"
#include "definition/diagnostic_code.h"

namespace perdure::conformance {

namespace {

Verdict failed(std::vector<std::string> reasons) {
  return {.kind = Verdict::Kind::failed, .reasons = std::move(reasons), .expected = {}, .came = {}};
}
Verdict skipped(std::string reason) {
  return {
      .kind = Verdict::Kind::skipped, .reasons = {std::move(reason)}, .expected = {}, .came = {}};
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
      if (verdict.kind != Verdict::Kind::passed) return verdict;
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

Verdict refused(const Case& one, const std::vector<definition::Diagnostic>& diagnostics) {
  std::vector<std::string> reasons;
  for (const auto& diagnostic : diagnostics)
    reasons.push_back(definition::to_text(diagnostic));
  const bool may_refuse = one.notes.find("may reject the model") != std::string::npos;
  const bool unsound =
      std::ranges::none_of(diagnostics, [](const definition::Diagnostic& diagnostic) {
        return diagnostic.code == name_of(definition::Code::unsupported_element);
      });
  if (!may_refuse || !unsound) return failed(reasons);
  return skipped("refused at deployment, which the corpus leaves to the engine: " +
                 (reasons.empty() ? std::string("no reason") : reasons.front()));
}

} // namespace

std::string beyond_the_standard(const Case& one) {
  // The only such case that is plain BPMN: the process has no start event at all (10.5.2).
  if (one.name == "process-implicit-start-no-start-events") return {};
  if (one.has_flag("implicit-start")) {
    return "nodes without incoming flow start beside a start event: BPMN 2.0.2, 10.5.2 starts "
           "them only where there is none";
  }
  return {};
}

Verdict judge(const Case& one) {
  if (auto reason = beyond_the_standard(one); !reason.empty()) return skipped(std::move(reason));
  const auto prepared = prepare(read_file(one.model), one);
  if (!prepared) return failed({prepared.error().message});
  Judgement judgement(one, *prepared);
  if (!prepared->drawing.processes.empty()) {
    const auto deployment = bpmn::read(prepared->document, one.name);
    if (!deployment) return refused(one, deployment.error());
    std::vector<definition::DefinitionPtr> definitions;
    for (const auto& process : deployment->processes)
      definitions.push_back(process.definition);
    judgement.world().deploy(std::move(definitions));
  }
  return judgement.run();
}

} // namespace perdure::conformance
