// decide for flows: what the database is to know of what a flow's code did, and of what happened to
// its run meanwhile. Pure, like decide::decide: the same arguments give the same facts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "facts/event.h"
#include "facts/fact.h"
#include "facts/instance_state.h"
#include "facts/refusal.h"

namespace perdure::flow {

/// Pauses of attempts that were cut off with their process: their own policy is known to the code
/// only.
struct Policy {
  Duration interrupted_pause{250};
};

/// What is said of all runs of one name.
struct Kind {
  std::string process_id;
  bool queues = false;   ///< it has limits: a run is pending until one lets it begin
  bool delivers = false; ///< the end of a run is told to a handler
};

struct Verdict {
  std::vector<facts::Fact> facts;        ///< in order; empty when refused
  std::optional<facts::Refusal> refusal; ///< set: the event was not allowed and nothing changed
  KeyRange keys;                         ///< what is left of the event's keys
};

/// Keys that the event can need.
[[nodiscard]] std::int64_t keys_needed(const facts::InstanceState& state,
                                       const facts::EventData& event);

/// Decides `event` on `state` and brings `state` forward by the facts found. On refusal the state
/// is untouched. Throws BugFound on a broken invariant; the
/// state is then worthless and must be loaded again.
[[nodiscard]] Verdict decide(const Kind& kind, facts::InstanceState& state,
                             const facts::Event& event, const Policy& policy = {});

} // namespace perdure::flow
