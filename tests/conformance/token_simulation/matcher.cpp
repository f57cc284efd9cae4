#include "conformance/token_simulation/matcher.h"

#include <algorithm>
#include <tuple>

namespace perdure::conformance {

namespace {

/// Far above what any case needs: a search that goes on for ever is a fault, not a result.
constexpr std::int64_t kMaxSteps = 5'000'000;

bool same_outcome(const ExpectedRun& expected, const ObservedRun& observed) {
  if (expected.free_end) return true;
  if (expected.outcome == Outcome::threw) return observed.outcome != Outcome::active;
  return expected.outcome == observed.outcome;
}

} // namespace

Matcher::Matcher(const Expected& expected, const Observed& observed, const Drawing& drawing)
    : expected_(expected),
      observed_(observed),
      rules_(expected.runs.size()),
      run_of_(expected.runs.size(), -1),
      flow_of_(expected.flows.size(), -1),
      used_(observed.runs.size(), false) {
  const auto run_of_moment = [&](const Moment& moment) {
    return moment.kind == MomentKind::taken
               ? expected.flows[static_cast<std::size_t>(moment.index)].to
               : moment.index;
  };
  for (auto& rule : constraints_of(expected, drawing)) {
    const auto last = std::max(run_of_moment(rule.before), run_of_moment(rule.after));
    rules_[static_cast<std::size_t>(last)].push_back(rule);
  }
}

bool Matcher::match() {
  if (expected_.runs.size() != observed_.runs.size()) {
    reason_ = "expected " + std::to_string(expected_.runs.size()) + " runs, came " +
              std::to_string(observed_.runs.size());
    return false;
  }
  return match_from(0);
}

int Matcher::mapped(int expected_index) const {
  return expected_index < 0 ? -1 : run_of_[static_cast<std::size_t>(expected_index)];
}

bool Matcher::match_from(std::size_t index) {
  if (index == expected_.runs.size()) return true;
  std::string reasons;
  for (std::size_t candidate = 0; candidate < observed_.runs.size(); ++candidate) {
    if (used_[candidate]) continue;
    if (observed_.runs[candidate].element != expected_.runs[index].element) continue;
    if (++steps_ > kMaxSteps) return false;
    auto why = misfit(index, candidate);
    if (why.empty()) {
      used_[candidate] = true;
      if (match_from(index + 1)) return true;
      used_[candidate] = false;
    } else {
      reasons += "\n      run " + std::to_string(candidate) + ": " + why;
    }
    run_of_[index] = -1;
  }
  if (index >= deepest_ && !reasons.empty()) {
    deepest_ = index;
    reason_ = "nothing fits the expected run " + expected_.runs[index].id + " of `" +
              expected_.runs[index].element + "`:" + reasons;
  }
  return false;
}

std::string Matcher::misfit(std::size_t index, std::size_t candidate) {
  const auto& expected = expected_.runs[index];
  const auto& run = observed_.runs[candidate];
  if (expected.root != run.root) return "one of both is a process instance";
  if (!same_outcome(expected, run)) return "another outcome";
  if (mapped(expected.in) != run.in) return "in another scope, run " + std::to_string(run.in);
  if (mapped(expected.gateway) != run.gateway) return "another event-based gateway";
  // A join may start with the first arrival or with the last.
  if (expected.via.size() < 2 && expected.started != run.started) {
    return "started during stimulus " + std::to_string(run.started) + ", not " +
           std::to_string(expected.started);
  }
  if (!expected.free_end && expected.ended != run.ended) {
    return "ended during stimulus " + std::to_string(run.ended) + ", not " +
           std::to_string(expected.ended);
  }
  auto why = misfit_of_flows(index, run);
  if (!why.empty()) return why;
  run_of_[index] = static_cast<int>(candidate);
  return broken_rule(index);
}

std::string Matcher::misfit_of_flows(std::size_t index, const ObservedRun& run) {
  const auto& expected = expected_.runs[index];
  if (expected.via.size() != run.via.size()) {
    return "came by " + std::to_string(run.via.size()) + " flows, not " +
           std::to_string(expected.via.size());
  }
  std::vector<std::tuple<std::string, int, int, int>> wanted;
  std::vector<std::tuple<std::string, int, int, int>> came;
  for (const auto flow : expected.via) {
    const auto& passage = expected_.flows[static_cast<std::size_t>(flow)];
    wanted.emplace_back(passage.flow, mapped(passage.from), passage.during, flow);
  }
  for (const auto flow : run.via) {
    const auto& passage = observed_.flows[static_cast<std::size_t>(flow)];
    came.emplace_back(passage.flow, passage.from, passage.during, flow);
  }
  std::ranges::sort(wanted);
  std::ranges::sort(came);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto& [flow, from, during, wanted_index] = wanted[i];
    const auto& [came_flow, came_from, came_during, came_index] = came[i];
    if (flow != came_flow) return "came by " + came_flow + ", not " + flow;
    if (from != came_from) return "came by " + flow + " from run " + std::to_string(came_from);
    if (during != came_during) {
      return flow + " was taken during stimulus " + std::to_string(came_during);
    }
    flow_of_[static_cast<std::size_t>(wanted_index)] = came_index;
  }
  return {};
}

std::int64_t Matcher::position(const Moment& moment) const {
  const auto index = static_cast<std::size_t>(moment.index);
  if (moment.kind == MomentKind::taken) {
    return observed_.flows[static_cast<std::size_t>(flow_of_[index])].taken_at;
  }
  const auto& run = observed_.runs[static_cast<std::size_t>(run_of_[index])];
  return moment.kind == MomentKind::start ? run.start_at : run.end_at;
}

std::string Matcher::name_of(const Moment& moment) const {
  const auto index = static_cast<std::size_t>(moment.index);
  if (moment.kind == MomentKind::taken) return "taking " + expected_.flows[index].flow;
  const std::string verb = moment.kind == MomentKind::start ? "start of " : "end of ";
  return verb + expected_.runs[index].element;
}

std::string Matcher::broken_rule(std::size_t index) const {
  for (const auto& rule : rules_[index]) {
    const auto before = position(rule.before);
    const auto after = position(rule.after);
    const bool holds = rule.strict ? before < after : before <= after;
    if (!holds) {
      return name_of(rule.before) + " at " + std::to_string(before) + " must precede " +
             name_of(rule.after) + " at " + std::to_string(after) + ": " + std::string(rule.rule);
    }
  }
  return {};
}

} // namespace perdure::conformance
