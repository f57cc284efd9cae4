// The comparison must accept every recording that BPMN allows and refuse every other. A recording
// is made up from what is expected, as an engine could have made it, and then spoilt in one place.
#include "conformance/token_simulation/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/corpus.h"
#include "conformance/token_simulation/corpus_case.h"
#include "conformance/token_simulation/order.h"
#include "conformance/token_simulation/prepare.h"

namespace perdure::conformance {
namespace {

std::int64_t& position_of(Observed& observed, const Moment& moment) {
  const auto index = static_cast<std::size_t>(moment.index);
  switch (moment.kind) {
    case MomentKind::start: return observed.runs[index].start_at;
    case MomentKind::end: return observed.runs[index].end_at;
    case MomentKind::taken: break;
  }
  return observed.flows[index].taken_at;
}

/// The least positions that keep every rule.
void put_in_order(Observed& observed, const std::vector<Constraint>& rules) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& rule : rules) {
      const auto least = position_of(observed, rule.before) + (rule.strict ? 1 : 0);
      auto& after = position_of(observed, rule.after);
      if (after >= least) continue;
      after = least;
      changed = true;
    }
  }
}

Observed made_up(const Expected& expected, const Drawing& drawing) {
  Observed observed;
  for (const auto& run : expected.runs) {
    ObservedRun made;
    made.element = run.element;
    made.root = run.root;
    made.in = run.in;
    made.via = run.via;
    made.gateway = run.gateway;
    made.started = run.started;
    made.ended = run.ended;
    made.outcome = run.outcome == Outcome::threw ? Outcome::completed : run.outcome;
    made.start_at = 0;
    made.end_at = run.ended < 0 ? -1 : 0;
    observed.runs.push_back(made);
  }
  for (const auto& flow : expected.flows) {
    observed.flows.push_back({flow.flow, flow.from, flow.to, flow.during, 0});
  }
  put_in_order(observed, constraints_of(expected, drawing));
  return observed;
}

/// Two interleaved branches behind a fork, with a sub-process in one of them and a join.
Expected example() {
  Expected expected;
  const auto run = [&](std::string element, std::string type, int in, std::vector<int> via,
                       int by) {
    ExpectedRun made;
    made.id = std::to_string(expected.runs.size());
    made.element = std::move(element);
    made.type = std::move(type);
    made.root = in < 0;
    made.in = in;
    made.via = std::move(via);
    made.by = by;
    made.ended = 0;
    made.outcome = Outcome::completed;
    expected.runs.push_back(std::move(made));
  };
  run("process", "process", -1, {}, -1);
  run("start", "startEvent", 0, {}, 0);
  run("task", "task", 0, {0}, -1);
  run("sub", "subProcess", 0, {1}, -1);
  run("inner", "startEvent", 3, {}, 3);
  run("join", "parallelGateway", 0, {2, 3}, -1);
  run("end", "endEvent", 0, {4}, -1);
  expected.flows = {{"a", "to_task", 1, 2, 0},
                    {"b", "to_sub", 1, 3, 0},
                    {"c", "task_to_join", 2, 5, 0},
                    {"d", "sub_to_join", 3, 5, 0},
                    {"e", "to_end", 5, 6, 0}};
  return expected;
}

std::string text(const std::vector<std::string>& problems) {
  std::string all;
  for (const auto& problem : problems)
    all += problem + "\n";
  return all;
}

TEST(CompareTest, AcceptsWhatIsExpected) {
  const auto expected = example();
  EXPECT_EQ(text(compare(expected, made_up(expected, {}), {})), "");
}

TEST(CompareTest, NumbersOfRunsMeanNothing) {
  const auto expected = example();
  auto observed = made_up(expected, {});
  // The runs in opposite order, every index turned round with them.
  const int last = static_cast<int>(observed.runs.size()) - 1;
  const auto turned = [&](int index) { return index < 0 ? -1 : last - index; };
  std::ranges::reverse(observed.runs);
  for (auto& run : observed.runs)
    run.in = turned(run.in);
  for (auto& flow : observed.flows) {
    flow.from = turned(flow.from);
    flow.to = turned(flow.to);
  }
  EXPECT_EQ(text(compare(expected, observed, {})), "");
}

