// Driver: plays the world of a flow for tests. Calls the callbacks at once, one after the other in
// the order in which they were asked for; a test decides what else happens and when. All that is
// recorded is kept, so that the run can be rebuilt at any point.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flow/failure.h"
#include "flow/machine.h"
#include "flow/retry.h"

namespace perdure::flow {

/// A recorded run as a history.
class Recording final : public History {
public:
  explicit Recording(const std::vector<Entry>& entries) : entries_(entries) {}
  std::optional<Entry> next() override {
    return at_ < entries_.size() ? std::optional(entries_[at_++]) : std::nullopt;
  }

private:
  const std::vector<Entry>& entries_;
  std::size_t at_ = 0;
};

class Driver {
public:
  explicit Driver(Machine::Program program) : program_(std::move(program)) { renew(); }

  /// Begins the run and calls callbacks until none is to be called.
  void begin() {
    deliver(Begun{17});
    work();
  }
  /// Ends a step that waits, well.
  void end(const std::string& name, std::optional<Value> value = std::nullopt) {
    deliver(StepEnded{name, Ending{.value = std::move(value)}});
    work();
  }
  void time_out(const std::string& name) {
    deliver(StepEnded{name, Ending{.kind = Ending::Kind::timed_out}});
    work();
  }
  void cancel() {
    deliver(CancelSeen{"enough"});
    work();
  }
  void deliver(Observation heard) {
    now += Duration(1);
    machine->deliver(std::move(heard), now);
    keep();
    if (rebuild_always) rebuild();
  }
  /// Throws the run away and makes it anew from what is recorded.
  void rebuild() {
    if (machine->divergence()) return;
    renew();
    Recording recording(entries);
    machine->replay(recording);
    keep();
  }
  /// The same with other code.
  void change(Machine::Program program) {
    program_ = std::move(program);
    rebuild();
  }

  /// Calls one callback; false: none is to be called.
  bool work_one() {
    for (const auto* node : machine->open()) {
      if (held.contains(node->name)) continue;
      const auto name = node->name;
      if (node->dropped) {
        deliver(StepReleased{name});
        return true;
      }
      if (node->kind != AskKind::run || node->operation == nullptr) continue;
      if (node->operation->ask.nested && node->nested) continue;
      if (node->operation->ask.nested) {
        deliver(AttemptBegun{name, node->attempt + 1});
      } else {
        attempt(*node->operation);
      }
      return true;
    }
    return false;
  }
  void work() {
    while (!machine->divergence() && work_one()) {
    }
  }

  /// The entries as lines.
  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> texts;
    for (const auto& entry : entries)
      texts.push_back(describe(entry));
    return texts;
  }
  /// How the flow ended; none: it has not.
  [[nodiscard]] std::optional<FlowEnded> ended() const {
    if (entries.empty()) return std::nullopt;
    const auto* deed = std::get_if<Deed>(&entries.back());
    const auto* end = deed != nullptr ? std::get_if<FlowEnded>(deed) : nullptr;
    return end != nullptr ? std::optional(*end) : std::nullopt;
  }
  [[nodiscard]] std::vector<std::string> waiting() const {
    std::vector<std::string> names;
    for (const auto* node : machine->open())
      names.push_back(node->name);
    return names;
  }

  std::vector<Entry> entries;
  std::unique_ptr<Machine> machine;
  std::map<std::string, std::int64_t> held;     ///< runs whose callbacks are not called yet
  std::map<std::string, std::int64_t> attempts; ///< calls of a callback so far
  std::vector<std::string> logged;
  Instant now = from_ms(1'000);
  bool rebuild_always = false; ///< throw the run away after everything that is recorded

private:
  void renew() {
    machine = std::make_unique<Machine>(Machine::Options{
        .program = program_, .log = [this](std::string_view text) { logged.emplace_back(text); }});
  }
  void keep() {
    for (auto& entry : machine->take())
      entries.push_back(std::move(entry));
  }
  void attempt(const Operation& operation) {
    const auto ask = operation.ask;
    const auto number = ++attempts[ask.name];
    try {
      Ending ending{.value = operation.work({})};
      deliver(StepEnded{ask.name, std::move(ending)});
    } catch (...) {
      const auto failure = failure_of(std::current_exception());
      if (pause_after(ask.retry, number, failure)) return;
      deliver(StepEnded{ask.name, Ending{.kind = Ending::Kind::failed,
                                         .value = std::nullopt,
                                         .error_name = failure.name,
                                         .error_message = failure.message}});
    }
  }

  Machine::Program program_;
};

/// A program of a coroutine that takes the flow and gives a value.
template <class Fn>
Machine::Program program_of(Fn fn) {
  return [fn](Flow& flow) -> Task<std::optional<Value>> {
    if constexpr (std::is_same_v<std::invoke_result_t<const Fn&, Flow&>, Task<void>>) {
      co_await fn(flow);
      co_return std::nullopt;
    } else {
      co_return encode(co_await fn(flow));
    }
  };
}

} // namespace perdure::flow
