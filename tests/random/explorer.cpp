#include "random/explorer.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <memory>
#include <unordered_set>
#include <utility>

#include "base/json.h"
#include "cases/model_text.h"

namespace perdure::random {

namespace {

using cases::Machine;

/// The moves that led to a state, last first.
struct Way {
  std::string what;
  std::shared_ptr<const Way> before;
};
using WayPtr = std::shared_ptr<const Way>;

std::string text_of(const Way* way) {
  std::string out;
  for (; way; way = way->before.get())
    out = way->what + (out.empty() ? "" : ", ") + out;
  return out;
}

Machine begun(const RandomModel& model, std::int64_t max_moves) {
  Machine machine(cases::parse_model(model.text), {.max_moves = max_moves});
  return machine;
}

void start(Machine& machine, const RandomModel& model) {
  facts::StartRequested start;
  start.definition_id = 1'000'000;
  start.variables = *json::parse(model.variables);
  (void)machine.send(start);
}

/// Nobody but an operator can bring it on.
bool is_stuck(const std::vector<Move>& moves) {
  return std::ranges::all_of(moves, [](const Move& move) { return move.what == "retry"; });
}

class Explorer {
public:
  Explorer(const RandomModel& model, const Surprises& surprises, const Bound& bound)
      : surprises_(surprises), bound_(bound) {
    auto machine = begun(model, bound.max_moves);
    start(machine, model);
    visit(std::move(machine), nullptr);
  }

  Explored run() {
    while (!open_.empty() && result_.problems.empty()) {
      const auto state = std::move(open_.front());
      open_.pop_front();
      for (const auto& move : moves_of(state.machine, surprises_)) {
        ++result_.moves;
        auto next = state.machine;
        auto way = std::make_shared<Way>(move.what, state.way);
        if (make(move, next, way)) visit(std::move(next), std::move(way));
      }
    }
    return std::move(result_);
  }

private:
  struct State {
    Machine machine;
    WayPtr way;
  };

  bool make(const Move& move, Machine& machine, const WayPtr& way) {
    try {
      move.make(machine);
      return true;
    } catch (const std::exception& error) {
      result_.problems.push_back(std::string(error.what()) + "\nafter " + text_of(way.get()));
      return false;
    }
  }

  void visit(Machine machine, WayPtr way) {
    for (const auto& problem : machine.problems())
      result_.problems.push_back(problem + "\nafter " + text_of(way.get()));
    if (!seen_.insert(shape_of(machine)).second) return;
    ++result_.states;
    if (is_terminal(machine.state().instance.status)) {
      result_.ends.emplace(outcome_of(machine), text_of(way.get()));
      return;
    }
    if (bound_.cancels) cancel(machine, way);
    if (is_stuck(moves_of(machine, surprises_))) {
      result_.stuck.emplace(shape_of(machine), text_of(way.get()));
    }
    if (result_.states >= bound_.max_states) {
      result_.is_whole = false;
      open_.clear();
    } else if (result_.is_whole) {
      open_.push_back({std::move(machine), std::move(way)});
    }
  }

  /// Whatever the state is, all of it can be taken back.
  void cancel(Machine machine, const WayPtr& way) {
    (void)machine.send(facts::CancelRequested{.reason = {}});
    if (machine.state().instance.status != facts::InstanceStatus::cancelled) {
      result_.problems.push_back("it was not cancelled after " + text_of(way.get()));
    }
    for (const auto& problem : machine.problems()) {
      result_.problems.push_back(problem + "\nwhen cancelled after " + text_of(way.get()));
    }
  }

  const Surprises& surprises_;
  const Bound& bound_;
  Explored result_;
  std::unordered_set<std::string> seen_;
  std::deque<State> open_;
};

} // namespace

Explored explore(const RandomModel& model, const Surprises& surprises, const Bound& bound) {
  try {
    return Explorer(model, surprises, bound).run();
  } catch (const std::exception& error) {
    Explored result;
    result.problems.emplace_back(error.what());
    return result;
  }
}

std::vector<std::string> walk(const RandomModel& model, Chance& chance, const Surprises& surprises,
                              int max_moves, Machine::Saving saving) {
  std::string order;
  std::vector<std::string> problems;
  try {
    auto machine = begun(model, 1'000);
    machine.on_saving(std::move(saving));
    start(machine, model);
    for (int made = 0; made < max_moves && machine.problems().empty(); ++made) {
      const auto moves = moves_of(machine, surprises);
      if (moves.empty()) break;
      const auto& move = chance.one_of(moves);
      order += (order.empty() ? "" : ", ") + move.what;
      move.make(machine);
    }
    problems = machine.problems();
  } catch (const std::exception& error) {
    problems.emplace_back(error.what());
  }
  for (auto& problem : problems)
    problem += "\nafter " + order;
  return problems;
}

} // namespace perdure::random