TEST(CompareTest, BranchesMayComeInAnyOrder) {
  const auto expected = example();
  auto task_first = made_up(expected, {});
  for (auto& run : task_first.runs) {
    const bool in_sub = run.element == "sub" || run.element == "inner";
    if (in_sub || run.element == "join" || run.element == "end") run.start_at += 1'000;
    if (run.element != "start" && run.element != "task") run.end_at += 2'000;
  }
  task_first.flows[1].taken_at += 500;
  task_first.flows[3].taken_at += 2'000;
  task_first.flows[4].taken_at += 2'500;
  task_first.runs[6].start_at += 2'500;
  task_first.runs[6].end_at += 3'000;
  task_first.runs[0].end_at += 9'000;
  task_first.runs[5].end_at += 100;
  EXPECT_EQ(text(compare(expected, task_first, {})), "");
}

TEST(CompareTest, SeesAMissingAndASurplusRun) {
  const auto expected = example();
  auto missing = made_up(expected, {});
  missing.runs.pop_back();
  missing.flows.pop_back();
  EXPECT_NE(text(compare(expected, missing, {})), "");
  auto surplus = made_up(expected, {});
  surplus.runs.push_back(surplus.runs.back());
  EXPECT_NE(text(compare(expected, surplus, {})), "");
  auto twice = made_up(expected, {});
  twice.flows.push_back(twice.flows.back());
  EXPECT_NE(text(compare(expected, twice, {})), "");
}

TEST(CompareTest, SeesAnotherOutcome) {
  const auto expected = example();
  for (std::size_t i = 0; i < expected.runs.size(); ++i) {
    for (const auto outcome : {Outcome::active, Outcome::removed}) {
      auto observed = made_up(expected, {});
      observed.runs[i].outcome = outcome;
      EXPECT_NE(text(compare(expected, observed, {})), "") << i;
    }
  }
}

TEST(CompareTest, RunsThatThrewMayEndEitherWay) {
  auto expected = example();
  expected.runs[6].outcome = Outcome::threw;
  for (const auto outcome : {Outcome::completed, Outcome::removed}) {
    auto observed = made_up(expected, {});
    observed.runs[6].outcome = outcome;
    EXPECT_EQ(text(compare(expected, observed, {})), "");
  }
  auto observed = made_up(expected, {});
  observed.runs[6].outcome = Outcome::active;
  EXPECT_NE(text(compare(expected, observed, {})), "");
}

TEST(CompareTest, FindsTheRightOneOfSeveralRuns) {
  // Two runs of one task whose ends differ in what follows: only one assignment fits.
  auto expected = example();
  expected.runs[3].element = "task";
  auto observed = made_up(expected, {});
  std::swap(observed.runs[2], observed.runs[3]);
  for (auto& run : observed.runs) {
    if (run.in == 3) run.in = 2;
  }
  for (auto& flow : observed.flows) {
    for (auto* end : {&flow.from, &flow.to}) {
      if (*end == 2 || *end == 3) *end = 5 - *end;
    }
  }
  EXPECT_EQ(text(compare(expected, observed, {})), "");
  observed.runs[4].in = 3; // inside the wrong one of both
  EXPECT_NE(text(compare(expected, observed, {})), "");
}

TEST(CompareTest, BoundsTakeEveryCountBetweenAndNoOther) {
  const auto expected = example();
  auto observed = made_up(expected, {});
  Bounds bounds;
  for (const auto& run : expected.runs)
    bounds.started[run.element] = {0, 1};
  for (const auto& flow : expected.flows)
    bounds.flows[flow.flow] = {1, 1};
  bounds.instances = {{{"completed", 1}}};
  Drawing drawing;
  drawing.processes = {"process"};
  EXPECT_EQ(text(compare_bounds(bounds, observed, drawing)), "");
  auto too_often = observed;
  too_often.flows.push_back(too_often.flows.front());
  EXPECT_NE(text(compare_bounds(bounds, too_often, drawing)), "");
  auto unknown = observed;
  unknown.runs[2].element = "stranger";
  EXPECT_NE(text(compare_bounds(bounds, unknown, drawing)), "");
  auto unfinished = observed;
  unfinished.runs[0].outcome = Outcome::active;
  EXPECT_NE(text(compare_bounds(bounds, unfinished, drawing)), "");
}

// ---- every case of the corpus -----------------------------------------------------------------

