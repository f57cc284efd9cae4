// Token game: the rules of BPMN 13.4 for gateways, told once more and in the plainest way, for
// graphs of user tasks and gateways. What the engine does is compared with it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "random/chance.h"

namespace perdure::random {

enum class GameNode { start, task, exclusive, parallel, inclusive, end };

/// A graph in which each exclusive gateway takes its first flow, and each circle has a task.
struct GameGraph {
  struct Flow {
    std::size_t source = 0;
    std::size_t target = 0;
  };
  std::vector<GameNode> nodes;
  std::vector<Flow> flows;

  /// In the notation of tests/cases/model_text.h; nodes are n0, n1 ..., flows f0, f1 ...
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::vector<std::size_t> into(std::size_t node) const;
  [[nodiscard]] std::vector<std::size_t> out_of(std::size_t node) const;
};

[[nodiscard]] GameGraph random_graph(Chance& chance);

/// Where tokens are, with how many.
struct GameState {
  std::map<std::size_t, int> at_tasks;
  std::map<std::size_t, int> on_flows; ///< those that wait before a gateway, or are on their way
  friend auto operator<=>(const GameState&, const GameState&) = default;
};

class TokenGame {
public:
  explicit TokenGame(const GameGraph& graph) : graph_(graph) {}

  /// What can be when all has come to rest after the start, or after a token of the task went on.
  /// The standard says not which of several tokens moves first, and sometimes it matters. nullopt:
  /// there are too many ways.
  [[nodiscard]] std::optional<std::set<GameState>> start() const;
  [[nodiscard]] std::optional<std::set<GameState>> finish(GameState state, std::size_t task) const;

private:
  [[nodiscard]] std::optional<std::set<GameState>> rest(GameState state) const;
  [[nodiscard]] std::vector<GameState> next(const GameState& state) const;
  void leave(GameState& state, std::size_t node) const;
  [[nodiscard]] bool gathers(std::size_t node) const;
  [[nodiscard]] bool may_fire(const GameState& state, std::size_t gateway) const;
  /// Which flows into the gateway a token can still come by, from those flows on.
  [[nodiscard]] std::set<std::size_t> ways(std::vector<std::size_t> open,
                                           std::size_t gateway) const;

  const GameGraph& graph_;
};

} // namespace perdure::random
