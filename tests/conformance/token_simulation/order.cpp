#include "conformance/token_simulation/order.h"

#include <algorithm>

namespace perdure::conformance {

namespace {

class Rules {
public:
  Rules(const Expected& expected, const Drawing& drawing)
      : expected_(expected), drawing_(drawing) {}

  std::vector<Constraint> take() {
    for (int x = 0; x < count(); ++x) {
      add_life(x);
      add_causes(x);
      if (run(x).handler) add_handler(x);
      if (run(x).outcome == Outcome::removed) add_interruption(x);
    }
    for (int flow = 0; flow < static_cast<int>(expected_.flows.size()); ++flow)
      add_flow(flow);
    add_reverse_order();
    return std::move(rules_);
  }

private:
  [[nodiscard]] int count() const { return static_cast<int>(expected_.runs.size()); }
  [[nodiscard]] const ExpectedRun& run(int index) const {
    return expected_.runs[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] bool ends(int index) const { return run(index).ended >= 0 && !run(index).free_end; }

  static Moment start(int index) { return {MomentKind::start, index}; }
  static Moment end(int index) { return {MomentKind::end, index}; }
  static Moment taken(int index) { return {MomentKind::taken, index}; }

  /// Moments that have not come yet, or whose time is the engine's own, are under no rule.
  void add(Moment before, Moment after, bool strict, std::string_view rule) {
    const auto known = [&](Moment moment) {
      return moment.kind != MomentKind::end || ends(moment.index);
    };
    if (known(before) && known(after)) rules_.push_back({before, after, strict, rule});
  }

  void add_life(int x) {
    add(start(x), end(x), true, "a run starts before it ends");
    const auto in = run(x).in;
    if (in < 0) return;
    add(start(in), start(x), true, "a scope starts before what is in it");
    if (run(x).after_end) {
      add(end(in), start(x), true, "the scope has completed before it is compensated");
    } else {
      add(end(x), end(in), false, "what is in a scope ends before the scope");
    }
  }

  void add_causes(int x) {
    if (run(x).by >= 0 && !run(x).handler) {
      add(start(run(x).by), start(x), true, "what starts or throws it starts before it");
    }
    if (run(x).gateway >= 0) {
      add(start(run(x).gateway), start(x), true, "the gateway starts before its event");
      add(end(run(x).gateway), start(x), false, "the gateway is decided before its event starts");
    }
    for (const auto y : run(x).released) {
      add(start(y), end(x), true, "what releases a run starts before the run ends");
    }
  }

  void add_flow(int index) {
    const auto& flow = expected_.flows[static_cast<std::size_t>(index)];
    if (flow.from >= 0) add(end(flow.from), taken(index), false, "a run ends before its flows");
    if (flow.to < 0) return;
    if (run(flow.to).via.size() > 1) {
      add(taken(index), end(flow.to), true, "a join ends after all its flows");
    } else {
      add(taken(index), start(flow.to), false, "a flow is taken before its target starts");
    }
  }

  void add_handler(int x) {
    const auto thrower = run(x).thrower;
    if (thrower < 0) return;
    add(start(thrower), start(x), true, "compensation is thrown before its handler starts");
    const int boundary = cancel_boundary_of(thrower);
    add(end(x), end(boundary >= 0 ? boundary : thrower), true,
        "handlers have ended before compensation is done");
  }

  [[nodiscard]] int cancel_boundary_of(int thrower) const {
    for (int x = 0; x < count(); ++x) {
      if (run(x).by == thrower && run(x).type == "boundaryEvent") return x;
    }
    return -1;
  }

  /// The interrupting catch that removed the run.
  [[nodiscard]] int catch_of(int x) const {
    if (run(x).cancelled_by >= 0) return run(x).cancelled_by;
    for (int y = 0; y < count(); ++y) {
      const auto boundary = drawing_.boundaries.find(run(y).element);
      if (boundary == drawing_.boundaries.end() || !boundary->second.interrupting) continue;
      if (boundary->second.host != run(x).element || run(y).in != run(x).in) continue;
      if (run(y).started == run(x).ended) return y;
    }
    return -1;
  }

  void add_interruption(int x) {
    const auto by = catch_of(x);
    if (by < 0) return;
    for (int index = 0; index < static_cast<int>(expected_.flows.size()); ++index) {
      const auto from = expected_.flows[static_cast<std::size_t>(index)].from;
      const bool behind = from == by || (from >= 0 && run(from).in == by);
      if (behind) add(end(x), taken(index), true, "what a catch removes ends before its flows");
    }
  }

  // ---- handlers undo in reverse order ----

  /// The only completed run that the handler undoes; -1 when there is none or a choice.
  [[nodiscard]] int undone_by(int handler) const {
    const auto activity = drawing_.undoes.find(run(handler).element);
    if (activity == drawing_.undoes.end()) return -1;
    if (run(run(handler).in).element == activity->second) return run(handler).in;
    int found = -1;
    for (int x = 0; x < count(); ++x) {
      const bool same = run(x).element == activity->second && run(x).in == run(handler).in &&
                        run(x).outcome == Outcome::completed;
      if (!same) continue;
      if (found >= 0) return -1;
      found = x;
    }
    return found;
  }

  [[nodiscard]] std::size_t place(Moment moment) const {
    const auto runs = expected_.runs.size();
    const auto index = static_cast<std::size_t>(moment.index);
    switch (moment.kind) {
      case MomentKind::start: return index;
      case MomentKind::end: return runs + index;
      case MomentKind::taken: return 2 * runs + index;
    }
    return 0;
  }

  /// Whether the rules so far put one before the other.
  [[nodiscard]] bool comes_before(Moment first, Moment second) const {
    std::vector<bool> seen(2 * expected_.runs.size() + expected_.flows.size(), false);
    std::vector<std::size_t> open{place(first)};
    while (!open.empty()) {
      const auto at = open.back();
      open.pop_back();
      if (at == place(second)) return true;
      if (seen[at]) continue;
      seen[at] = true;
      for (const auto& rule : rules_) {
        if (place(rule.before) == at) open.push_back(place(rule.after));
      }
    }
    return false;
  }

  void add_reverse_order() {
    std::vector<Constraint> reverse;
    for (int first = 0; first < count(); ++first) {
      for (int second = 0; second < count(); ++second) {
        if (first == second || !run(first).handler || !run(second).handler) continue;
        if (run(first).thrower != run(second).thrower) continue;
        const auto earlier = undone_by(first);
        const auto later = undone_by(second);
        if (earlier < 0 || later < 0 || earlier == later) continue;
        if (!comes_before(end(earlier), start(later))) continue;
        reverse.push_back(
            {end(second), start(first), false, "handlers run in reverse order of what they undo"});
      }
    }
    for (auto& rule : reverse)
      add(rule.before, rule.after, rule.strict, rule.rule);
  }

  const Expected& expected_;
  const Drawing& drawing_;
  std::vector<Constraint> rules_;
};

} // namespace

std::vector<Constraint> constraints_of(const Expected& expected, const Drawing& drawing) {
  return Rules(expected, drawing).take();
}

} // namespace perdure::conformance