class CorpusTest : public testing::Test {
protected:
  void SetUp() override {
    const auto folder = corpus_folder("token-simulation");
    if (!std::filesystem::exists(folder / "neutral.json")) GTEST_SKIP() << "no corpus";
    auto cases = read_cases(folder);
    ASSERT_TRUE(cases.has_value()) << cases.error().message;
    cases_ = *std::move(cases);
  }
  static Drawing drawing_of(const Case& one) {
    auto prepared = prepare(read_file(one.model), one);
    EXPECT_TRUE(prepared.has_value()) << one.name;
    return prepared ? prepared->drawing : Drawing{};
  }
  /// Runs of which another could take the place would hide a change.
  static bool has_twins(const Expected& expected) {
    std::set<std::string> elements;
    return std::ranges::any_of(expected.runs, [&](const ExpectedRun& run) {
      return !elements.insert(run.element).second;
    });
  }

  std::vector<Case> cases_;
};

TEST_F(CorpusTest, AcceptsWhatIsExpectedAtEveryCheck) {
  EXPECT_EQ(cases_.size(), 132U);
  int checks = 0;
  for (const auto& one : cases_) {
    const auto drawing = drawing_of(one);
    for (int i = 0; i < static_cast<int>(one.stimuli.size()); ++i) {
      if (one.stimuli[static_cast<std::size_t>(i)].action != Action::check) continue;
      const auto expected = expected_until(one.expected, i);
      EXPECT_EQ(text(compare(expected, made_up(expected, drawing), drawing)), "") << one.name;
      ++checks;
    }
  }
  EXPECT_EQ(checks, 137);
}

TEST_F(CorpusTest, EveryRuleOfOrderIsNoticedWhenItIsBroken) {
  int broken = 0;
  for (const auto& one : cases_) {
    const auto drawing = drawing_of(one);
    if (has_twins(one.expected)) continue;
    for (const auto& rule : constraints_of(one.expected, drawing)) {
      auto observed = made_up(one.expected, drawing);
      const auto after = position_of(observed, rule.after);
      position_of(observed, rule.before) = rule.strict ? after : after + 1;
      EXPECT_NE(text(compare(one.expected, observed, drawing)), "")
          << one.name << ": " << rule.rule;
      ++broken;
    }
  }
  EXPECT_GT(broken, 3'000);
}

TEST_F(CorpusTest, EveryPartOfTheStructureIsNoticedWhenItIsWrong) {
  int spoilt = 0;
  for (const auto& one : cases_) {
    const auto drawing = drawing_of(one);
    if (has_twins(one.expected)) continue;
    const auto sound = made_up(one.expected, drawing);
    const auto expect_noticed = [&](const Observed& observed, std::string_view what) {
      EXPECT_NE(text(compare(one.expected, observed, drawing)), "") << one.name << ": " << what;
      ++spoilt;
    };
    for (std::size_t i = 0; i < sound.runs.size(); ++i) {
      auto observed = sound;
      observed.runs[i].in = observed.runs[i].in < 0 ? 0 : observed.runs[i].in + 1;
      expect_noticed(observed, "scope");
      if (sound.runs[i].via.size() < 2) {
        observed = sound;
        ++observed.runs[i].started;
        expect_noticed(observed, "stimulus of the start");
      }
      observed = sound;
      ++observed.runs[i].ended;
      expect_noticed(observed, "stimulus of the end");
      observed = sound;
      observed.runs[i].gateway = observed.runs[i].gateway < 0 ? 0 : -1;
      expect_noticed(observed, "gateway");
      if (sound.runs[i].via.empty()) continue;
      observed = sound;
      observed.runs[i].via.pop_back();
      expect_noticed(observed, "way");
    }
    for (std::size_t i = 0; i < sound.flows.size(); ++i) {
      auto observed = sound;
      ++observed.flows[i].from;
      expect_noticed(observed, "source of a flow");
      observed = sound;
      ++observed.flows[i].during;
      expect_noticed(observed, "stimulus of a flow");
      observed = sound;
      observed.flows[i].flow += "_other";
      expect_noticed(observed, "flow");
    }
  }
  EXPECT_GT(spoilt, 3'000);
}

TEST_F(CorpusTest, HandlersRunInReverseOrder) {
  int rules = 0;
  for (const auto& one : cases_) {
    for (const auto& rule : constraints_of(one.expected, drawing_of(one))) {
      if (rule.rule.find("reverse order") != std::string_view::npos) ++rules;
    }
  }
  EXPECT_GT(rules, 0);
}

} // namespace
} // namespace perdure::conformance
