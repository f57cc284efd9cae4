// Machine: one instance in memory, as the engine would run it, with its clock and keys. After every
// decision it checks what must hold for every model; each broken property is a line in `problems`.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decide/decide.h"
#include "facts/event.h"
#include "facts/instance_state.h"

namespace perdure::cases {

class Machine {
public:
  /// Told of what is to be saved: the state with its changes, the facts since the last time, and
  /// the version then.
  using Saving = std::function<void(const facts::InstanceState& state,
                                    std::span<const facts::Fact> facts, std::int64_t base_version)>;

  explicit Machine(definition::DefinitionPtr definition, decide::Policy policy = {});
  /// What the process may call from now on; lives longer than the machine.
  void give(const decide::Catalog& catalog) { catalog_ = &catalog; }
  void on_saving(Saving saving) { saving_ = std::move(saving); }
  /// Saves no longer after each decision, as when several of one instance are committed together.
  void stop_saving() { saves_ = false; }
  /// Saves what is not saved yet.
  void save();

  /// Decides the event at the machine's time and, unless told otherwise, saves as after a commit.
  decide::Decision send(facts::EventData data);
  /// Goes on with that version of the process, whose key the event names, unless it is refused.
  decide::Decision migrate(definition::DefinitionPtr target, facts::MigrateRequested event);
  /// Whether the live state is what folding the recorded history gives. Done after each decision
  /// while the history is short, and at the end of an instance.
  void check_fold();
  /// Whether tokens were left ready for the next round.
  [[nodiscard]] bool has_ready_tokens() const;

  void advance(Duration duration) { now_ += duration; }
  [[nodiscard]] Instant now() const { return now_; }
  /// May be changed between two events.
  decide::Policy& policy() { return policy_; }

  /// The live rows, as a decision sees them.
  [[nodiscard]] const facts::InstanceState& state() const { return live_; }
  /// Every row, ended ones too: what folding the history gives.
  [[nodiscard]] const facts::InstanceState& full() const { return full_; }
  [[nodiscard]] const std::vector<facts::Fact>& history() const { return history_; }
  /// Properties that a decision broke; empty when all is well.
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

  /// Row of that step: the latest one, open or not; kNoKey when there is none.
  [[nodiscard]] Key task_of(std::string_view slug) const;
  [[nodiscard]] Key user_task_of(std::string_view slug) const;
  [[nodiscard]] Key timer_of(std::string_view slug) const;
  /// The token that the step belongs to.
  [[nodiscard]] Key token_of(std::string_view slug) const;
  /// The timer of a boundary event, gateway or event sub-process that is scheduled for that event.
  [[nodiscard]] Key armed_timer(std::string_view node_id) const;
  /// The subscription for that event: the oldest open one, else the latest.
  [[nodiscard]] Key subscription_of(std::string_view node_id) const;
  /// The latest scope that the sub-process has opened; kNoKey when there is none.
  [[nodiscard]] Key scope_of(std::string_view node_id) const;
  /// The open incident at that node; kNoKey when there is none.
  [[nodiscard]] Key incident_at(std::string_view node_id) const;

private:
  /// What it gives, tried twice, on the state.
  template <class Decide>
  decide::Decision decided(const Decide& decide, std::int64_t keys, facts::EventData data);
  void note(const decide::Decision& decision);
  void check_facts(const decide::Decision& decision);
  void check_state();
  void check_tokens();
  void check_joins();
  void check_fired(Key join_id);
  /// Something must be left to do, or show that help is needed.
  void check_progress();
  void problem(std::string text) { problems_.push_back(std::move(text)); }
  [[nodiscard]] const facts::StepRecord* step(std::string_view slug) const;

  definition::DefinitionPtr definition_;
  decide::Policy policy_;
  const decide::Catalog* catalog_ = nullptr;
  Instant now_;
  Key next_key_ = 1;
  bool saves_ = true;
  Saving saving_;
  std::vector<facts::Fact> unsaved_;
  std::int64_t saved_version_ = 0;
  facts::InstanceState state_; ///< what decisions are made on
  facts::InstanceState live_;  ///< the same without ended rows
  facts::InstanceState full_;
  std::vector<facts::Fact> history_;
  std::set<Key> fired_;
  std::vector<std::string> problems_;
};

/// All rows of the state as text, one a line: equal exactly when the states are.
[[nodiscard]] std::string dump(const facts::InstanceState& state);

} // namespace perdure::cases
