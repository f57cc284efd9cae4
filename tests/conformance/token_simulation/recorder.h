// Tells runs and flows from the facts that the core decides: every arrival of a token at a node is
// a run, every flow that it takes a passage.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/token_simulation/compare.h"
#include "facts/fact.h"

namespace perdure::conformance {

class Recorder {
public:
  explicit Recorder(const Drawing& drawing) : drawing_(drawing) {}

  /// Facts that follow happen during this stimulus.
  void during(int stimulus) { stimulus_ = stimulus; }
  /// Takes the next fact of that instance.
  void take(int instance, const facts::Fact& fact);
  /// Called with the node of every run that starts, in that order.
  void on_start(std::function<void(const std::string&)> watcher) { watcher_ = std::move(watcher); }

  /// What has happened until now.
  [[nodiscard]] Observed observed() const;

private:
  using Owner = std::pair<int, Key>; ///< instance, and token, scope or join in it
  struct Run : ObservedRun {
    bool hidden = false; ///< added by the preparation, or merged into another run
  };

  void take(int instance, const facts::InstanceStarted& fact);
  void take(int instance, const facts::InstanceCompleted& fact);
  void take(int instance, const facts::InstanceCancelled& fact);
  void take(int instance, const facts::ScopeOpened& fact);
  void take(int instance, const facts::ScopeClosed& fact);
  void take(int instance, const facts::TokenPlaced& fact);
  void take(int instance, const facts::TokenMoved& fact);
  void take(int instance, const facts::TokenCompleted& fact);
  void take(int instance, const facts::TokenTerminated& fact);
  void take(int instance, const facts::JoinArrived& fact);
  void take(int instance, const facts::JoinFired& fact);
  void take(int instance, const facts::CompensationRecorded& fact);
  void take(int instance, const facts::CompensationStarted& fact);
  /// Every other fact moves nothing.
  template <class Fact>
  void take(int, const Fact&) {}

  int begin(const std::string& element, int in);
  void end(int run, Outcome outcome);
  /// The token comes to the node, by a flow from that run or out of nothing (-1).
  void arrive(Owner token, const std::string& node, int in, const std::optional<std::string>& flow,
              int from);
  [[nodiscard]] int run_of(const std::map<Owner, int>& runs, Owner owner) const;
  Run& run(int index) { return runs_[static_cast<std::size_t>(index)]; }

  const Drawing& drawing_;
  std::function<void(const std::string&)> watcher_;
  std::vector<Run> runs_;
  std::vector<ObservedFlow> flows_;
  std::map<Owner, int> token_run_; ///< where the token is, or was last
  std::map<Owner, int> scope_run_;
  std::map<Owner, int> own_run_; ///< scopes that no token rests on
  std::map<Owner, std::vector<Key>> join_tokens_;
  std::map<Owner, int> reopened_; ///< by record: the sub-process that is undone from inside
  std::map<Owner, int> undone_;   ///< by record: the sub-process that a handler undoes
  std::int64_t position_ = 0;
  int stimulus_ = 0;
};

} // namespace perdure::conformance
