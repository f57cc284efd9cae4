#include "conformance/token_simulation/compare.h"

#include <algorithm>
#include <map>
#include <set>

#include "conformance/token_simulation/matcher.h"

namespace perdure::conformance {

namespace {

using Counts = std::map<std::string, std::int64_t>;
using Problems = std::vector<std::string>;

std::string_view word(Outcome outcome) {
  switch (outcome) {
    case Outcome::active: return "active";
    case Outcome::completed: return "completed";
    case Outcome::removed: return "removed";
    case Outcome::threw: return "threw";
  }
  return "";
}

template <class Trace>
Counts started_nodes(const Trace& trace) {
  Counts counts;
  for (const auto& run : trace.runs) {
    if (!run.root) ++counts[run.element];
  }
  return counts;
}

template <class Trace>
Counts taken_flows(const Trace& trace) {
  Counts counts;
  for (const auto& flow : trace.flows)
    ++counts[flow.flow];
  return counts;
}

void compare_counts(const Counts& expected, const Counts& came, std::string_view what,
                    Problems& problems) {
  std::set<std::string> names;
  for (const auto& [name, count] : expected)
    names.insert(name);
  for (const auto& [name, count] : came)
    names.insert(name);
  const auto of = [](const Counts& counts, const std::string& name) {
    const auto found = counts.find(name);
    return found == counts.end() ? 0 : found->second;
  };
  for (const auto& name : names) {
    if (of(expected, name) == of(came, name)) continue;
    problems.push_back(std::string(what) + " `" + name + "`: expected " +
                       std::to_string(of(expected, name)) + " times, came " +
                       std::to_string(of(came, name)));
  }
}

/// Numbers of runs by element and outcome. A run that threw, or whose end is free, may have any
/// other outcome: `free` counts how many of them there are.
struct Outcomes {
  Counts by_class;
  std::int64_t free = 0;
};

void compare_outcomes(const Expected& expected, const Observed& observed, Problems& problems) {
  std::map<std::string, Outcomes> wanted;
  std::map<std::string, Counts> came;
  for (const auto& run : expected.runs) {
    auto& outcomes = wanted[run.element];
    if (run.outcome == Outcome::threw || run.free_end) {
      ++outcomes.free;
    } else {
      ++outcomes.by_class[std::string(word(run.outcome))];
    }
  }
  for (const auto& run : observed.runs)
    ++came[run.element][std::string(word(run.outcome))];
  for (const auto& [element, outcomes] : wanted) {
    std::int64_t missing = 0;
    std::string text;
    for (const auto name : {Outcome::active, Outcome::completed, Outcome::removed}) {
      const std::string key(word(name));
      const auto found = outcomes.by_class.find(key);
      const auto least = found == outcomes.by_class.end() ? 0 : found->second;
      const auto count = came[element][key];
      if (count < least) missing += least - count;
      text += " " + key + " " + std::to_string(least) + "/" + std::to_string(count);
    }
    if (missing > 0) {
      problems.push_back("outcomes of `" + element + "` (expected/came):" + text + ", threw " +
                         std::to_string(outcomes.free));
    }
  }
}

void check_range(const std::map<std::string, Bounds::Range>& ranges, const Counts& counts,
                 std::string_view what, Problems& problems) {
  for (const auto& [name, range] : ranges) {
    const auto found = counts.find(name);
    const auto count = found == counts.end() ? 0 : found->second;
    if (count >= range.first && count <= range.second) continue;
    problems.push_back(std::string(what) + " `" + name + "`: expected " +
                       std::to_string(range.first) + " to " + std::to_string(range.second) +
                       " times, came " + std::to_string(count));
  }
  for (const auto& [name, count] : counts) {
    if (ranges.contains(name)) continue;
    problems.push_back(std::string(what) + " `" + name + "` in none of the legal runs, came " +
                       std::to_string(count) + " times");
  }
}

} // namespace

std::vector<std::string> compare(const Expected& expected, const Observed& observed,
                                 const Drawing& drawing) {
  Problems problems;
  compare_counts(started_nodes(expected), started_nodes(observed), "runs of", problems);
  compare_counts(taken_flows(expected), taken_flows(observed), "passages of", problems);
  if (!problems.empty()) return problems;
  compare_outcomes(expected, observed, problems);
  if (!problems.empty()) return problems;
  Matcher matcher(expected, observed, drawing);
  if (!matcher.match()) problems.push_back(matcher.reason());
  return problems;
}

std::vector<std::string> compare_bounds(const Bounds& bounds, const Observed& observed,
                                        const Drawing& drawing) {
  Problems problems;
  // Ranges of process instances go by the end states below.
  auto started = bounds.started;
  std::erase_if(started, [&](const auto& range) { return drawing.is_root(range.first); });
  check_range(started, started_nodes(observed), "runs of", problems);
  check_range(bounds.flows, taken_flows(observed), "passages of", problems);
  Counts states;
  for (const auto& run : observed.runs) {
    if (run.root) ++states[std::string(word(run.outcome))];
  }
  if (std::ranges::find(bounds.instances, states) == bounds.instances.end()) {
    std::string text = "end states of the instances in none of the legal runs:";
    for (const auto& [state, count] : states)
      text += " " + state + " " + std::to_string(count);
    problems.push_back(text);
  }
  return problems;
}

std::string describe(const Expected& expected) {
  std::string out;
  for (const auto& run : expected.runs) {
    out += "    " + run.id + " " + run.element;
    if (run.in >= 0) out += " in " + expected.runs[static_cast<std::size_t>(run.in)].id;
    out += " [" + std::to_string(run.started) + ".." + std::to_string(run.ended) + "] " +
           std::string(word(run.outcome));
    if (run.handler) out += " handler";
    for (const auto flow : run.via)
      out += " " + expected.flows[static_cast<std::size_t>(flow)].flow;
    out += '\n';
  }
  return out;
}

std::string describe(const Observed& observed) {
  std::string out;
  int index = 0;
  for (const auto& run : observed.runs) {
    out += "    " + std::to_string(index++) + " " + run.element;
    if (run.in >= 0) out += " in " + std::to_string(run.in);
    out += " [" + std::to_string(run.started) + ".." + std::to_string(run.ended) + "] " +
           std::string(word(run.outcome)) + " at " + std::to_string(run.start_at) + ".." +
           std::to_string(run.end_at);
    for (const auto flow : run.via) {
      const auto& passage = observed.flows[static_cast<std::size_t>(flow)];
      out += " " + passage.flow + "@" + std::to_string(passage.taken_at) + " from " +
             std::to_string(passage.from);
    }
    out += '\n';
  }
  return out;
}

} // namespace perdure::conformance
