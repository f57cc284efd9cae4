// A long-running agent: waits for what its user says, thinks, calls tools until it has an answer,
// and waits again; for months. Each thought and each call of a tool is a step, so that no tool is
// called twice for one thought. After some turns it goes on as a new run, which keeps its history
// short: what it is to remember goes with it.
#pragma once

#include <boost/describe/class.hpp>
#include <string>
#include <vector>

#include "perdure/flow.h"

namespace agent {

using namespace std::chrono_literals;

struct Talk {
  std::string id;
  int turns = 0;
  int turns_of_a_run = 20; ///< then it goes on as a new run
  std::vector<std::string> memory{};
};
BOOST_DESCRIBE_STRUCT(Talk, (), (id, turns, turns_of_a_run, memory))

/// What the model wants next: a tool to be called, or the answer.
struct Thought {
  std::string tool; ///< empty: `text` is the answer
  std::string text;
};
BOOST_DESCRIBE_STRUCT(Thought, (), (tool, text))

// The world; each program has its own.
Thought think(const std::vector<std::string>& memory);
std::string call_tool(const std::string& tool, const std::string& text);
void answer(const std::string& talk_id, const std::string& text);

constexpr int kThoughtsOfATurn = 8;

/// From what the user said to the answer.
inline perdure::Task<std::string> take_turn(perdure::Flow& flow, std::string turn,
                                            std::vector<std::string> memory) {
  for (int thought = 1; thought <= kThoughtsOfATurn; ++thought) {
    const auto number = turn + "." + std::to_string(thought);
    const auto next = co_await flow.run("think " + number, [&] { return think(memory); });
    if (next.tool.empty()) co_return next.text;
    const auto found = co_await flow.run("tool " + number + ": " + next.tool,
                                         [&] { return call_tool(next.tool, next.text); });
    memory.push_back(next.tool + ": " + found);
  }
  co_return "I have thought for too long; ask me something simpler.";
}

inline perdure::Task<std::string> talk(perdure::Flow& flow, Talk state) {
  for (int turn = 0; turn < state.turns_of_a_run; ++turn) {
    const auto number = std::to_string(state.turns + 1);
    auto said =
        co_await flow.wait<std::string>("hear " + number, "user.message", {.timeout = 90 * 24h})
            .outcome();
    if (said.timed_out()) co_return "the user is gone";
    state.memory.push_back("user: " + std::move(said).value());
    const auto text = co_await take_turn(flow, number, state.memory);
    co_await flow.run("answer " + number, [&] { answer(state.id, text); });
    state.memory.push_back("agent: " + text);
    ++state.turns;
  }
  co_await flow.continue_as_new(state);
  co_return {};
}

} // namespace agent
