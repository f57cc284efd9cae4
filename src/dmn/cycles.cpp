#include "dmn/cycles.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace perdure::dmn {

namespace {

using definition::in_quotes;

constexpr std::size_t kMaxNamed = 5;

/// A walk with its own stack: models may be deeper than the program's.
class Search {
public:
  Search(Compiled& compiled, std::vector<definition::Report>& reports)
      : compiled_(compiled), reports_(reports), states_(compiled.nodes.size(), State::fresh) {}

  void run() {
    for (std::size_t i = 0; i < states_.size(); ++i)
      walk(static_cast<ElementIndex>(i));
  }

private:
  enum class State : std::uint8_t { fresh, open, done };
  struct Visit {
    ElementIndex element = 0;
    std::vector<ElementIndex> required;
    std::size_t next = 0;
  };

  State& state(ElementIndex index) { return states_[static_cast<std::size_t>(index)]; }
  Node& node(ElementIndex index) { return compiled_.nodes[static_cast<std::size_t>(index)]; }

  std::vector<ElementIndex> required_by(ElementIndex index) {
    std::vector<ElementIndex> required;
    for (const auto& binding : node(index).bindings) {
      if (binding.members.empty()) required.push_back(binding.element);
      for (const auto& [name, element] : binding.members)
        required.push_back(element);
    }
    return required;
  }

  void open(ElementIndex index) {
    state(index) = State::open;
    path_.push_back({.element = index, .required = required_by(index), .next = 0});
  }

  void walk(ElementIndex start) {
    if (state(start) != State::fresh) return;
    open(start);
    while (!path_.empty()) {
      auto& visit = path_.back();
      if (visit.next == visit.required.size()) {
        state(visit.element) = State::done;
        path_.pop_back();
        continue;
      }
      const auto next = visit.required[visit.next++];
      if (state(next) == State::open) refuse(next);
      if (state(next) == State::fresh) open(next);
    }
  }

  void refuse(ElementIndex first) {
    const auto begin = std::ranges::find(path_, first, &Visit::element);
    std::string names;
    std::size_t named = 0;
    for (auto it = begin; it != path_.end(); ++it) {
      if (++named > kMaxNamed) continue;
      names += in_quotes(node(it->element).name) + " requires ";
    }
    if (named > kMaxNamed) names += "... requires ";
    const auto message = "The requirements go in a circle: " + names + in_quotes(node(first).name) +
                         "; remove one of them.";
    const auto& reported = node(first);
    reports_[static_cast<std::size_t>(reported.document)].error(
        definition::Code::requirement_cycle, reported.place, reported.id, message);
    for (auto it = begin; it != path_.end(); ++it)
      node(it->element).refusal = message;
  }

  Compiled& compiled_;
  std::vector<definition::Report>& reports_;
  std::vector<State> states_;
  std::vector<Visit> path_;
};

} // namespace

void refuse_cycles(Compiled& compiled, std::vector<definition::Report>& reports) {
  Search(compiled, reports).run();
}

} // namespace perdure::dmn
