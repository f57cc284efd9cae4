#include "random/token_game.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace perdure::random {

std::vector<std::size_t> GameGraph::into(std::size_t node) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (flows[i].target == node) found.push_back(i);
  }
  return found;
}

std::vector<std::size_t> GameGraph::out_of(std::size_t node) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (flows[i].source == node) found.push_back(i);
  }
  return found;
}

std::string GameGraph::text() const {
  static constexpr auto kNames =
      std::to_array<std::string_view>({"startEvent", "userTask", "exclusiveGateway",
                                       "parallelGateway", "inclusiveGateway", "endEvent"});
  std::string out;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    out += "node n" + std::to_string(i) + " " +
           std::string(kNames[static_cast<std::size_t>(nodes[i])]) + "\n";
  }
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const auto& flow = flows[i];
    out += "flow n" + std::to_string(flow.source) + " n" + std::to_string(flow.target) + " as f" +
           std::to_string(i);
    if (nodes[flow.source] == GameNode::exclusive) {
      out += out_of(flow.source).front() == i ? " if true" : " if false";
    }
    out += "\n";
  }
  return out;
}

GameGraph random_graph(Chance& chance) {
  static constexpr auto kKinds = std::to_array<GameNode>(
      {GameNode::task, GameNode::task, GameNode::exclusive, GameNode::parallel, GameNode::parallel,
       GameNode::inclusive, GameNode::inclusive});
  GameGraph graph;
  graph.nodes.push_back(GameNode::start);
  for (int count = 5 + chance.below(8); count > 0; --count)
    graph.nodes.push_back(chance.one_of(kKinds));
  graph.nodes.push_back(GameNode::end);
  const auto last = graph.nodes.size() - 1;
  std::vector<std::size_t> tasks;
  for (std::size_t i = 1; i < last; ++i) {
    if (graph.nodes[i] == GameNode::task) tasks.push_back(i);
  }
  for (std::size_t i = 0; i < last; ++i) {
    for (int count = 1 + chance.below(3); count > 0; --count) {
      // Forward, or back to a task: without one a circle would never rest.
      auto target = i + 1 +
                    static_cast<std::size_t>(
                        chance.below(static_cast<int>(std::min(last - i, std::size_t{4}))));
      if (!tasks.empty() && chance.hits(8)) target = chance.one_of(tasks);
      graph.flows.push_back({i, target});
    }
  }
  return graph;
}

namespace {

void take(std::map<std::size_t, int>& tokens, std::size_t place) {
  if (--tokens[place] == 0) tokens.erase(place);
}

} // namespace

std::optional<std::set<GameState>> TokenGame::start() const {
  GameState state;
  leave(state, 0);
  return rest(std::move(state));
}

std::optional<std::set<GameState>> TokenGame::finish(GameState state, std::size_t task) const {
  take(state.at_tasks, task);
  leave(state, task);
  return rest(std::move(state));
}

std::optional<std::set<GameState>> TokenGame::rest(GameState state) const {
  constexpr std::size_t kMost = 3'000;
  std::set<GameState> seen{state};
  std::vector<GameState> open{std::move(state)};
  std::set<GameState> at_rest;
  while (!open.empty()) {
    const auto now = std::move(open.back());
    open.pop_back();
    auto states = next(now);
    if (states.empty()) at_rest.insert(now);
    for (auto& then : states) {
      if (seen.insert(then).second) open.push_back(std::move(then));
    }
    if (seen.size() > kMost) return std::nullopt;
  }
  return at_rest;
}

std::vector<GameState> TokenGame::next(const GameState& state) const {
  std::vector<GameState> states;
  for (const auto& [flow, count] : state.on_flows) {
    const auto node = graph_.flows[flow].target;
    if (gathers(node)) continue;
    auto then = state;
    take(then.on_flows, flow);
    const auto kind = graph_.nodes[node];
    if (kind == GameNode::task) ++then.at_tasks[node];
    if (kind != GameNode::task && kind != GameNode::end) leave(then, node);
    states.push_back(std::move(then));
    // To come to a task or an end makes no difference to anybody: it need not wait.
    if (kind == GameNode::task || kind == GameNode::end) return {states.back()};
  }
  for (std::size_t node = 0; node < graph_.nodes.size(); ++node) {
    if (!gathers(node) || !may_fire(state, node)) continue;
    auto then = state;
    for (const auto flow : graph_.into(node)) {
      if (then.on_flows.contains(flow)) take(then.on_flows, flow);
    }
    leave(then, node);
    states.push_back(std::move(then));
  }
  return states;
}

void TokenGame::leave(GameState& state, std::size_t node) const {
  const auto out = graph_.out_of(node);
  for (const auto flow : out) {
    ++state.on_flows[flow];
    if (graph_.nodes[node] == GameNode::exclusive) return;
  }
}

bool TokenGame::gathers(std::size_t node) const {
  const auto kind = graph_.nodes[node];
  return (kind == GameNode::parallel || kind == GameNode::inclusive) &&
         graph_.into(node).size() > 1;
}

bool TokenGame::may_fire(const GameState& state, std::size_t gateway) const {
  const auto into = graph_.into(gateway);
  const auto filled = [&](std::size_t flow) { return state.on_flows.contains(flow); };
  if (graph_.nodes[gateway] == GameNode::parallel) return std::ranges::all_of(into, filled);
  if (std::ranges::none_of(into, filled)) return false;
  const auto holds_up = [&](std::vector<std::size_t> from) {
    const auto found = ways(std::move(from), gateway);
    return std::ranges::any_of(found, [&](auto flow) { return !filled(flow); }) &&
           std::ranges::none_of(found, filled);
  };
  for (const auto& [task, count] : state.at_tasks) {
    if (holds_up(graph_.out_of(task))) return false;
  }
  for (const auto& [flow, count] : state.on_flows) {
    if (holds_up({flow})) return false;
  }
  return true;
}

std::set<std::size_t> TokenGame::ways(std::vector<std::size_t> open, std::size_t gateway) const {
  std::set<std::size_t> found;
  std::set<std::size_t> seen(open.begin(), open.end());
  while (!open.empty()) {
    const auto flow = open.back();
    open.pop_back();
    const auto target = graph_.flows[flow].target;
    if (target == gateway) {
      found.insert(flow);
      continue;
    }
    for (const auto next : graph_.out_of(target)) {
      if (seen.insert(next).second) open.push_back(next);
    }
  }
  return found;
}

} // namespace perdure::random
