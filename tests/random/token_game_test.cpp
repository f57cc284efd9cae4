// The engine against the rules of the standard, told a second time without any of its code: after
// each task the same tasks are open, and the same tokens wait before gateways.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "base/json.h"
#include "cases/machine.h"
#include "cases/model_text.h"
#include "random/seeds.h"
#include "random/token_game.h"

namespace perdure::random {
namespace {

std::size_t number_of(std::string_view id) { return std::stoul(std::string(id.substr(1))); }

std::string shown(const GameState& state) {
  std::string out;
  for (const auto& [task, count] : state.at_tasks)
    out += " n" + std::to_string(task) + "*" + std::to_string(count);
  for (const auto& [flow, count] : state.on_flows)
    out += " f" + std::to_string(flow) + "*" + std::to_string(count);
  return out;
}

GameState state_of(const cases::Machine& machine) {
  GameState state;
  for (const auto& slot : machine.state().user_tasks.slots())
    ++state.at_tasks[number_of(slot.row.node_id)];
  for (const auto& slot : machine.state().arrivals.slots())
    ++state.on_flows[number_of(slot.row.flow_id)];
  return state;
}

TEST(TokenGame, TheEngineMovesTokensAsTheStandardSays) {
  const auto [first, count] = seeds(400);
  std::printf("seeds %llu to %llu\n", static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(first + count - 1));
  int moves = 0;
  int waits = 0;
  int choices = 0;
  int unjudged = 0;
  for (auto seed = first; seed < first + count; ++seed) {
    Chance chance(seed);
    const auto graph = random_graph(chance);
    std::string order = "start";
    const auto report = [&] {
      return "PERDURE_SEED=" + std::to_string(seed) + "\n" + graph.text() + "after " + order;
    };
    const TokenGame game(graph);
    cases::Machine machine(cases::parse_model(graph.text()), {.max_moves = 100'000});
    facts::StartRequested start;
    start.definition_id = 1'000'000;
    start.variables = Object{};
    (void)machine.send(start);
    auto allowed = game.start();
    for (int move = 0; move < 12; ++move) {
      ASSERT_TRUE(machine.problems().empty()) << report() << "\n! " << machine.problems().front();
      const auto state = state_of(machine);
      if (!allowed) {
        ++unjudged;
      } else if (!allowed->contains(state)) {
        std::string all;
        for (const auto& one : *allowed)
          all += "\nallowed" + shown(one);
        FAIL() << report() << "\nfound" << shown(state) << all;
      } else {
        choices += allowed->size() > 1 ? 1 : 0;
      }
      waits += state.on_flows.empty() ? 0 : 1;
      if (state.at_tasks.empty()) break;
      const auto task = chance.one_of(state.at_tasks).first;
      order += ", n" + std::to_string(task);
      Key id = kNoKey;
      for (const auto& slot : machine.state().user_tasks.slots()) {
        if (number_of(slot.row.node_id) == task) id = slot.row.id;
      }
      (void)machine.send(facts::UserTaskCompleted{.task_id = id, .variables = {}});
      allowed = game.finish(state, task);
      ++moves;
    }
  }
  std::printf(
      "%d moves, %d states in which tokens wait before a gateway, %d in which the standard "
      "leaves a choice, %d not judged\n",
      moves, waits, choices, unjudged);
}

} // namespace
} // namespace perdure::random
